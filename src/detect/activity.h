/* SPDX-License-Identifier: GPL-2.0-or-later */
/* activity.h - what the code of each calling context did to PM in the whole run: changed it, flushed, fenced.
 *
 *     struct activity *a = activity_new();
 *     while (trace_next(trace, &ev, &err) > 0)
 *             activity_event(a, &ev);
 *     ... activity_at(a, context) ...
 *     activity_free(a);
 *
 * It is what finding/helpers.h needs to tell functions that flush for their callers from those that do work of their
 * own.  An event costs a few array accesses; memory is bounded by the number of contexts. */
#ifndef BLACKOUT_DETECT_ACTIVITY_H
#define BLACKOUT_DETECT_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

#define ACTIVITY_COVERED_MAX 4

struct activity_site {
	bool changes; /* stores to PM, or changes a PM file or its mapping by a system call */
	bool flushes; /* writes back: a flush, of volatile memory too, msync, fsync */
	bool fences;  /* sfence, mfence; locked instructions do not count: they were not written for PM */
	bool awaited; /* one of its fences had a flush or non-temporal store to wait for */
	/* The first and last line that it flushed: (file, line in it), or the line's address outside PM. */
	uint64_t first_line, last_line;
	/* Not all its runs of flushes, of one line or of several that follow each other, began at the same line. */
	bool varies;
	uint64_t begin_line; /* of the first run */
	/* Contexts of stores that one of its flushes was the first to write back, soon after and in the same thread; 0:
	 * no more are known. */
	uint32_t covered[ACTIVITY_COVERED_MAX];
	/* The context that had flushed each of its lines before it, in the same thread, with no store to the line in
	 * between; 0: none, or not each time the same. */
	uint32_t again;
};

struct activity;

struct activity *activity_new(void);
void activity_free(struct activity *activity);

void activity_event(struct activity *activity, const struct event *ev);

/* Contexts are 1 to this, less one; NULL for one that did nothing. */
uint32_t activity_room(const struct activity *activity);
const struct activity_site *activity_at(const struct activity *activity, uint32_t context);

#endif
