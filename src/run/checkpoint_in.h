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
struct checkpoints_wish {
	bool walk;
	unsigned from;
};

struct checkpoints {
	struct walk_block *plan; /* for the walk that was asked for; NULL: none was */
	struct checkpoints_wish wish;

	struct walk_block *block; /* of the last walk, mapped; NULL: there was none */
	struct checkpoint_server servers[CHECKPOINTS_MAX];
	unsigned count;
	struct checkpoint_file *files; /* of the origin's paths */
	size_t file_count;
};

void checkpoints_open(struct checkpoints *checkpoints);
/* Forget wishes, too. */
void checkpoints_close(struct checkpoints *checkpoints);

void checkpoints_plan(struct checkpoints *checkpoints, const struct checkpoint_plan *plan);

/* What was asked for; each wish is for one run. */
struct checkpoints_wish checkpoints_wish(struct checkpoints *checkpoints);

/* Prepare the walk that was asked for.  False: it cannot be done, and the run is an ordinary one. */
bool checkpoints_begin(struct checkpoints *checkpoints, const struct control *control, const struct scene *scene);
/* The walk is over. */
void checkpoints_take(struct checkpoints *checkpoints);

/* Have the files changed in a way that checkpoints do not survive? */
bool checkpoints_outdated(const struct checkpoints *checkpoints, const struct scene *scene);

/* Tell the servers to end, and forget the walk. */
void checkpoints_drop(struct checkpoints *checkpoints);

#endif
