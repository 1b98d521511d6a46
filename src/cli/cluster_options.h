/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster_options.h - the options of `run` and `check` that divide the crash states among shards, and the command that
 * does it: start the shards, wait for them, put their parts together.
 *
 *     static struct cluster_words clustering;
 *     static const struct option options[] = {..., CLUSTER_OPTIONS(&clustering), {0}};
 *     ...
 *     if (cluster_options_check(&clustering, &judging, shard, &err) < 0) ...
 *     if (clustering.engine)
 *             return cluster_check(&analyze, &clustering);      // instead of analyze_finish */
#ifndef BLACKOUT_CLI_CLUSTER_OPTIONS_H
#define BLACKOUT_CLI_CLUSTER_OPTIONS_H

#include "cli/analyze.h"
#include "cluster/engine.h"

/* As on the command line. */
struct cluster_words {
	const char *engine, *args; /* NULL: not given */
	uint64_t nodes;            /* 0: not given */
};

/* clang-format off */
#define CLUSTER_OPTIONS(o) \
	OPTION_GROUP("Many machines"), \
	{"cluster", OPTION_VALUES(ENGINES(ENGINE_BAR)), NULL, "test crash states in shards: processes of this machine, or an array job of Slurm", OPTION_TEXT, &(o)->engine}, \
	{"nodes", "N", NULL, "how many shards (default: one for each core, or for each node of Slurm)", OPTION_NUMBER, &(o)->nodes}, \
	{"cluster-args", "WORDS", NULL, "options for sbatch, in one word: '--partition=pmem --time=60'", OPTION_TEXT, &(o)->args}
/* clang-format on */

/* Do the options make sense together?  `shard`: as of --shard, or NULL.  -1, ERR_USAGE. */
int cluster_options_check(const struct cluster_words *words, const struct analysis_words *judging, const char *shard,
			  struct err *err);

/* Test the crash states of the recording in shards, and report.  Returns the exit status. */
int cluster_check(struct analyze *analyze, const struct cluster_words *words);

#endif
