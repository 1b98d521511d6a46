/* SPDX-License-Identifier: GPL-2.0-or-later */
/* creation.h - did the power fail while a library was creating a pool?
 *
 * No library creates a pool atomically, and users of the library cannot change that.  If a state fails because a create
 * call (own_creates in finding/own.h) has not returned yet, the program is not at fault.  All such states of a platform
 * form one result, CAUSE_CREATION, which becomes a warning.  The rules:
 *
 *  1. A trial is "creating" if the instruction before which the power failed has a create call on its stack.
 *  2. A failure belongs to creation if its trial is "creating" and the store to blame, if any, was also made inside a
 *     create call.  If one of the user's own stores is to blame, it stays an error wherever the power failed.
 *  3. Prefixes that still fail after creation are a separate failure (trials.h). */
#ifndef BLACKOUT_CRASH_CREATION_H
#define BLACKOUT_CRASH_CREATION_H

#include <stdbool.h>
#include <stdint.h>

struct creation;

/* Make one for the recording in `dir`, which is opened lazily and read only as far as needed. */
struct creation *creation_new(const char *dir);
void creation_free(struct creation *creation);

/* Does the stack of the context have a create call on it?  False for context 0. */
bool creation_covers(struct creation *creation, uint32_t context);

#endif
