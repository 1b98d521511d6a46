/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace.h - the state at the original paths, in the user's own directories: for when nothing better works.
 *
 * Before a run each of the user's PM files, under each of its names in these directories, is swapped for a link to the
 * state's file (swap.h); a journal names them all (journal.h).  After the run they are put back.  What recovery was seen
 * to make beside them is removed then (witness.h), and nothing else: what others put there during a run stays, and
 * scene.strangers names it.  If the process that did it is killed, one that knows the scene by a fork (keeper.h) puts
 * them back; if that is killed too, the next command does (mend.h). */
#ifndef BLACKOUT_RUN_INPLACE_H
#define BLACKOUT_RUN_INPLACE_H

#include "run/scene.h"

/* Open locks and journal: before a process is forked that is to put the files back for us.  Nothing is touched. */
int inplace_open(struct scene *scene, struct err *err);

int inplace_put(struct scene *scene, struct err *err);
void inplace_restore(struct scene *scene);

/* In a process that is about to become recovery: whatever it starts is known by its environment, so that whoever puts
 * the files back for us when we are dead can kill it before.  It might still write to them. */
void inplace_mark(const struct scene *scene);

#endif
