/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint_in.h - the checkpoints of a worker (checkpoint.h). */
#ifndef BLACKOUT_RUN_CHECKPOINT_IN_H
#define BLACKOUT_RUN_CHECKPOINT_IN_H

#include "run/checkpoint.h"
#include "run/control.h"
#include "run/scene.h"

struct checkpoint_server {
	int request; /* its FIFO; -1: none */
	int watch;   /* becomes readable when it is dead; -1: it is not there */
};

/* A file of the stage, as it was at the walk. */
struct checkpoint_file {
	uint64_t inode, size; /* 0, 0: it did not exist */
};

/* What the next run is to be. */
struct checkpoint_wish {
	bool walk;
	unsigned from;
};

struct checkpoint_set {
	struct walk_block *plan; /* for the walk that was asked for; NULL: none was */
	struct checkpoint_wish wish;

	struct walk_block *block; /* of the last walk, mapped; NULL: there was none */
	struct checkpoint_server servers[CHECKPOINTS_MAX];
	unsigned count;
	struct checkpoint_file *files; /* of the origin's paths */
	size_t file_count;
};

void checkpoint_set_open(struct checkpoint_set *set);
/* Forget wishes, too. */
void checkpoint_set_close(struct checkpoint_set *set);

void checkpoint_set_plan(struct checkpoint_set *set, const struct checkpoint_plan *plan, size_t stops);

/* What was asked for; each wish is for one run. */
struct checkpoint_wish checkpoint_set_wish(struct checkpoint_set *set);

/* Prepare the walk that was asked for.  False: it cannot be done, and the run is an ordinary one. */
bool checkpoint_set_begin(struct checkpoint_set *set, const struct control *control, const struct scene *scene);
/* The walk is over. */
void checkpoint_set_take(struct checkpoint_set *set);

/* Have the files changed in a way that checkpoints do not survive? */
bool checkpoint_set_outdated(const struct checkpoint_set *set, const struct scene *scene);

/* Tell the servers to end, and forget the walk. */
void checkpoint_set_drop(struct checkpoint_set *set);

#endif
