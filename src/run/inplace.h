/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace.h - put the crash state at the original paths, in the user's own directories.  This is the last resort, for
 * when no other mode works.
 *
 * Before a run, each of the user's PM files, under each of its names in these directories, is swapped for a link to the
 * state's file (swap.h).  A journal names them all (journal.h).  After the run they are put back.  Entries that
 * recovery was seen to create beside them are then removed (witness.h), and nothing else is: entries that other
 * processes created during the run stay, and scene.foreign_files lists them.  If the process that swapped the files is
 * killed, a process that was forked from it and knows the scene (keeper.h) puts them back.  If that one is killed too,
 * the next command does (mend.h). */
#ifndef BLACKOUT_RUN_INPLACE_H
#define BLACKOUT_RUN_INPLACE_H

#include "run/scene.h"

/* Open the locks and the journal.  Call this before forking the process that would put the files back for us.  Touches
 * no file. */
int inplace_open(struct scene *scene, struct err *err);

int inplace_put(struct scene *scene, struct err *err);
void inplace_restore(struct scene *scene);

/* Call this in a process that is about to become recovery.  It marks the environment, so that all processes that
 * recovery starts can be recognized.  If we die, the process that puts the files back kills them first, because they
 * might still write to the files. */
void inplace_mark(const struct scene *scene);

#endif
