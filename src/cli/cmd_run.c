/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_run.c - `blackout run [options] -- PROGRAM [ARGS...]`: record, analyze, test crash states, report.
 *
 * The analysis follows the recording on another core while it is written, so little is left to do when the target ends.
 * With --follow-children it comes afterwards, because the events of several processes can be put in sequence only when
 * all of them are known.
 *
 * Standard output has the report and nothing else; the target's standard output goes to standard error. */
#include <stdio.h>
#include <unistd.h>

#include "analysis/counting.h"
#include "analysis/testing.h"
#include "analysis/verdict.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/record_target.h"
#include "cli/summary.h"

static struct record_options recording;
static struct verdict_options judging;
static struct testing_options testing;
static struct counting_options counting;

static const struct option options[] = {
	RECORD_OPTIONS(&recording),     ANALYSIS_OPTIONS(&judging),
	TESTING_OPTIONS(&testing),      COUNTING_OPTIONS(&counting),
	SERVICE_OPTIONS(&testing),      VERDICT_OPTIONS(&judging, "error", REPORTS_PRINTED),
	OPTION_OUT(&recording.out),     OPTION_PROGRESS(&testing.progress),
	OPTION_QUIET(&recording.quiet), {0},
};

const struct usage usage_run = {
	.command = "run",
	.operands = "-- PROGRAM [ARGS...]",
	.about = "Run PROGRAM, record what it does to persistent memory (PM), and report every\n"
		 "misuse of flush and fence. With --recover, simulate a power failure at every\n"
		 "point that matters, and run CMD on what is left. PROGRAM is any x86-64 Linux\n"
		 "program; it needs no recompiling, and no persistent memory.",
	.options = options,
	.operand = OPERAND_PROGRAM,
	.operands_min = 1,
};

struct run {
	struct record record;
	struct verdict verdict;
	struct testing testing;
	struct counting counting;
	struct scan *scan;
	double start;
};

static bool judging_is_silent(const struct run *r)
{
	return r->verdict.format != REPORT_TEXT;
}

static struct summary run_summary(const struct run *r)
{
	return (struct summary){
		.dir = recording.out,
		.is_script = r->record.program.is_script,
		.pm_given = recording.pm.count > 0,
		.seconds = r->record.end.seconds,
	};
}

static void recorded_say(const struct run *r)
{
	struct summary summary = run_summary(r);
	struct stats_summary totals;

	scan_totals(r->scan, &totals);
	/* The text report starts with the same line. */
	if (!recording.quiet && (judging_is_silent(r) || !trace_file_count(scan_trace(r->scan))))
		summary_line(&summary, scan_trace(r->scan), &totals, scan_started_others(r->scan), stderr);
}

/* A user who names PM files, or a recovery command, expects that there are PM files. */
static bool run_missed_pm(const struct run *r, struct err *err)
{
	struct summary summary = run_summary(r);

	if (trace_file_count(scan_trace(r->scan)) || (!testing.recover && !recording.pm.count))
		return false;
	summary_nothing(&summary, scan_trace(r->scan), scan_started_others(r->scan), err);
	err_status(err, ERR_TARGET);
	return true;
}

/* Why crash states cannot be tested, or NULL.  If the target did not end well, its recording does not have a proper
 * end. */
static const char *run_untested(const struct run *r, const char *stopped)
{
	const struct process_end *end = &r->record.end;

	if (stopped)
		return "the recording stopped before the program ended";
	if (end->interrupted)
		return "the program was interrupted";
	if (end->signal)
		return "the program was killed by a signal";
	return end->status ? "the program itself failed" : NULL;
}

static int run_test(struct run *r, struct err *err)
{
	const struct testing_facts facts = {
		.dir = r->record.recording.dir,
		.out = r->record.recording.dir,
		.options = options,
		.quiet = recording.quiet,
	};

	return testing_run(&r->testing, &r->verdict.choice, r->scan, &facts, err);
}

/* The reports are written and printed no matter how the target ended.  If it ended badly, that decides the exit
 * status. */
static int run_judge(struct run *r, struct err *err)
{
	struct verdict_facts facts = {
		.dir = r->record.recording.dir,
		.out = r->record.recording.dir,
		.out_shown = recording.out,
		.start = r->start,
		.quiet = recording.quiet,
		.recover = testing.recover,
	};
	const char *stopped = trace_meta(scan_trace(r->scan), "stopped");
	struct err tested, nothing;
	bool proves_nothing = run_missed_pm(r, &nothing);
	int found, ended, r_tested;

	if (!proves_nothing)
		recorded_say(r);
	/* Count first: it is quick, and the result is valid whatever happens to the tests. */
	r_tested = counting_run(&r->counting, &r->verdict.choice, r->scan, facts.dir, &tested);
	if (testing.recover)
		facts.untested = run_untested(r, stopped);
	if (r_tested == 0 && !facts.untested)
		r_tested = run_test(r, &tested);
	if (r_tested < 0)
		facts.untested = tested.sentence;
	proves_nothing = proves_nothing || testing_judged_nothing(&r->testing, scan_trace(r->scan), &nothing);
	if (proves_nothing)
		facts.warning = nothing.sentence;
	found = verdict_give(&r->verdict, r->scan, r->testing.campaign, &facts, err);
	if (found < 0)
		found = command_fail(err);
	if (r_tested < 0)
		return command_fail(&tested);
	ended = record_judge(&r->record, stopped ? stopped : "");
	if (ended != STATUS_DONE)
		return ended;
	if (scan_complete(r->scan) && !interrupt_seen())
		return proves_nothing ? command_fail(&nothing) : found;
	testing_interrupted(&r->testing, recording.out);
	return STATUS_INTERRUPTED;
}

static int run_go(struct run *r, struct err *err)
{
	bool progress = testing.progress && !recording.quiet && isatty(STDERR_FILENO);
	struct err packing;
	int packed, status;

	if (record_setup(&r->record, err) < 0)
		return command_fail(err);
	if (r->record.end.interrupted || interrupt_seen())
		return STATUS_INTERRUPTED;
	testing_choose(&r->testing, &r->verdict.choice);
	r->scan = scan_new(&r->verdict.choice);
	if (!recording.follow) {
		scan_follow(r->scan, r->record.recording.dir);
		r->record.follower = r->scan;
	}
	if (record_target(&r->record, err) < 0 || record_seal(&r->record, err) < 0)
		return r->record.end.interrupted ? STATUS_INTERRUPTED : command_fail(err);
	interrupt_hear();
	if (scan_finish(r->scan, r->record.recording.dir, progress, err) < 0)
		return command_fail(err);
	packed = record_compress(&r->record, &packing);
	status = run_judge(r, err);
	return packed < 0 ? command_fail(&packing) : status;
}

/* Find all mistakes before anything is run. */
static int run_prepare(struct run *r, int argc, char **argv, struct err *err)
{
	if (verdict_prepare(&r->verdict, &judging, err) < 0 || testing_prepare(&r->testing, &testing, err) < 0 ||
	    counting_prepare(&r->counting, &counting, err) < 0)
		return -1;
	r->verdict.counting = &r->counting;
	testing_prune(&r->testing, &r->counting);
	recording.code_hash |= r->verdict.choice.explore; /* needed to tell segments apart */
	return record_prepare(&r->record, argc, argv, err);
}

int cmd_run(int argc, char **argv)
{
	struct run run = {.record = RECORD_NEW(&recording), .start = clock_seconds()};
	struct err err;
	int status, first = option_parse(&usage_run, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	run.record.keep_stdout = true;
	recording.client = testing.client;
	recording.ready = testing.ready;
	recording.progress = testing.progress;
	if (run_prepare(&run, argc - first, argv + first, &err) < 0)
		status = command_fail(&err);
	else
		status = run_go(&run, &err);
	if (run.scan)
		scan_free(run.scan);
	testing_free(&run.testing);
	counting_free(&run.counting);
	verdict_free(&run.verdict);
	record_close(&run.record);
	return status;
}
