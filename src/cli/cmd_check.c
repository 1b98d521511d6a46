/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_check.c - `blackout check [options] DIR`: analyze an earlier recording again. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/counting.h"
#include "analysis/testing.h"
#include "analysis/verdict.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/summary.h"

static struct verdict_options judging;
static struct testing_options testing = {.elsewhere = true};
static struct counting_options counting;
static const char *out;
static bool quiet;

static const struct option options[] = {
	ANALYSIS_OPTIONS(&judging),
	TESTING_OPTIONS(&testing),
	{"resume", NULL, NULL, "continue where an earlier run or check was interrupted", OPTION_FLAG, &testing.resume},
	COUNTING_OPTIONS(&counting),
	SERVICE_OPTIONS(&testing),
	VERDICT_OPTIONS(&judging, "error", REPORTS_PRINTED),
	{"out", "DIR", NULL, "directory for the reports (default: the recording)", OPTION_TEXT, &out},
	OPTION_PROGRESS(&testing.progress),
	OPTION_QUIET(&quiet),
	{0},
};

const struct usage usage_check = {
	.command = "check",
	.operands = "DIR",
	.about = "Analyze the recording in DIR. Report every misuse of flush and fence and, with\n"
		 "--recover, every crash state on which CMD fails.",
	.options = options,
	.operand = OPERAND_RECORDING,
	.operands_min = 1,
	.operands_max = 1,
};

struct check {
	struct verdict verdict;
	struct testing testing;
	struct counting counting;
	struct scan *scan;
	const char *dir;
	double start;
};

/* There is nothing that --recover could check. */
static bool check_missed_pm(const struct check *c, struct err *err)
{
	const struct summary summary = {.dir = c->dir};

	if (trace_file_count(scan_trace(c->scan)) || !testing.recover)
		return false;
	summary_nothing(&summary, scan_trace(c->scan), scan_started_others(c->scan), err);
	err_status(err, ERR_TARGET);
	return true;
}

static int check_give(struct check *c, struct err *err)
{
	const char *where = out ? out : c->dir;
	struct verdict_facts facts = {
		.dir = c->dir,
		.out = where,
		.out_shown = where,
		.start = c->start,
		.quiet = quiet,
		.recover = testing.recover,
	};
	const struct testing_facts about = {.dir = c->dir, .out = where, .options = options, .quiet = quiet};
	struct err tested, nothing;
	bool proves_nothing = check_missed_pm(c, &nothing);
	/* Count first: it is quick, and the result is valid whatever happens to the tests. */
	int result = counting_run(&c->counting, &c->verdict.choice, c->scan, c->dir, &tested), status;

	if (result == 0)
		result = testing_run(&c->testing, &c->verdict.choice, c->scan, &about, &tested);
	if (result < 0)
		facts.untested = tested.sentence;
	proves_nothing = proves_nothing || testing_judged_nothing(&c->testing, scan_trace(c->scan), &nothing);
	if (proves_nothing)
		facts.warning = nothing.sentence;
	status = verdict_give(&c->verdict, c->scan, c->testing.campaign, &facts, err);
	if (status < 0)
		status = command_fail(err);
	if (result < 0)
		return command_fail(&tested);
	if (scan_complete(c->scan) && !interrupt_seen())
		return proves_nothing ? command_fail(&nothing) : status;
	testing_interrupted(&c->testing, c->dir);
	return STATUS_INTERRUPTED;
}

static int check_run(struct check *c, struct err *err)
{
	bool progress = testing.progress && !quiet && isatty(STDERR_FILENO);

	if (out && mkdir(out, 0777) < 0 && errno != EEXIST) {
		err_sys(err, "cannot create %s", out);
		return command_fail(err);
	}
	c->verdict.counting = &c->counting;
	testing_prune(&c->testing, &c->counting);
	testing_choose(&c->testing, &c->verdict.choice);
	c->scan = scan_new(&c->verdict.choice);
	if (scan_finish(c->scan, c->dir, progress, err) < 0)
		return command_fail(err);
	return check_give(c, err);
}

int cmd_check(int argc, char **argv)
{
	struct check check = {.start = clock_seconds()};
	struct err err;
	int status, first = option_parse(&usage_check, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	interrupt_hear();
	check.dir = argv[first];
	if (testing_load(&testing, options, out ? out : check.dir, &err) < 0 ||
	    verdict_prepare(&check.verdict, &judging, &err) < 0 ||
	    testing_prepare(&check.testing, &testing, &err) < 0 ||
	    counting_prepare(&check.counting, &counting, &err) < 0)
		status = command_fail(&err);
	else
		status = check_run(&check, &err);
	if (check.scan)
		scan_free(check.scan);
	testing_free(&check.testing);
	counting_free(&check.counting);
	verdict_free(&check.verdict);
	return status;
}
