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

int analyze_prepare(struct analyze *z, struct err *err)
{
	z->printing = printing_parse(z->report);
	z->progress = progress_start();
	z->rules = rules_text(z->options);
	if (analysis_options_parse(&z->how, z->words, err) < 0)
		return -1;
	z->how.testing.depends = z->rules;
	z->how.suppress = z->report->suppress.items;
	z->how.suppress_count = z->report->suppress.count;
	z->how.baseline = z->report->baseline;
	z->how.fail_on = z->printing.fail_on;
	z->how.stop.asked = interrupt_asked;
	if (z->show_progress && !z->quiet) {
		z->how.reading = progress_reading;
		z->how.progress = progress_testing;
		z->how.arg = &z->progress;
	}
	return analysis_new(&z->analysis, &z->how, err);
}

void analyze_close(struct analyze *z)
{
	analysis_free(z->analysis);
	free(z->rules);
}

int analyze_read(struct analyze *z, struct err *err)
{
	int r = analysis_read(z->analysis, z->dir, err);

	progress_clear(&z->progress);
	return r;
}

static struct summary summary_of(const struct analyze *z, const struct record *record)
{
	struct summary summary = {.dir = z->dir_shown};

	if (record) {
		summary.is_script = record->program.is_script;
		summary.pm_given = record->options->pm.count > 0;
		summary.seconds = record->end.seconds;
	}
	return summary;
}

/* A user who names PM files, or a recovery command, expects that there are PM files. */
static bool pm_is_missing(const struct analyze *z, const struct record *record, struct err *err)
{
	const struct summary summary = summary_of(z, record);
	const struct scan *scan = analysis_scan(z->analysis);

	if (trace_file_count(scan_trace(scan)) || (!z->words->recover && !summary.pm_given))
		return false;
	summary_nothing(&summary, scan_trace(scan), scan_started_others(scan), err);
	err_status(err, ERR_TARGET);
	return true;
}

/* The text report starts with the same line. */
static void recorded_say(const struct analyze *z, const struct record *record)
{
	const struct summary summary = summary_of(z, record);
	const struct scan *scan = analysis_scan(z->analysis);
	struct stats_summary totals;

	if (z->quiet || (z->printing.format == REPORT_TEXT && trace_file_count(scan_trace(scan))))
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

/* Crash states will be tested: save the options for --resume.  After --resume, earlier results count only if they would
 * be the same now. */
static int testing_begin(struct analyze *z, struct err *err)
{
	const struct saved_options *saved = &z->saved;
	struct err ignored;
	double then;

	if (saved_options_write(z->options, z->out, err) < 0)
		return -1;
	z->progress = progress_start();
	if (z->quiet)
		return 0;
	if (*saved->changed)
		fprintf(stderr, "all crash states are tested again because %s changed\n", saved->changed);
	else if (saved->timeout && seconds_parse("timeout", saved->timeout, &then, &ignored) == 0 &&
		 then < z->how.testing.timeout)
		fprintf(stderr, "recoveries that did not end within --timeout %s are tested again\n", saved->timeout);
	return 0;
}

/* Print the report.  Returns the exit status if there was no other problem. */
static int result_print(const struct analyze *z, const struct analysis_result *result)
{
	const struct err *failed = result->unwritten;
	struct err unprinted;

	if (*result->printed)
		fprintf(stderr, "recovery printed:\n%s%s", result->printed,
			result->printed[strlen(result->printed) - 1] == '\n' ? "" : "\n");
	if (result->findings && !(z->quiet && z->printing.format == REPORT_TEXT) &&
	    printing_report(&z->printing, result->findings, z->out_shown, &unprinted) < 0 && !failed)
		failed = &unprinted;
	return failed ? command_fail(failed) : printing_status(&z->printing, result->findings);
}

static void interrupted_say(const struct analyze *z, const struct analysis_result *result)
{
	if (result->tests_left)
		fprintf(stderr,
			"interrupted; the reports cover the crash states that were tested so far\n"
			"hint: blackout check --resume %s tests the rest\n",
			z->dir_shown);
	else
		fprintf(stderr, "interrupted; the reports cover what was analyzed so far\n");
}

int analyze_finish(struct analyze *z, const struct record *record)
{
	const struct scan *scan = analysis_scan(z->analysis);
	const char *stopped = trace_meta(scan_trace(scan), "stopped");
	struct analysis_facts facts = {.out = z->out, .out_shown = z->out_shown};
	struct err no_pm, unsaved;
	const struct err *untested = NULL, *unproven = NULL;
	const struct analysis_result *result;
	int found, ended;

	if (pm_is_missing(z, record, &no_pm)) {
		unproven = &no_pm;
		facts.warning = no_pm.sentence;
	} else if (record) {
		recorded_say(z, record);
	}
	if (record && z->words->recover)
		facts.untested = bad_end(record, stopped);
	if (!facts.untested && analysis_will_test(z->analysis) && testing_begin(z, &unsaved) < 0) {
		untested = &unsaved;
		facts.untested = unsaved.sentence;
	}
	result = analysis_judge(z->analysis, &facts);
	progress_clear(&z->progress);
	found = result_print(z, result);
	untested = untested ? untested : result->untested;
	unproven = unproven ? unproven : result->unproven;
	if (untested)
		return command_fail(untested);
	ended = record ? record_judge(record, stopped ? stopped : "") : STATUS_DONE;
	if (ended != STATUS_DONE)
		return ended;
	if (scan_complete(scan) && !interrupt_seen())
		return unproven ? command_fail(unproven) : found;
	interrupted_say(z, result);
	return STATUS_INTERRUPTED;
}
