/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk_block.h - the data that blackout and the stub share about a walk: a run of recovery that leaves checkpoints behind;
 * see run/checkpoint.h and preload/walk.h.
 *
 * The request STUB_WALK (stub.h) refers to the file `walk` in the control directory, which both sides map:
 *
 *     struct walk_block
 *     struct walk_event events[event_max]     filled by the walk
 *     struct walk_event way[way_count]        what the walk must log first; if it does not, it takes another way, and ends
 *     struct walk_range ranges[range_count]   of the stops
 *
 * Files are numbered as the paths of the page. */
#ifndef BLACKOUT_PROTOCOL_WALK_BLOCK_H
#define BLACKOUT_PROTOCOL_WALK_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WALK_STOPS = 8,          /* the most checkpoints of a server */
	WALK_EVENTS_MAX = 16384, /* that a walk logs; it ends after them */
	WALK_PAGE = 4096,
	WALK_REASON = 64,
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

/* Visits are accesses to pages that were touched before.  From a touch on, all pages are closed but that of the touch; an
 * access to a closed page is a visit, and opens it.  Only the last few that were opened stay open: as many as one
 * instruction may need. */
struct walk_visits {
	uint64_t open[4]; /* the pages: walk_page */
	uint32_t count;   /* of visits */
	uint64_t hash;    /* of all visits, in sequence */
};

struct walk_range {
	uint64_t offset, size;
	uint32_t file, unused;
};

/* Leave a checkpoint just before the touch that is event number `event`; or, if `visits` is not 0, before that many visits
 * after it; several stops may follow the same touch, by visits. */
struct walk_stop {
	uint32_t event, visits;
	uint64_t hash;          /* of the visits */
	uint32_t first, count;  /* ranges: the bytes that recovery has stored to until then, by file and offset */
	_Atomic int32_t server; /* its process; 0: there is none; negative: that process has failed, and ended */
	uint64_t nanoseconds;   /* as in the event */
};

struct walk_block {
	uint64_t bytes; /* of the whole block */
	uint32_t event_max, stop_count, range_count, way_count;
	_Atomic uint32_t event_count;
	uint32_t unused;
	struct walk_stop stops[WALK_STOPS];
	uint64_t own_ns;       /* the time that the walk itself has taken */
	char end[WALK_REASON]; /* why nothing more was logged; "": recovery has ended */
};

_Static_assert(sizeof(struct walk_event) == 32 && sizeof(struct walk_range) == 24 && sizeof(struct walk_stop) == 40,
	       "no padding");
_Static_assert(sizeof(struct walk_block) % _Alignof(struct walk_event) == 0, "events follow the block");

/* A page as a number that is not 0, and back. */
static inline uint64_t walk_page(uint32_t file, uint64_t offset)
{
	return ((uint64_t)file << 44 | offset / WALK_PAGE) + 1;
}

static inline uint32_t walk_page_file(uint64_t page)
{
	return (uint32_t)((page - 1) >> 44);
}

static inline uint64_t walk_page_offset(uint64_t page)
{
	return ((page - 1) & (((uint64_t)1 << 44) - 1)) * WALK_PAGE;
}

static inline struct walk_visits walk_visits_begin(uint64_t touched)
{
	return (struct walk_visits){.open = {touched}};
}

static inline bool walk_visits_open(const struct walk_visits *visits, uint64_t page)
{
	return visits->open[0] == page || visits->open[1] == page || visits->open[2] == page || visits->open[3] == page;
}

/* A visit to a page that is not open.  Returns the page that is closed for it; 0: none is. */
static inline uint64_t walk_visits_add(struct walk_visits *visits, uint64_t page)
{
	uint64_t closed = visits->open[3];

	for (int i = 3; i > 0; i--)
		visits->open[i] = visits->open[i - 1];
	visits->open[0] = page;
	visits->count++;
	visits->hash = (visits->hash ^ page) * UINT64_C(0x9e3779b97f4a7c15);
	return closed;
}

static inline struct walk_event *walk_block_events(const struct walk_block *block)
{
	return (struct walk_event *)(block + 1);
}

static inline struct walk_event *walk_block_way(const struct walk_block *block)
{
	return walk_block_events(block) + block->event_max;
}

static inline struct walk_range *walk_block_ranges(const struct walk_block *block)
{
	return (struct walk_range *)(walk_block_way(block) + block->way_count);
}

#endif
