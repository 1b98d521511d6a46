/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analyze.c - see analyze.h. */
#include "cli/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/quantity.h"
#include "cli/summary.h"
#include "ops/substitute.h"

/* Without operations, {ops} stands for nothing. */
static int words_refuse(const struct analyze *a, struct err *err)
{
	const struct {
		const char *name, *command;
	} commands[] = {{"--recover", a->words->recover}, {"--client", a->words->client}};

	for (int i = 0; i < 2; i++)
		if (substitute_refuse(substitute_words_in_shell(commands[i].command), commands[i].name, err) < 0)
			return -1;
	return 0;
}

int analyze_prepare(struct analyze *a, struct err *err)
{
	a->printing = printing_parse(a->report);
	a->progress = progress_start();
	a->depends = outcome_options_text(a->options);
	if (oracle_options_open(&a->plugins, &a->words->oracles, err) < 0 ||
	    analysis_options_parse(&a->how, a->words, a->options, err) < 0 ||
	    operation_options_parse(&a->operations, a->operation_words, a->words->client, err) < 0)
		return -1;
	a->how.operations = (struct analysis_operations){
		.list = a->operations.list,
		.probe = a->operations.probe,
		.after = a->operation_words->ops_after ? a->operation_words->ops_after : SIZE_MAX,
		.lag = a->operation_words->lag,
		.rules = a->operations.rules,
		.marks = a->operation_words->op_marks,
	};
	if (!a->operations.list && words_refuse(a, err) < 0)
		return -1;
	a->how.plugins = a->plugins;
	a->how.testing.depends = a->depends;
	a->how.testing.parts = a->parts;
	a->how.suppress = a->report->suppress.items;
	a->how.suppress_count = a->report->suppress.count;
	a->how.baseline = a->report->baseline;
	a->how.fail_on = a->printing.fail_on;
	a->how.stop.asked = interrupt_asked;
	if (a->show_progress && !a->quiet) {
		a->how.reading = progress_reading;
		a->how.progress = progress_testing;
		a->how.arg = &a->progress;
	}
	return analysis_new(&a->analysis, &a->how, err);
}

void analyze_close(struct analyze *a)
{
	analysis_free(a->analysis);
	plugins_close(a->plugins);
	operation_options_free(&a->operations);
	free(a->depends);
}

int analyze_read(struct analyze *a, struct err *err)
{
	int r = analysis_read(a->analysis, a->dir, err);

	progress_clear(&a->progress);
	return r;
}

static struct summary summary_of(const struct analyze *a, const struct record *record)
{
	struct summary summary = {.dir = a->dir_shown};

	if (record) {
		summary.is_script = record->program.is_script;
		summary.pm_given = record->options->pm.count > 0;
		summary.seconds = record->end.seconds;
	}
	return summary;
}

/* A user who names PM files, or a recovery command, expects that there are PM files. */
static bool pm_is_missing(const struct analyze *a, const struct record *record, struct err *err)
{
	const struct summary summary = summary_of(a, record);
	const struct scan *scan = analysis_scan(a->analysis);

	if (trace_file_count(scan_trace(scan)) || (!a->words->recover && !summary.pm_given))
		return false;
	summary_nothing(&summary, scan_trace(scan), scan_started_others(scan), err);
	err_status(err, ERR_TARGET);
	return true;
}

/* The text report starts with the same line. */
static void recorded_say(const struct analyze *a, const struct record *record)
{
	const struct summary summary = summary_of(a, record);
	const struct scan *scan = analysis_scan(a->analysis);
	struct stats_summary totals;

	if (a->quiet || (a->printing.format == REPORT_TEXT && trace_file_count(scan_trace(scan))))
		return;
	scan_totals(scan, &totals);
	summary_line(&summary, scan_trace(scan), &totals, scan_started_others(scan), stderr);
}

/* Why crash states cannot be tested, or NULL.  If the target did not end well, its recording does not have a proper
 * end. */
static const char *bad_end(const struct record *record, const char *stopped)
{
	if (stopped)
		return "the recording stopped before the program ended";
	if (record->end.interrupted)
		return "the program was interrupted";
	if (record->end.signal)
		return "the program was killed by a signal";
	return record->end.status ? "the program itself failed" : NULL;
}

bool analyze_will_test(const struct analyze *a, const struct record *record)
{
	const char *stopped = trace_meta(scan_trace(analysis_scan(a->analysis)), "stopped");

	return analysis_will_test(a->analysis) && !bad_end(record, stopped) && !interrupt_seen();
}

/* Crash states will be tested: save the options for --resume.  After --resume, earlier results count only if they would
 * be the same now. */
static int testing_begin(struct analyze *a, struct err *err)
{
	const struct saved_options *saved = &a->saved;
	struct err ignored;
	double then;

	if (!a->parts && saved_options_write(a->options, a->out, err) < 0)
		return -1;
	a->progress = progress_start();
	if (a->quiet)
		return 0;
	if (*saved->changed)
		fprintf(stderr, "all crash states are tested again because %s changed\n", saved->changed);
	else if (saved->timeout && seconds_parse("timeout", saved->timeout, &then, &ignored) == 0 &&
		 then < a->how.testing.timeout)
		fprintf(stderr, "recoveries that did not end within --timeout %s are tested again\n", saved->timeout);
	return 0;
}

/* Print the report.  Returns the exit status if there was no other problem. */
static int result_print(const struct analyze *a, const struct analysis_result *result)
{
	const struct err *failed = result->unwritten;
	struct err unprinted;

	if (*result->printed)
		fprintf(stderr, "recovery printed:\n%s%s", result->printed,
			result->printed[strlen(result->printed) - 1] == '\n' ? "" : "\n");
	if (result->findings && !(a->quiet && a->printing.format == REPORT_TEXT) &&
	    printing_report(&a->printing, result->findings, a->out_shown, &unprinted) < 0 && !failed)
		failed = &unprinted;
	return failed ? command_fail(failed) : printing_status(&a->printing, result->findings);
}

void analyze_say_tests_left(const struct analyze *a, const char *engine)
{
	bool apart = strcmp(a->out_shown, a->dir_shown) != 0;

	fprintf(stderr,
		"interrupted; the reports cover the crash states that were tested so far\n"
		"hint: blackout check%s%s --resume %s%s%s tests the rest\n",
		engine ? " --cluster " : "", engine ? engine : "", a->dir_shown, apart ? " --out " : "",
		apart ? a->out_shown : "");
}

static void interrupted_say(const struct analyze *a, const struct analysis_result *result)
{
	if (result->tests_left && !a->parts)
		analyze_say_tests_left(a, NULL);
	else
		fprintf(stderr, "interrupted; the reports cover what was analyzed so far\n");
}

int analyze_finish(struct analyze *a, const struct record *record)
{
	const struct scan *scan = analysis_scan(a->analysis);
	const char *stopped = trace_meta(scan_trace(scan), "stopped");
	struct analysis_facts facts = {.out = a->out, .out_shown = a->out_shown};
	struct err no_pm, unsaved;
	const struct err *untested = NULL, *unproven = NULL;
	const struct analysis_result *result;
	int found, ended;

	if (pm_is_missing(a, record, &no_pm)) {
		unproven = &no_pm;
		facts.warning = no_pm.sentence;
	} else if (record) {
		recorded_say(a, record);
	}
	if (record && a->words->recover)
		facts.untested = bad_end(record, stopped);
	if (!facts.untested && analysis_will_test(a->analysis) && testing_begin(a, &unsaved) < 0) {
		untested = &unsaved;
		facts.untested = unsaved.sentence;
	}
	result = analysis_judge(a->analysis, &facts);
	a->tests_left = result->tests_left;
	progress_clear(&a->progress);
	found = result_print(a, result);
	untested = untested ? untested : result->untested;
	unproven = unproven ? unproven : result->unproven;
	if (untested)
		return command_fail(untested);
	ended = record ? record_judge(record, stopped ? stopped : "") : STATUS_DONE;
	if (ended != STATUS_DONE)
		return ended;
	if (scan_complete(scan) && !interrupt_seen())
		return unproven ? command_fail(unproven) : found;
	interrupted_say(a, result);
	return STATUS_INTERRUPTED;
}
