/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mend.h - put back what processes that are dead by now left swapped (swap.h).
 *
 * Every command does so at its start, before anything touches a pool: what the journals name (journal.h), and what notes
 * say in the directories of paths that the user names, for where a journal was lost. */
#ifndef BLACKOUT_RUN_MEND_H
#define BLACKOUT_RUN_MEND_H

#include <stdbool.h>

#include "base/err.h"
#include "run/journal.h"

/* The variable of the environment that processes have which run in place: the owner, PID.START. */
#define MEND_MARK "BLACKOUT_IN_PLACE"

/* Who is told, in a sentence without a full stop, what was put back, kept, or could not be put back.  NULL: nobody. */
void mend_tell(void (*tell)(const char *sentence));

void mend_journals(void);

/* The files in this directory; and the directory of a path, and the path itself if it is a directory. */
void mend_dir(const char *dir);
void mend_path(const char *path);

/* The process that looked after recovery in place is dead, but its owner, we, not: kill what recovery started, and remove
 * what it made. */
void mend_run(const struct journal *journal);

/* -1 if a file that the path names (it may be a directory, or a glob) is swapped: by a process that lives, also after we
 * have waited for it for a while, or by one that is dead, and it could not be put back.  Such a file must not be the
 * target of anything. */
int mend_check(const char *path, struct err *err);

/* Does this path of a file that a program had open lie among crash states of ours? */
bool mend_is_state(const char *path);

#endif
