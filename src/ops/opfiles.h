/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opfiles.h - the files that `{ops}` names: the operations that a command is to perform now.
 *
 *     struct opfiles *files = opfiles_new(list, folder);
 *     const char *path = opfiles_get(files, &(struct opfiles_part){.first = i + 1, .max = SIZE_MAX}, &err);
 *     ... run recovery on the crash states inside operation i ...
 *     opfiles_drop(files, path);                      // the last one to drop it removes the file
 *     opfiles_free(files);
 *
 * All who need the same operations at the same time share one file, so get it once for all crash states of an
 * operation.  Making one costs as much as writing the operations that are left, which is less than what recovery does
 * with them.  A probe is a list of its own, with opfiles of its own.
 *
 * A path never needs quotes unless `folder` does. */
#ifndef BLACKOUT_OPS_OPFILES_H
#define BLACKOUT_OPS_OPFILES_H

#include <stdint.h>

#include "ops/oplist.h"

enum { OPFILES_BEFORE_MAX = 4 };

/* Some operations of the list: `before_count` single ones in any order (those that were under way in other threads),
 * then those from `first` on, at most `max`. */
struct opfiles_part {
	size_t before[OPFILES_BEFORE_MAX];
	unsigned before_count;
	size_t first, max;
};

struct opfiles;

/* The list and the folder, which exists, must stay until opfiles_free.  Not for several threads at a time. */
struct opfiles *opfiles_new(const struct oplist *list, const char *folder);

/* Remove all files. */
void opfiles_free(struct opfiles *files);

/* The path of a file with these operations, valid until opfiles_drop; NULL: it cannot be written. */
const char *opfiles_get(struct opfiles *files, const struct opfiles_part *part, struct err *err);
void opfiles_drop(struct opfiles *files, const char *path);

#endif
