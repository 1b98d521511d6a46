/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_check.c - `blackout check [options] DIR`: analyze an earlier recording again. */
#include <errno.h>
#include <sys/stat.h>

#include "cli/analyze.h"
#include "cli/command.h"
#include "cli/interrupt.h"

static struct analysis_words judging;
static struct report_words reporting;
static const char *out;
static bool progress, quiet;

static const struct option options[] = {
	ANALYSIS_OPTIONS(&judging),
	TESTING_OPTIONS(&judging),
	{"resume", NULL, NULL, "continue where an earlier run or check was interrupted", OPTION_FLAG, &judging.resume},
	EXPLORE_OPTIONS(&judging),
	SERVICE_OPTIONS(&judging),
	REPORT_OPTIONS(&reporting, "error", REPORTS_PRINTED),
	{"out", "DIR", NULL, "directory for the reports (default: the recording)", OPTION_TEXT, &out},
	OPTION_PROGRESS(&progress),
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

static int check_resume(struct analyze *analyze, struct err *err)
{
	saved_options_read(options, analyze->out, &analyze->saved);
	if (judging.recover)
		return 0;
	err_set(err, "there is nothing to resume in %s: no crash states were tested there", analyze->out);
	return err_status(err, ERR_USAGE);
}

static int check_run(struct analyze *analyze, struct err *err)
{
	if (judging.resume && check_resume(analyze, err) < 0)
		return command_fail(err);
	if (analyze_prepare(analyze, err) < 0)
		return command_fail(err);
	if (out && mkdir(out, 0777) < 0 && errno != EEXIST) {
		err_sys(err, "cannot create %s", out);
		return command_fail(err);
	}
	if (analyze_read(analyze, err) < 0)
		return command_fail(err);
	return analyze_finish(analyze, NULL);
}

int cmd_check(int argc, char **argv)
{
	struct analyze analyze = {.words = &judging, .report = &reporting, .options = options};
	struct err err;
	int status, first = option_parse(&usage_check, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	interrupt_hear();
	analyze.show_progress = progress;
	analyze.quiet = quiet;
	analyze.dir = analyze.dir_shown = argv[first];
	analyze.out = analyze.out_shown = out ? out : argv[first];
	analyze.how.elsewhere = true;
	status = check_run(&analyze, &err);
	analyze_close(&analyze);
	return status;
}
