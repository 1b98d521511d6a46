/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_check.c - `blackout check [options] DIR`: analyze an earlier recording again. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/earlier.h"
#include "cli/interrupt.h"

static struct analysis_words judging;
static struct operation_words operating;
static struct report_words reporting;
static struct cluster_words clustering;
static const char *out, *shard;
static bool progress, quiet;

/* clang-format off */
#define OWN_OPTIONS \
	{"resume", NULL, NULL, "continue where an earlier run or check was interrupted", OPTION_FLAG, &judging.resume}, \
	{"shard", "K/N", NULL, "test only part K of N of the crash states; blackout merge puts the parts together", OPTION_TEXT | OPTION_KEPT, &shard},
/* clang-format on */

static const struct option options[] = {
	EARLIER_OPTIONS(&judging, &operating, OWN_OPTIONS),
	CLUSTER_OPTIONS(&clustering),
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

/* "2/7" */
static bool shard_parse(const char *text, struct part *part)
{
	char *end;
	unsigned long index = strtoul(text, &end, 10), total = *end == '/' ? strtoul(end + 1, &end, 10) : 0;

	part->index = (uint32_t)index;
	part->total = (uint32_t)total;
	return *text >= '0' && *text <= '9' && !*end && end[-1] != '/' && index && index <= total &&
	       total <= PART_TOTAL_MAX;
}

static int check_shard(struct part *part, const char *dir, struct err *err)
{
	const char *budget = judging.budget ? judging.budget : "";
	int r = 0;

	if (!shard_parse(shard, part))
		r = err_set(err, "--shard needs a part and the number of parts, like 2/7, not '%s'", shard);
	else if (!out)
		r = err_set(err, "--shard needs --out: each part has a directory of its own");
	else if (strlen(budget) >= sizeof(part->budget))
		r = err_set(err, "--budget is too long");
	if (r < 0)
		return err_status(err, ERR_USAGE);
	strcpy(part->budget, budget);
	if (!realpath(dir, part->recording))
		return err_sys(err, "cannot read %s", dir);
	return part_identify(dir, &part->identity, err);
}

static int check_run(struct earlier *earlier, struct err *err)
{
	static struct part part;

	if (judging.resume && check_resume(&earlier->analyze, err) < 0)
		return command_fail(err);
	if (shard && check_shard(&part, earlier->analyze.dir, err) < 0)
		return command_fail(err);
	earlier->part = shard ? &part : NULL;
	if (cluster_options_check(&clustering, &judging, shard, err) < 0)
		return command_fail(err);
	earlier->clustering = clustering.engine ? &clustering : NULL;
	return earlier_run(earlier, err);
}

int cmd_check(int argc, char **argv)
{
	struct earlier earlier = {
		.analyze = {.words = &judging, .operation_words = &operating, .report = &reporting, .options = options},
		.operating = &operating,
	};
	struct analyze *analyze = &earlier.analyze;
	struct err err;
	int status, first = option_parse(&usage_check, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	interrupt_hear();
	analyze->show_progress = progress;
	analyze->quiet = quiet;
	analyze->dir = analyze->dir_shown = argv[first];
	analyze->out = analyze->out_shown = out ? out : argv[first];
	analyze->how.elsewhere = true;
	earlier.out = out;
	status = check_run(&earlier, &err);
	analyze_close(analyze);
	return status;
}
