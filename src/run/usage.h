/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.h - how much does recovery write?
 *
 * What it writes beside the PM files, or beyond their ends, goes into the scene, and that is in memory (scene.h).  The
 * kernel has no limit for this that we could set, so we look at the scene while recovery runs, and when it has ended.
 * Filling a PM file up to its size is free: the state could be that large. */
#ifndef BLACKOUT_RUN_USAGE_H
#define BLACKOUT_RUN_USAGE_H

#include "base/map.h"
#include "run/scene.h"

struct usage {
	struct map allowed; /* bytes, by device and inode, of the files that were there before */
};

/* Recovery is about to run: take note of what is there. */
void usage_begin(struct usage *usage, const struct scene *scene);

/* Has it written more than `limit` bytes since? */
bool usage_exceeds(const struct usage *usage, const struct scene *scene, uint64_t limit);

void usage_free(struct usage *usage);

#endif
