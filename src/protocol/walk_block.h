/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk_block.h - the data that blackout and the stub share about a walk: a run of recovery that leaves checkpoints behind;
 * see run/checkpoint.h and preload/walk.h.
 *
 * The request STUB_WALK (stub.h) refers to the file `walk` in the control directory, which both sides map:
 *
 *     struct walk_block
 *     struct walk_event events[event_max]     filled by the walk
 *     struct walk_range ranges[range_count]   of the stops
 *
 * Files are numbered as the paths of the page. */
#ifndef BLACKOUT_PROTOCOL_WALK_BLOCK_H
#define BLACKOUT_PROTOCOL_WALK_BLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WALK_STOPS = 8,          /* the most checkpoints of a server */
	WALK_EVENTS_MAX = 16384, /* that a walk logs; it ends after them */
	WALK_PAGE = 4096,
	WALK_REASON = 64,
	WALK_FAILED = -1, /* in place of a process */
};

enum walk_kind {
	WALK_TOUCH, /* the first access to a page of a mapping */
	WALK_READ,  /* bytes of the file were read by a system call */
};

struct walk_event {
	uint32_t kind; /* enum walk_kind */
	uint32_t file;
	uint64_t offset, size;
	uint64_t nanoseconds; /* since recovery began, without the time that the walk itself takes */
};

struct walk_range {
	uint64_t offset, size;
	uint32_t file, unused;
};

/* Leave a checkpoint just before the touch that is event number `event`. */
struct walk_stop {
	uint32_t event;
	uint32_t first, count;  /* ranges: the bytes that recovery has stored to until then, by file and offset */
	_Atomic int32_t server; /* its process; 0: there is none */
	uint64_t nanoseconds;   /* as in the event */
};

struct walk_block {
	uint64_t bytes; /* of the whole block */
	uint32_t event_max, stop_count, range_count;
	_Atomic uint32_t event_count;
	struct walk_stop stops[WALK_STOPS];
	uint64_t own_ns;       /* the time that the walk itself has taken */
	char end[WALK_REASON]; /* why nothing more was logged; "": recovery has ended */
};

_Static_assert(sizeof(struct walk_event) == 32 && sizeof(struct walk_range) == 24 && sizeof(struct walk_stop) == 24,
	       "no padding");
_Static_assert(sizeof(struct walk_block) % _Alignof(struct walk_event) == 0, "events follow the block");

static inline struct walk_event *walk_block_events(const struct walk_block *block)
{
	return (struct walk_event *)(block + 1);
}

static inline struct walk_range *walk_block_ranges(const struct walk_block *block)
{
	return (struct walk_range *)(walk_block_events(block) + block->event_max);
}

#endif
