/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_merge.c - `blackout merge --out OUT DIR...`: put the results of shards (check --shard) together.
 *
 * It does what `check` does, with the options that the parts remember, on the recording that they name.  Only the
 * verdicts on crash states come from the parts (crash/shard.h). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/earlier.h"
#include "cli/interrupt.h"

static struct analysis_words judging;
static struct operation_words operating;
static struct report_words reporting;
static const char *out, *write_suppressions;
static uint64_t jobs;
static bool progress, quiet, stats;

static const struct option options[] = {
	OPTION_GROUP("Causes"),
	{"jobs", "N", "0", "recovery workers; 0: one for each core", OPTION_NUMBER, &jobs},
	{"stats", NULL, NULL, "list the segments with the most crash states", OPTION_FLAG, &stats},
	{"write-suppressions", "FILE", NULL, "write a suppression for each finding to FILE", OPTION_TEXT,
	 &write_suppressions},
	REPORT_OPTIONS(&reporting, "error", REPORTS_PRINTED),
	{"out", "DIR", NULL, "directory for the reports", OPTION_TEXT, &out},
	OPTION_PROGRESS(&progress),
	OPTION_QUIET(&quiet),
	{0},
};

/* What the parts remember. */
static const struct option remembered[] = {
	EARLIER_OPTIONS(&judging, &operating, ),
	{0},
};

const struct usage usage_merge = {
	.command = "merge",
	.operands = "DIR...",
	.about = "Put the results of blackout check --shard together: the directories of all parts\n"
		 "give the findings that one check would have given.",
	.options = options,
	.operand = OPERAND_RECORDING,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
};

/* The parts on the command line. */
struct merge {
	struct part first;
	char **dirs;
	size_t count;
	size_t *at; /* by index of a part, from 1: 1 + its place among the directories; 0: missing */
	VEC_OF(uint32_t) missing;
	VEC_OF(uint32_t) cut;
};

static int part_refuse(struct err *err)
{
	return err_status(err, ERR_USAGE);
}

/* Is it a part of the same, that was not given before? */
static int part_check(struct merge *m, const struct part *part, size_t place, struct err *err)
{
	const char *dir = m->dirs[place], *first = m->dirs[0];
	struct saved_options differs;

	if (part->total != m->first.total)
		err_set(err, "%s is one of %u parts, but %s is one of %u", dir, part->total, first, m->first.total);
	else if (part->identity != m->first.identity)
		err_set(err, "%s and %s are of different recordings", first, dir);
	else if (m->at[part->index])
		err_set(err, "%s and %s are both part %u", m->dirs[m->at[part->index] - 1], dir, part->index);
	else if (saved_options_compare(remembered, dir, &differs), *differs.changed)
		err_set(err, "%s and %s were made with different options: %s", first, dir, differs.changed);
	else if (!*part->budget != !*m->first.budget)
		err_set(err, "of %s and %s, only one was made with --budget", first, dir);
	else
		return 0;
	return part_refuse(err);
}

static int part_add(struct merge *m, const struct part *part, size_t place, struct err *err)
{
	if (part_check(m, part, place, err) < 0)
		return -1;
	m->at[part->index] = 1 + place;
	if (!part->complete)
		vec_push(&m->cut, part->index);
	return 0;
}

/* The parts name a recording; is it still there, and the same? */
static int recording_check(const struct merge *m, struct err *err)
{
	uint64_t identity;

	if (part_identify(m->first.recording, &identity, err) < 0) {
		err_hint(err, "%.100s was made from the recording there", m->dirs[0]);
		return -1;
	}
	if (identity == m->first.identity)
		return 0;
	err_set(err, "the recording in %s is not the one that %s was made from", m->first.recording, m->dirs[0]);
	return part_refuse(err);
}

static int parts_read(struct merge *m, struct err *err)
{
	struct saved_options ignored;
	struct part part;

	if (part_read(&m->first, m->dirs[0], err) < 0 || recording_check(m, err) < 0)
		return -1;
	m->at = mem_alloc((m->first.total + 1) * sizeof(*m->at));
	options_reset(remembered);
	saved_options_read(remembered, m->dirs[0], &ignored);
	for (size_t i = 0; i < m->count; i++)
		if (part_read(&part, m->dirs[i], err) < 0 || part_add(m, &part, i, err) < 0)
			return -1;
	for (uint32_t i = 1; i <= m->first.total; i++)
		if (!m->at[i])
			vec_push(&m->missing, i);
	return 0;
}

/* The merge would make a part a directory like others. */
static int out_check(const struct merge *m, struct err *err)
{
	struct stat to, st;

	if (!out) {
		err_set(err, "merge needs --out: a directory for the reports");
		return part_refuse(err);
	}
	for (size_t i = 0; stat(out, &to) == 0 && i < m->count; i++) {
		if (stat(m->dirs[i], &st) < 0 || st.st_dev != to.st_dev || st.st_ino != to.st_ino)
			continue;
		err_set(err, "--out %s is one of the parts", out);
		return part_refuse(err);
	}
	return 0;
}

static int merge_run(struct merge *m, struct earlier *earlier, struct err *err)
{
	struct analyze *analyze = &earlier->analyze;

	if (out_check(m, err) < 0 || parts_read(m, err) < 0)
		return command_fail(err);
	const struct shard_parts parts = {
		.dirs = (const char *const *)m->dirs,
		.count = m->count,
		.total = m->first.total,
		.missing = m->missing.at,
		.missing_count = m->missing.count,
		.cut = m->cut.at,
		.cut_count = m->cut.count,
		.whole = !m->missing.count && !m->cut.count,
	};

	judging.jobs = jobs;
	judging.stats = stats;
	judging.write_suppressions = write_suppressions;
	judging.budget = *m->first.budget ? m->first.budget : NULL;
	analyze->parts = &parts;
	analyze->dir = analyze->dir_shown = m->first.recording;
	return earlier_run(earlier, err);
}

int cmd_merge(int argc, char **argv)
{
	struct earlier earlier = {
		.analyze = {.words = &judging,
			    .operation_words = &operating,
			    .report = &reporting,
			    .options = remembered},
		.operating = &operating,
	};
	struct analyze *analyze = &earlier.analyze;
	struct merge merge = {0};
	struct err err;
	int status, first = option_parse(&usage_merge, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	interrupt_hear();
	merge.dirs = argv + first;
	merge.count = (size_t)(argc - first);
	analyze->show_progress = progress;
	analyze->quiet = quiet;
	analyze->out = analyze->out_shown = earlier.out = out;
	analyze->how.elsewhere = true;
	status = merge_run(&merge, &earlier, &err);
	analyze_close(analyze);
	free(merge.at);
	vec_free(&merge.missing);
	vec_free(&merge.cut);
	return status;
}
