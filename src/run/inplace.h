/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace.h - the state at the original paths, in the user's own directories: for when nothing better works.
 *
 * Before a run each of the user's PM files is renamed to FILE.blackout-aside-PID (where there is none, FILE.blackout-absent-PID notes that), and a symbolic
 * link to the state's file takes its place.  After the run it is put back, and what appeared in the directories meanwhile is taken for the work of recovery and removed.  If we are killed in between, the names tell the next start all it needs
 * (inplace_mend). */
#ifndef BLACKOUT_RUN_INPLACE_H
#define BLACKOUT_RUN_INPLACE_H

#include <sys/types.h>

#include "run/scene.h"

int inplace_put(struct scene *scene, pid_t owner, struct err *err);
void inplace_restore(struct scene *scene, pid_t owner);

/* Put back what processes that are dead by now left behind. */
void inplace_mend(const struct origin *origin);

#endif
