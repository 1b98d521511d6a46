/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace.h - the state at the original paths, in the user's own directories: for when nothing better works.
 *
 * Before a run each of the user's PM files, under each of its names in these directories, is renamed to
 * FILE.blackout-aside-PID (where there is none, FILE.blackout-absent-PID notes that), and a symbolic link to the
 * state's file takes its place.  After the run it is put back.  What recovery was seen to make beside it is removed
 * then (witness.h), and nothing else: what others put there during a run stays, and scene.strangers names it; if it
 * took the very place of a PM file, it is FILE.blackout-kept-N afterwards.  If we are killed in between, the names tell
 * the next start all it needs (inplace_mend). */
#ifndef BLACKOUT_RUN_INPLACE_H
#define BLACKOUT_RUN_INPLACE_H

#include <sys/types.h>

#include "run/scene.h"

int inplace_put(struct scene *scene, pid_t owner, struct err *err);
void inplace_restore(struct scene *scene, pid_t owner);

/* Put back what processes that are dead by now left behind. */
void inplace_mend(const struct origin *origin);

#endif
