/* SPDX-License-Identifier: GPL-2.0-or-later */
/* swap.h - one path of the user: a link to a crash state takes its place, and the file comes back.
 *
 * The rules, which hold at every moment, so that it does not matter when we are killed:
 *
 *  1. A note stands beside FILE before FILE is touched, until all is as it was.  FILE.blackout-aside-OWNER is the user's
 *     own file, or becomes it; FILE.blackout-absent-OWNER says that there was none.  OWNER is the process that did it, as
 *     PID.START (base/owner.h).
 *  2. FILE and its note change places in one step (RENAME_EXCHANGE).  Where the file system cannot do that, the user's
 *     file has both names (a hard link) while the link is renamed over FILE; and only where it has no hard links either,
 *     there is nothing at FILE for a moment.
 *  3. The link leads through a descriptor of the owner, /proc/PID/fd/N/NAME.  When the owner dies it leads nowhere: no
 *     program takes a crash state for the user's data then, and nothing that it writes can be lost.
 *  4. What is at FILE when the user's file comes back is our link, or nothing; anything else is somebody's work, and is
 *     kept as FILE.blackout-kept-N. */
#ifndef BLACKOUT_RUN_SWAP_H
#define BLACKOUT_RUN_SWAP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/owner.h"

/* Let the path lead to NAME in a directory of which we have the descriptor; NULL: to nothing.  -1: call swap_back. */
int swap_out(const char *path, int dir, const char *name, struct err *err);

enum swap_result {
	SWAP_NONE, /* it was not, or no longer, swapped */
	SWAP_RESTORED,
	SWAP_FAILED, /* the note stays, for the next attempt; errno says why */
};

/* Put back what this owner swapped.  If `kept` is not NULL, *kept is the path under which another file was kept, for the
 * caller to free, or NULL. */
enum swap_result swap_back(const char *path, const struct owner *owner, char **kept);

/* The owner that the name of a note carries, and the length of the name of its file; false if it is none. */
bool swap_note_parse(const char *name, struct owner *owner, size_t *length);

/* The path of the user's own file while it is swapped, for the caller to free. */
char *swap_aside(const char *path, const struct owner *owner);

#endif
