/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster_options.c - see cluster_options.h. */
#include "cli/cluster_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cluster/cluster.h"
#include "image/tree.h"
#include "run/part.h"
#include "run/process.h"
#include "run/recorder.h"

#define SHARDS "shards"

static int usage_refuse(struct err *err, const char *sentence)
{
	err_set(err, "%s", sentence);
	return err_status(err, ERR_USAGE);
}

int cluster_options_check(const struct cluster_words *words, const struct analysis_words *judging, const char *shard,
			  struct err *err)
{
	if (!words->engine && words->nodes)
		return usage_refuse(err, "--nodes needs --cluster");
	if (!words->engine && words->args)
		return usage_refuse(err, "--cluster-args needs --cluster");
	if (words->nodes > PART_TOTAL_MAX)
		return usage_refuse(err, "--nodes is too large");
	if (words->engine && shard)
		return usage_refuse(err, "--cluster makes all shards, and --shard is one of them");
	if (words->engine && !strcmp(judging->mode, "in-place"))
		return usage_refuse(err,
				    "--cluster cannot run recovery in place: all shards would work on the same files");
	if (words->engine && !judging->recover)
		return usage_refuse(err, "--cluster needs --recover: without it no crash state is tested");
	return 0;
}

/* Command lines */

/* What a shard must know of the command line: what decides which crash states are tested, and how. */
static int shard_command(const struct analyze *a, struct words *command, struct err *err)
{
	char self[PATH_MAX];

	if (recorder_find_self(self, err) < 0)
		return -1;
	words_add(command, "%s", self);
	words_add(command, "--no-progress");
	words_add(command, "--quiet");
	words_add(command, "--fail-on=never");
	if (a->words->budget)
		words_add(command, "--budget=%s", a->words->budget);
	saved_options_words(a->options, command);
	words_add(command, "--");
	words_add(command, "%s", a->dir);
	return 0;
}

/* The report is made by the merge. */
static int merge_command(const struct analyze *a, const struct cluster *cluster, const char *dir, struct words *argv,
			 struct err *err)
{
	char self[PATH_MAX];

	if (recorder_find_self(self, err) < 0)
		return -1;
	words_add(argv, "%s", self);
	words_add(argv, "merge");
	words_add(argv, "--out=%s", a->out_shown);
	words_add(argv, "--format=%s", a->report->format);
	words_add(argv, "--color=%s", a->report->color);
	words_add(argv, "--fail-on=%s", a->report->fail_on);
	if (a->report->baseline)
		words_add(argv, "--baseline=%s", a->report->baseline);
	for (size_t i = 0; i < a->report->suppress.count; i++)
		words_add(argv, "--suppress=%s", a->report->suppress.items[i]);
	if (a->words->jobs)
		words_add(argv, "--jobs=%llu", (unsigned long long)a->words->jobs);
	if (a->words->write_suppressions)
		words_add(argv, "--write-suppressions=%s", a->words->write_suppressions);
	if (a->words->stats)
		words_add(argv, "--stats");
	if (!a->show_progress)
		words_add(argv, "--no-progress");
	if (a->quiet)
		words_add(argv, "--quiet");
	words_add(argv, "--");
	for (unsigned shard = 1; shard <= cluster_total(cluster); shard++)
		if (cluster_shard(cluster, shard)->has_results)
			words_add(argv, "%s/%u", dir, shard);
	return 0;
}

/* Messages */

static void note_print(void *arg, const char *sentence)
{
	struct analyze *a = arg;

	progress_clear(&a->progress);
	if (!a->quiet)
		fprintf(stderr, "%s\n", sentence);
}

static void progress_show(void *arg, const struct cluster_progress *progress)
{
	struct analyze *a = arg;

	progress_sharded(&a->progress, progress);
}

/* Name the shards that failed; true if there is one. */
static bool failures_name(const struct cluster *cluster, const char *dir, struct err *err)
{
	unsigned failed = 0;

	for (unsigned n = 1; n <= cluster_total(cluster); n++) {
		const struct cluster_shard *shard = cluster_shard(cluster, n);

		if (shard->state != SHARD_FAILED)
			continue;
		if (failed++)
			command_fail(err);
		err_set(err, "shard %u of %u failed %s: %s", n, cluster_total(cluster),
			shard->attempts == CLUSTER_ATTEMPTS ? "three times" : "for good", shard->problem);
		err_hint(err, "%.180s/%u.log has what it printed", dir, n);
	}
	return failed;
}

/* The work */

/* Processes of one machine share its cores. */
static unsigned jobs_of_shard(const struct analyze *a, const struct cluster_words *words)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (a->words->jobs)
		return a->how.testing.jobs;
	if (strcmp(words->engine, engine_local.name) != 0)
		return 0;
	if (!words->nodes || cores < (long)words->nodes)
		return 1;
	return (unsigned)cores / (unsigned)words->nodes;
}

static int merge_run(const struct analyze *a, const struct cluster *cluster, const char *dir, int *status,
		     struct err *err)
{
	struct words argv = {0};
	struct process_end end = {0};
	int r = merge_command(a, cluster, dir, &argv, err);

	if (r == 0) {
		struct process process = {.argv = argv.items};

		r = process_run(&process, &end, err);
	}
	words_free(&argv);
	if (r < 0)
		return -1;
	*status = end.interrupted ? STATUS_INTERRUPTED : end.status;
	return end.signal ? err_set(err, "blackout merge was killed by signal %d", end.signal) : 0;
}

static bool has_results(const struct cluster *cluster)
{
	for (unsigned n = 1; n <= cluster_total(cluster); n++)
		if (cluster_shard(cluster, n)->has_results)
			return true;
	return false;
}

/* Report what there is. */
static int parts_report(struct analyze *a, const struct cluster_words *words, const struct cluster *cluster,
			const char *dir)
{
	bool stopped = interrupt_seen();
	struct err err, failed;
	int status = STATUS_DONE;

	if (has_results(cluster) && merge_run(a, cluster, dir, &status, &err) < 0)
		return command_fail(&err);
	if (failures_name(cluster, dir, &failed) && !stopped)
		return command_fail(&failed);
	if (!stopped && status != STATUS_INTERRUPTED) {
		tree_remove(dir);
		return status;
	}
	analyze_say_tests_left(a, words->engine);
	return STATUS_INTERRUPTED;
}

static int shards_dir(const struct analyze *a, char dir[PATH_MAX], struct err *err)
{
	char out[PATH_MAX];

	if (!realpath(a->out, out))
		return err_sys(err, "cannot find %s", a->out_shown);
	return path_make(dir, PATH_MAX, err, "%s/" SHARDS, out);
}

int cluster_check(struct analyze *a, const struct cluster_words *words)
{
	char dir[PATH_MAX];
	struct words command = {0};
	struct cluster *cluster = NULL;
	struct cluster_options options = {
		.engine = engine_find(words->engine),
		.args = words->args,
		.shards = (unsigned)words->nodes,
		.jobs = jobs_of_shard(a, words),
		.dir = dir,
		.resume = a->words->resume,
		.command = &command,
		.stop = {.asked = interrupt_asked},
		.progress = a->show_progress && !a->quiet ? progress_show : NULL,
		.note = note_print,
		.arg = a,
	};
	struct err err;
	int status;

	if (shards_dir(a, dir, &err) < 0 || shard_command(a, &command, &err) < 0 ||
	    saved_options_write(a->options, a->out, &err) < 0 || cluster_open(&cluster, &options, &err) < 0 ||
	    cluster_run(cluster, &err) < 0) {
		progress_clear(&a->progress);
		status = command_fail(&err);
	} else {
		progress_clear(&a->progress);
		status = parts_report(a, words, cluster, dir);
	}
	cluster_close(cluster);
	words_free(&command);
	return status;
}
