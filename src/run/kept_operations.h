/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept_operations.h - what a recording keeps of the operations that its program performed, so that `check` needs no
 * other file.
 *
 *     DIR/operations/list      the operations, one a line: the copy that the program read
 *     DIR/operations/output    what it printed, or wrote to {out}
 *
 *     struct kept_operations kept;
 *     if (kept_operations_at(&kept, dir, &err) < 0 || kept_operations_write(&kept, list, &err) < 0) ...
 *     ... the program reads kept.list, and writes kept.output ...
 *
 * The trace says how operations are recognized in it (its META "op_marks"). */
#ifndef BLACKOUT_RUN_KEPT_OPERATIONS_H
#define BLACKOUT_RUN_KEPT_OPERATIONS_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "ops/oplist.h"

#define KEPT_OPERATIONS "operations"
#define KEPT_OUTPUT KEPT_OPERATIONS "/output"

struct kept_operations {
	char dir[PATH_MAX], list[PATH_MAX], output[PATH_MAX];
};

/* The paths in this recording.  -1: they are too long. */
int kept_operations_at(struct kept_operations *kept, const char *dir, struct err *err);

/* Write a list to a file. */
int operations_write_to(const char *path, const struct oplist *list, struct err *err);

/* Write the list, and an empty output. */
int kept_operations_write(const struct kept_operations *kept, const struct oplist *list, struct err *err);

/* Does the recording keep a list? */
bool kept_operations_exist(const struct kept_operations *kept);

/* Remove them from a recording, if there are any.  -1: errno says why not. */
int kept_operations_remove(int recording);

#endif
