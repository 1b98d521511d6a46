/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_report.c - `blackout report [options] DIR`: print the findings of an earlier run in another format. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/drawings.h"
#include "analysis/silencers.h"
#include "base/path.h"
#include "cli/command.h"
#include "cli/report_options.h"
#include "report/reader.h"

static struct report_words given;

static const struct option options[] = {
	REPORT_OPTIONS(&given, "never", REPORTS),
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

/* findings.json does not contain the drawings of report.html.  They need the recording. */
static int drawings_restore(struct findings *findings, const char *dir, struct err *err)
{
	char trace[PATH_MAX];
	struct stat st;

	if (path_make(trace, sizeof(trace), err, "%s/trace", dir) < 0)
		return -1;
	if (stat(trace, &st) == 0)
		return drawings_make(findings, dir, err);
	fprintf(stderr, "note: there is no recording in %s, so the page has no drawings of cache lines\n", dir);
	return 0;
}

/* Returns the exit status, or -1. */
static int findings_report(struct findings *findings, const struct silencers *silencers, const char *dir,
			   struct err *err)
{
	const struct printing printing = printing_parse(&given);

	if (printing.format == REPORT_HTML && drawings_restore(findings, dir, err) < 0)
		return -1;
	silencers_apply(silencers, findings);
	if (printing_report(&printing, findings, dir, err) < 0)
		return -1;
	return printing_status(&printing, findings);
}

int cmd_report(int argc, char **argv)
{
	struct silencers silencers;
	struct findings *findings = NULL;
	char path[PATH_MAX];
	struct err err;
	int status, first = option_parse(&usage_report, argc, argv, &status);

	if (!first)
		return status;
	status = silencers_read(&silencers, given.suppress.items, given.suppress.count, given.baseline, &err);
	if (status == 0)
		status = json_find(path, argv[first], &err);
	if (status == 0)
		status = findings_read(&findings, path, &err);
	if (status == 0)
		status = findings_report(findings, &silencers, argv[first], &err);
	findings_free(findings);
	silencers_free(&silencers);
	return status < 0 ? command_fail(&err) : status;
}
