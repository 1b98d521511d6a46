/* SPDX-License-Identifier: GPL-2.0-or-later */
/* creation.h - did the power fail while a library was creating a pool?
 *
 * No library creates a pool atomically, and its users cannot change that.  A state that fails because a create call
 * (own_creates in finding/own.h) has not returned yet is therefore no error of the program: all such states of a
 * platform are one result, CAUSE_CREATION, which becomes a warning.  The rules:
 *
 *  1. A trial is "creating" if the instruction before which the power failed has a create call on its stack.
 *  2. A failure belongs to creation if its point does, and the store that is to blame, if one is, was made inside a
 *     create call too.  A store of the user's own stays an error wherever the power failed.
 *  3. Failing prefixes that go on after creation are a failure of their own there (trials.h). */
#ifndef BLACKOUT_CRASH_CREATION_H
#define BLACKOUT_CRASH_CREATION_H

#include <stdbool.h>
#include <stdint.h>

struct creation;

/* Of the recording in `dir`, which is opened and read only as far as it is asked for. */
struct creation *creation_new(const char *dir);
void creation_free(struct creation *creation);

/* Does the stack of the context have a create call on it?  False for context 0. */
bool creation_covers(struct creation *creation, uint32_t context);

#endif
