/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - removing directories that somebody else has written to. */
#ifndef BLACKOUT_IMAGE_TREE_H
#define BLACKOUT_IMAGE_TREE_H

#include <stdbool.h>

/* Remove a file, or a directory with all that is in it, never following a link.  Permissions that were taken away are
 * no obstacle to the owner.  What cannot be removed stays; false then, with errno set. */
bool tree_remove(const char *path);

/* The same for an entry of an open directory. */
bool tree_remove_at(int dir, const char *name);

/* Call for each entry of an open directory but "." and "..", until one returns false; the directory stays open.  False
 * if one did, or if it cannot be read. */
bool tree_each(int dir, bool (*entry)(void *arg, int dir, const char *name), void *arg);

#endif
