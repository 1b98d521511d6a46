/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_report.c - `blackout report [options] DIR`: print the findings of an earlier run in another format. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/verdict.h"
#include "base/path.h"
#include "cli/command.h"
#include "report/reader.h"

static struct verdict_options judging;

static const struct option options[] = {
	VERDICT_OPTIONS(&judging, "never", REPORTS),
	{0},
};

const struct usage usage_report = {
	.command = "report",
	.operands = "DIR",
	.about = "Print the findings that `run` or `check` left in DIR.",
	.options = options,
	.operand = OPERAND_RECORDING,
	.operands_min = 1,
	.operands_max = 1,
};

static int json_find(char path[PATH_MAX], const char *dir, struct err *err)
{
	struct stat st;

	if (path_make(path, PATH_MAX, err, "%s/%s", dir, report_file(REPORT_JSON)) < 0)
		return err_status(err, ERR_USAGE);
	if (stat(path, &st) == 0)
		return 0;
	err_sys(err, "cannot read %s", path);
	if (stat(dir, &st) == 0)
		return err_hint(err, "blackout check %s", dir);
	return err_status(err, ERR_USAGE);
}

static int report_run(struct verdict *verdict, const char *dir, struct err *err)
{
	struct findings *findings;
	char path[PATH_MAX];
	int status;

	if (verdict_prepare(verdict, &judging, err) < 0)
		return -1;
	if (json_find(path, dir, err) < 0 || findings_read(&findings, path, err) < 0)
		return -1;
	status = verdict_repeat(verdict, findings, dir, err);
	findings_free(findings);
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct verdict verdict = {0};
	struct err err;
	int status, first = option_parse(&usage_report, argc, argv, &status);

	if (!first)
		return status;
	status = report_run(&verdict, argv[first], &err);
	verdict_free(&verdict);
	return status < 0 ? command_fail(&err) : status;
}
