/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.h - what recovery read from its PM files, and when: how far it does the same on another state.
 *
 * A profile is made of one run of recovery, access by access.  Its *touches* are the first accesses to a page of a
 * mapping, from 0 on.
 *
 *     struct profile *p = profile_new(files, count);            // sizes of the files before recovery began
 *     profile_read(p, file, offset, size);                      // in the sequence in which recovery does it
 *     profile_load(p, file, offset, size, PROFILE_ORDERED);
 *     profile_store(p, file, offset, size, PROFILE_ORDERED);
 *     profile_end(p, files);                                    // and their content; there is no more to know
 *
 *     reach = profile_reach(p, files, count, PROFILE_END);      // another state
 *     if (reach == PROFILE_END)                                 // recovery would end in the same way
 *     else                                                      // its first `reach` reads would be the same
 *     point = profile_touch_point(p, touch);                    // what recovery has done when it comes to a touch
 *     if (point.reads <= reach)                                 // it would come there in the same way
 *
 * A process can also be stopped some visits after a touch (profile_stop_before), which may be much later.
 *
 * A byte that recovery has stored itself is not a byte that it reads from the state.  All other bytes that it reads must
 * have the values that they had; so must the files' existence and sizes.
 *
 * A process that is stopped just before a touch may go on with another state, once its private pages show that: those
 * that it has stored to still have the other bytes of the state that it began with.  profile_stored says which it has
 * stored.
 *
 * Files have numbers: their places among the paths of the origin, sorted as the stub's table is (protocol/stub.h).
 *
 * A library may choose its code for copying by the processor, and a recorder shows it another one.  Then the accesses
 * of one call are the same, but not their sequence.  Touches of such code are PROFILE_UNORDERED: no process is stopped
 * there.  Elsewhere, the sequence of what was touched before does not matter (profile_agree). */
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
	const uint8_t *bytes; /* its content; not needed if it is empty, and not by profile_new */
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

/* What recovery had done at some moment. */
struct profile_point {
	size_t reads;  /* of bytes that it had neither read nor stored before, the first so many */
	size_t stores; /* to bytes that it had not stored to before, likewise */
};

/* A place where a process can be stopped: just before a touch; or, if there are visits, just before the last of these
 * visits after it (protocol/walk_block.h). */
struct profile_stop {
	size_t touch;
	uint32_t visits;
	uint64_t hash;
	struct profile_point point;
};

enum profile_order { PROFILE_ORDERED, PROFILE_UNORDERED };

struct profile *profile_new(const struct profile_file *files, uint32_t count);
void profile_free(struct profile *profile);

/* Accesses through mappings.  What is beyond the ends of the files is ignored.  Nothing is noted any more once the
 * profile is closed; a profile that is full closes itself. */
void profile_load(struct profile *profile, uint32_t file, uint64_t offset, uint64_t size, enum profile_order order);
void profile_store(struct profile *profile, uint32_t file, uint64_t offset, uint64_t size, enum profile_order order);

/* A system call reads from the file. */
void profile_read(struct profile *profile, uint32_t file, uint64_t offset, uint64_t size);

/* Recovery did something after which nothing is known. */
void profile_close(struct profile *profile);

/* The run is over, and all of it is in the profile, unless it is closed.  It began with these files, as many as for
 * profile_new. */
void profile_end(struct profile *profile, const struct profile_file *files);

size_t profile_read_count(const struct profile *profile);

/* What recovery has done when it comes to this touch. */
struct profile_point profile_touch_point(const struct profile *profile, size_t touch);

/* How far recovery on this state would do the same: the number of its reads that would give the same; PROFILE_END if all
 * that it does is the same.  If there are more than `most` reads, it may say so of the first `most` only. */
size_t profile_reach(const struct profile *profile, const struct profile_file *files, uint32_t count, size_t most);

/* Which bytes are meant: true if one of them is in the range. */
typedef bool profile_filter(void *arg, const struct profile_range *range);

/* How far recovery comes before it first reads or stores to one of these bytes. */
struct profile_point profile_until(const struct profile *profile, profile_filter *filter, void *arg);

/* The last stop before this read that is not in code whose sequence is unknown.  False: there is none. */
bool profile_stop_before(const struct profile *profile, size_t read, struct profile_stop *stop);

/* The bytes that recovery has stored to at some moment, by file and offset.  Returns the number of ranges; the caller frees
 * *ranges. */
size_t profile_stored(const struct profile *profile, struct profile_point at, struct profile_range **ranges);

/* Another run on the same state, without a recorder, has touched these pages; it may name a page again.  Fill `agreed`,
 * which has an element for each of them, with the number of the same touch in the profile, or PROFILE_END if a process
 * cannot be stopped there.  Returns whether both runs have touched the same pages in the end. */
bool profile_agree(const struct profile *profile, const struct profile_touch *touches, size_t count, size_t *agreed);

#endif
