/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - remove directories that another program has written to. */
#ifndef BLACKOUT_IMAGE_TREE_H
#define BLACKOUT_IMAGE_TREE_H

#include <stdbool.h>

/* Remove a file, or a directory with everything in it, without following links.  Missing permissions on a directory are
 * added if this user owns it.  Whatever cannot be removed stays; the result is then false, with errno set. */
bool tree_remove(const char *path);

/* The same for an entry of an open directory. */
bool tree_remove_at(int dir, const char *name);

/* Call `entry` for each entry of an open directory except "." and "..", until it returns false.  The directory stays
 * open.  Return false if a call did, or if the directory cannot be read. */
bool tree_each(int dir, bool (*entry)(void *arg, int dir, const char *name), void *arg);

#endif
