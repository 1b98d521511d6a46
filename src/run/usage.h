/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.h - measure how much recovery writes.
 *
 * What recovery writes beside the PM files, or beyond their ends, goes into the scene, which is in memory (scene.h).
 * The kernel has no limit for this that we could set, so we check the scene while recovery runs and when it has ended.
 * Filling a PM file up to its size is not counted, because the state may be that large. */
#ifndef BLACKOUT_RUN_USAGE_H
#define BLACKOUT_RUN_USAGE_H

#include "base/map.h"
#include "run/scene.h"

struct usage {
	struct map allowed; /* size in bytes, by device and inode, of the files that existed before */
};

/* Recovery is about to run: record what exists. */
void usage_begin(struct usage *usage, const struct scene *scene);

/* Has it written more than `limit` bytes since usage_begin? */
bool usage_exceeds(const struct usage *usage, const struct scene *scene, uint64_t limit);

void usage_free(struct usage *usage);

#endif
