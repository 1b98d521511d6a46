/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_check.c - `blackout check [options] DIR`: analyse an earlier recording again. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/verdict.h"

static struct verdict_options judging;
static const char *out;
static bool quiet;

static const struct option options[] = {
	{"out", "DIR", NULL, "where the reports go (default: into the recording)", OPTION_TEXT, &out},
	ANALYSIS_OPTIONS(&judging),
	VERDICT_OPTIONS(&judging, "error"),
	OPTION_QUIET(&quiet),
	{0},
};

static const struct usage usage = {
	.command = "check",
	.operands = "DIR",
	.about = "Analyse the recording in DIR, and report every misuse of flush and fence.",
	.options = options,
	.operands_min = 1,
	.operands_max = 1,
};

static int check_give(struct verdict *verdict, const struct analysis *analysis, const char *dir, double start)
{
	const struct verdict_facts facts = {
		.dir = dir,
		.out = out ? out : dir,
		.out_shown = out ? out : dir,
		.start = start,
		.quiet = quiet,
	};
	struct err err;
	int status = verdict_give(verdict, analysis, &facts, &err);

	if (status < 0)
		return command_fail(&err);
	if (analysis_complete(analysis))
		return status;
	fprintf(stderr, "interrupted; the reports are of what was analysed up to there\n");
	return STATUS_INTERRUPTED;
}

static int check_run(struct verdict *verdict, const char *dir, double start)
{
	bool progress = judging.progress && !quiet && isatty(STDERR_FILENO);
	struct analysis *analysis;
	struct err err;
	int status;

	if (out && mkdir(out, 0777) < 0 && errno != EEXIST) {
		err_sys(&err, "cannot create %s", out);
		return command_fail(&err);
	}
	analysis = analysis_new(&verdict->choice);
	if (analysis_finish(analysis, dir, progress, &err) < 0)
		status = command_fail(&err);
	else
		status = check_give(verdict, analysis, dir, start);
	analysis_free(analysis);
	return status;
}

int cmd_check(int argc, char **argv)
{
	double start = verdict_clock();
	struct verdict verdict;
	struct err err;
	int status, first = option_parse(&usage, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	if (verdict_prepare(&verdict, &judging, &err) < 0)
		status = command_fail(&err);
	else
		status = check_run(&verdict, argv[first], start);
	verdict_free(&verdict);
	return status;
}
