/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.h - what recovery read from its PM files, and when: which other states it cannot tell apart, and how far.
 *
 * A profile is made of one run of recovery, access by access.  It numbers the *touches*: the first accesses to a page,
 * from 0 on.  *Segment* K is what happens from touch K until just before touch K + 1.
 *
 *     struct profile *p = profile_new(files, count);            // the files before recovery began
 *     profile_load(p, file, offset, size, PROFILE_ANYWHERE);    // in the sequence in which recovery does it
 *     profile_store(p, file, offset, size, PROFILE_ANYWHERE);
 *     profile_end(p);                                           // recovery has ended; there is no more to know
 *
 *     deepest = profile_deepest(p, others, count);              // another state
 *     if (deepest == PROFILE_END)                               // recovery would end in the same way
 *     else                                                      // it would come to touch `deepest` in the same way
 *
 * A byte that recovery has stored itself is not a byte that it reads from the state.  All other bytes that it reads must
 * have the values that they had; so must the files' existence and sizes.
 *
 * A process that is stopped just before a touch may go on with another state, once its private pages show that: those
 * that it has stored to still have the other bytes of the state that it began with.  profile_fill says which.
 *
 * Files have numbers: their places among the paths of the origin, sorted as the stub's table is (protocol/stub.h).
 *
 * A library may choose its code for copying by the processor, and a recorder shows it another one.  Then the accesses
 * of one call are the same, but not their sequence.  Touches of such code are PROFILE_UNORDERED: no process is stopped
 * there.  Between other touches, the sequence of what was touched before does not matter (profile_agree). */
#ifndef BLACKOUT_RUN_PROFILE_H
#define BLACKOUT_RUN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_PAGE 4096u
#define PROFILE_END SIZE_MAX

struct profile;

/* A PM file of a state. */
struct profile_file {
	const uint8_t *bytes; /* its content; not needed if it is empty */
	uint64_t size;
	bool exists;
};

struct profile_touch {
	uint64_t page; /* number of the page in its file */
	uint32_t file;
	bool unordered; /* no process can be stopped here */
};

struct profile_range {
	uint64_t offset, size;
	uint32_t file;
};

enum profile_order { PROFILE_ANYWHERE, PROFILE_UNORDERED };

/* The files must stay as they are until profile_end. */
struct profile *profile_new(const struct profile_file *files, uint32_t count);
void profile_free(struct profile *profile);

/* Ranges beyond the ends of the files are cut.  Nothing is noted any more once the profile is full. */
void profile_load(struct profile *profile, uint32_t file, uint64_t offset, uint64_t size, enum profile_order order);
void profile_store(struct profile *profile, uint32_t file, uint64_t offset, uint64_t size, enum profile_order order);

/* Recovery did something after which nothing is known. */
void profile_close(struct profile *profile);

/* The run is over, and all of it is in the profile, unless it is closed. */
void profile_end(struct profile *profile);

size_t profile_touch_count(const struct profile *profile);
const struct profile_touch *profile_touches(const struct profile *profile);

/* How far recovery on this state would do the same: the number of the last touch that it certainly comes to in the same
 * way; PROFILE_END if all that it does is the same.  0 is always possible.  Looks no further than touch `most`. */
size_t profile_deepest(const struct profile *profile, const struct profile_file *files, uint32_t count, size_t most);

/* The bytes that a process which is stopped at a touch must get from the state that it goes on with.  Returns the number
 * of ranges; the caller frees *ranges. */
size_t profile_fill(const struct profile *profile, size_t touch, struct profile_range **ranges);

/* Another run on the same state, without a recorder, has touched these pages; it may name a page again.  Fill `agreed`,
 * which has an element for each of them, with the number of the same touch in the profile, or PROFILE_END if a process
 * cannot be stopped there. */
void profile_agree(const struct profile *profile, const struct profile_touch *touches, size_t count, size_t *agreed);

#endif
