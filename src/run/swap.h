/* SPDX-License-Identifier: GPL-2.0-or-later */
/* swap.h - replace one of the user's files by a link to a crash state, and put it back.
 *
 * These rules hold at every moment, so it does not matter when we are killed:
 *
 *  1. A note exists beside FILE before FILE is touched, until everything is as it was.  FILE.blackout-aside-OWNER is
 *     the user's own file, or becomes it.  FILE.blackout-absent-OWNER says that there was no file.  OWNER is the
 *     process that swapped it, as PID.START (base/owner.h).
 *  2. FILE and its note change places in one step (RENAME_EXCHANGE).  If the file system cannot do that, the user's
 *     file has both names (a hard link) while the link is renamed over FILE.  Only if there are no hard links either,
 *     nothing is at FILE for a moment.
 *  3. The link goes through a descriptor of the owner, /proc/PID/fd/N/NAME.  When the owner dies it leads nowhere.  So
 *     no program can mistake a crash state for the user's data then, and nothing that it writes can be lost.
 *  4. When the user's file comes back, FILE is our link, or nothing.  Anything else is somebody's work, and is kept as
 *     FILE.blackout-kept-N. */
#ifndef BLACKOUT_RUN_SWAP_H
#define BLACKOUT_RUN_SWAP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/owner.h"

/* Make the path lead to NAME in a directory that we have open; NULL: to nothing. -1: call swap_back. */
int swap_out(const char *path, int dir, const char *name, struct err *err);

enum swap_result {
	SWAP_NONE, /* the path was not, or is no longer, swapped */
	SWAP_RESTORED,
	SWAP_FAILED, /* the note stays for the next attempt; errno says why */
};

/* Put back what this owner swapped.  If `kept` is not NULL, *kept becomes the path under which another file was kept
 * (the caller frees it), or NULL. */
enum swap_result swap_back(const char *path, const struct owner *owner, char **kept);

/* Get the owner from the name of a note, and the length of the file's name in it; false if it is not a note. */
bool swap_note_parse(const char *name, struct owner *owner, size_t *length);

/* The path of the user's own file while it is swapped; the caller frees it. */
char *swap_aside(const char *path, const struct owner *owner);

#endif
