/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touched.h - tells which data of the pools the user's own code has stored to, and which data only a library has.
 *
 *     struct touched *t = touched_read(dir, &stacks, &err);      // reads the recording once more
 *     if (!touched_has(t, file, offset, size)) ...               // only a library ever stored there
 *     touched_free(t);
 *
 * A store by a function of the C runtime or of libpmem counts as its caller's (own_library in own.h). */
#ifndef BLACKOUT_FINDING_TOUCHED_H
#define BLACKOUT_FINDING_TOUCHED_H

#include "finding/stacks.h"

struct touched;

/* `stacks` supplies options and symbols; its trace is not used.  Returns NULL with *err if the recording cannot be
 * read. */
struct touched *touched_read(const char *dir, const struct stacks *stacks, struct err *err);
void touched_free(struct touched *touched);

/* True if the user's code stored to any 8-byte word in this range, at any time in the run. */
bool touched_has(const struct touched *touched, uint32_t file, uint64_t offset, uint64_t size);

#endif
