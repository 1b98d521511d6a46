/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster_in.h - what the files of cluster.h share. */
#ifndef BLACKOUT_CLUSTER_CLUSTER_IN_H
#define BLACKOUT_CLUSTER_CLUSTER_IN_H

#include <limits.h>

#include "cluster/cluster.h"
#include "cluster/tally.h"

/* A shard, and its current attempt. */
struct work {
	struct cluster_shard shard;
	struct cluster_task task;
	struct tally tally;
	int64_t ended_ms; /* when its end was seen; 0: not yet */
};

struct cluster {
	struct cluster_options options;
	struct engine *engine;
	char dir[PATH_MAX], cwd[PATH_MAX], script[PATH_MAX], token[64];
	unsigned total;
	struct work *works;
	struct words blind;         /* nodes that cannot run shards */
	int64_t heard_ms, asked_ms; /* the engine's last answer, and our last question */
	struct err fatal;           /* every shard would fail so */
	bool is_fatal;
};

/* The folder (folder.c) */

/* How many parts an earlier run left; 0: none. */
unsigned folder_total(const struct cluster *cluster);

/* Make it, with everything that the shards need.  What is there is removed, unless it is resumed. */
int folder_make(const struct cluster *cluster, struct err *err);

/* What is there of a part? */
enum folder_part { PART_NONE, PART_BEGUN, PART_FINISHED };
enum folder_part folder_part(const struct cluster *cluster, unsigned shard);

/* The last error that the shard printed, without "blackout: "; "" if there is none. */
void folder_error(const struct cluster *cluster, unsigned shard, char *sentence, size_t size);

/* What has become of an attempt (attempt.c) */

/* The task has ended: is the shard done, is it to be repeated, or has it failed?  It stays under way while its results
 * have not arrived.  `stopping`: the shards were told to end. */
void attempt_end(struct cluster *cluster, struct work *work, bool stopping);

#endif
