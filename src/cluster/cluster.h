/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster.h - run all shards of a check through an engine, and repeat those that fail.
 *
 *     struct cluster_options options = {.engine = engine_find("slurm"), .shards = 8, .dir = ".../shards", ...};
 *     struct cluster *cluster;
 *     if (cluster_open(&cluster, &options, &err) < 0) ...      // the engine cannot be used; nothing was started
 *     r = cluster_run(cluster, &err);                          // returns when no shard runs any more
 *     ... cluster_total, cluster_shard ...
 *     cluster_close(cluster);
 *
 * DIR/1, DIR/2, ... are the parts, as of `blackout check --shard`; DIR/1.log, ... are what these printed.  A shard that fails is run again, from its journal, up to CLUSTER_ATTEMPTS times.  A node that
 * does not see the folder, the working directory or Blackout is not a failure of the shard: the shard is run on another
 * node. */
#ifndef BLACKOUT_CLUSTER_CLUSTER_H
#define BLACKOUT_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/stop.h"
#include "cluster/engine.h"

enum { CLUSTER_ATTEMPTS = 3 };

struct cluster_progress {
	unsigned total, done, failed, running, waiting;
	uint64_t states;       /* tested so far, by all of them */
	const char *waits_for; /* what the engine says about one that waits; "": nothing */
};

struct cluster_options {
	const struct engine_ops *engine;
	const char *args;            /* for the engine; NULL: none */
	unsigned shards;             /* 0: as many as the engine has places for */
	unsigned jobs;               /* of each shard; 0: as many as the engine gives it processors */
	const char *dir;             /* absolute; made if it is not there */
	bool resume;                 /* keep the parts that are there */
	const struct words *command; /* task.h */
	struct stop stop;
	void (*progress)(void *arg, const struct cluster_progress *progress);
	/* Something went wrong and is dealt with: one sentence. */
	void (*note)(void *arg, const char *sentence);
	void *arg;
};

enum shard_state { SHARD_TO_DO, SHARD_UNDER_WAY, SHARD_DONE, SHARD_FAILED };

struct cluster_shard {
	enum shard_state state;
	unsigned attempts;
	bool has_results; /* there is something to merge, if not all */
	char *problem;    /* of its last attempt that failed; NULL: none did */
};

struct cluster;

int cluster_open(struct cluster **cluster, const struct cluster_options *options, struct err *err);

/* -1: it makes no sense to go on, and all shards were cancelled; err->status is ERR_USAGE if every shard refuses
 * its command line.  If the user stops it, the shards are cancelled, and those that are not complete stay SHARD_TO_DO. */
int cluster_run(struct cluster *cluster, struct err *err);

unsigned cluster_total(const struct cluster *cluster);
const struct cluster_shard *cluster_shard(const struct cluster *cluster, unsigned number);

void cluster_close(struct cluster *cluster);

#endif
