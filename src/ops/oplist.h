/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oplist.h - a list of operations, as `--ops` and `--probe` name it: a file with one operation a line.
 *
 *     struct oplist *list;
 *     if (oplist_read(&list, path, &err) < 0)
 *             return -1;                           // missing, a directory, empty
 *     oplist_excerpt(list, 17, text, sizeof(text)); // "put k7 1337"
 *     struct oplist_bytes left = oplist_bytes(list, 18, SIZE_MAX);
 *
 * Operations count from 0.  An operation is all bytes up to a newline, which belongs to it, or to the end of the file:
 * empty lines, comments, a carriage return before the newline and zero bytes are nothing special.  The list is in
 * memory: the file may be a pipe, and may change afterwards. */
#ifndef BLACKOUT_OPS_OPLIST_H
#define BLACKOUT_OPS_OPLIST_H

#include <stddef.h>

#include "base/err.h"

struct oplist;

/* Adjacent operations, byte by byte as in the file; valid as long as the list. */
struct oplist_bytes {
	const char *at;
	size_t size;
};

/* Read a list; it has at least one operation.  Free it with oplist_free.  -1: ERR_USAGE. */
int oplist_read(struct oplist **list, const char *path, struct err *err);
void oplist_free(struct oplist *list);

size_t oplist_count(const struct oplist *list);

/* The operations from `first` on, at most `max`.  None are left if `first` is the number of operations. */
struct oplist_bytes oplist_bytes(const struct oplist *list, size_t first, size_t max);

/* The text of one operation, for messages (excerpt.h). */
void oplist_excerpt(const struct oplist *list, size_t index, char *text, size_t room);

#endif
