/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mend.h - put back files that dead processes left swapped (swap.h).
 *
 * Every command does this when it starts, before anything touches a pool.  It handles the paths that the journals name
 * (journal.h).  In case a journal was lost, it also looks for notes in the directories of paths that the user names. */
#ifndef BLACKOUT_RUN_MEND_H
#define BLACKOUT_RUN_MEND_H

#include <stdbool.h>

#include "base/err.h"
#include "run/journal.h"

/* This environment variable marks processes that run in place.  Its value is the owner, PID.START. */
#define MEND_MARK "BLACKOUT_IN_PLACE"

/* Set the function that is told what was put back, kept, or could not be put back.  It gets sentences without a full
 * stop.  NULL: report nothing. */
void mend_tell(void (*tell)(const char *sentence));

void mend_journals(void);

/* mend_dir puts back the files in this directory. mend_path does so in the directory of the path, and in the path
 * itself if it is a directory. */
void mend_dir(const char *dir);
void mend_path(const char *path);

/* For when the process that looked after recovery in place is dead, but its owner (this process) is not: kill what
 * recovery started, and remove what it created. */
void mend_run(const struct journal *journal);

/* -1 if a file that the path names (it may be a directory or a glob) is swapped.  Either its owner is alive, and still
 * has the file swapped after we waited for a while; or its owner is dead, and the file could not be put back.  Such a
 * file must not be used for anything. */
int mend_check(const char *path, struct err *err);

/* Is this path, of a file that a program had open, inside one of our crash states? */
bool mend_is_state(const char *path);

#endif
