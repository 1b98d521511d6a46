/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.h - copies of recovery that are stopped on its way, and go on with other states.
 *
 *     recovery_walk(r, worker, NULL, 0);            // the worker's next run logs what it touches
 *     recovery_start(r, worker, ...);
 *     events = recovery_walked(r, worker, &count);
 *
 *     recovery_walk(r, worker, &plan, plan.count);  // the next run leaves a checkpoint at each stop
 *     recovery_start(r, worker, ...);
 *     for (k = 1; k <= recovery_checkpoints(r, worker); k++) ...
 *
 *     recovery_from(r, worker, 2);                  // the next run begins at the second checkpoint
 *     recovery_start(r, worker, ...);               // outcome.from says whether it did
 *
 * A walk is a run from the start, and has an ordinary outcome.  It logs the first access to each page of a PM file, and
 * what is read from PM files by system calls, until recovery does something that a copy of the process would share with
 * it: threads, output, files that it writes...
 *
 * The caller decides whether a state may begin at a checkpoint: all that recovery had read until then must be the same
 * in both states, and so must be existence and sizes of the files.  That holds for the state of the walk, too.  Then the
 * outcome is that of a run from the start, if recovery depends on nothing but its PM files.  Its `seconds` and its time
 * limit include the time from the start to the checkpoint.
 *
 * A run on undecided lines (lazy.h) may begin at a checkpoint, too, if recovery has neither read nor stored to a byte of
 * an undecided line before it.
 *
 * Checkpoints are lost when the worker's fork server is, when the operations change, when the files of the stage get
 * other sizes or are created anew, and when recovery runs on the stage in another mode.  A run that should have begun at
 * a lost checkpoint, or that is refused there, begins at the start.  A walk in another mode than the fork server is just
 * a run. */
#ifndef BLACKOUT_RUN_CHECKPOINT_H
#define BLACKOUT_RUN_CHECKPOINT_H

#include "protocol/walk_block.h"
#include "run/recovery.h"

enum { CHECKPOINTS_MAX = WALK_STOPS };

/* Just before a touch; or, if there are visits, just before the last of these visits after it (protocol/walk_block.h). */
struct checkpoint_stop {
	size_t event; /* the touch: its number in the events of an earlier walk */
	uint32_t visits;
	uint64_t hash;                   /* of the visits */
	const struct walk_range *stored; /* the bytes that recovery has stored to before it, by file and offset */
	size_t stored_count;
};

struct checkpoint_plan {
	const struct walk_event
		*way; /* the events of that walk: one that takes another way leaves no more checkpoints */
	size_t way_count;
	size_t count;
	struct checkpoint_stop stops[CHECKPOINTS_MAX]; /* by event */
};

/* The worker's next run is a walk, which leaves checkpoints at the first `stops` of the plan.  NULL: at none.  The plan is
 * copied. */
void recovery_walk(struct recovery *recovery, unsigned worker, const struct checkpoint_plan *plan, size_t stops);

/* What the worker's last walk logged; valid until its next walk, or until its checkpoints are lost.  Files are numbered
 * by their paths, sorted. */
const struct walk_event *recovery_walked(const struct recovery *recovery, unsigned worker, size_t *count);

/* Did that walk log all that recovery did, to its end? */
bool recovery_walked_all(const struct recovery *recovery, unsigned worker);

/* How many checkpoints the worker has: the first ones of its last plan.  They are numbered from 1. */
unsigned recovery_checkpoints(const struct recovery *recovery, unsigned worker);

/* The time from the start of recovery to the checkpoint. */
double recovery_checkpoint_seconds(const struct recovery *recovery, unsigned worker, unsigned checkpoint);

/* The worker's next run begins at this checkpoint; 0: at the start. */
void recovery_from(struct recovery *recovery, unsigned worker, unsigned checkpoint);

#endif
