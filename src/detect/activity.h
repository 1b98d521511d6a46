/* SPDX-License-Identifier: GPL-2.0-or-later */
/* activity.h - records, for each calling context, whether its code changed PM, flushed or fenced during the run.
 *
 *     struct activity *a = activity_new();
 *     while (trace_next(trace, &ev, &err) > 0)
 *             activity_event(a, &ev);
 *     ... activity_at(a, context) ...
 *     activity_free(a);
 *
 * finding/helpers.h uses this to tell functions that flush for their callers from functions that do work of their
 * own.  Each event costs a few array accesses.  Memory is bounded by the number of contexts. */
#ifndef BLACKOUT_DETECT_ACTIVITY_H
#define BLACKOUT_DETECT_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

#define ACTIVITY_COVERED_MAX 4

struct activity_site {
	bool changes; /* stores to PM, or changes a PM file or its mapping with a system call */
	bool flushes; /* writes back: a flush (of volatile memory too), msync or fsync */
	bool fences;  /* sfence or mfence; locked instructions do not count, because they are not written for PM */
	bool awaited; /* at least one of its fences had a flush or a non-temporal store to wait for */
	/* The lowest and highest line that it flushed, as (file, line in the file), or as the line's address outside
	 * PM. */
	uint64_t first_line, last_line;
	/* A run of flushes is one line, or several consecutive lines.  True if its runs did not all begin at the
	 * same line. */
	bool varies;
	uint64_t begin_line; /* where the first run began */
	/* Contexts of stores that its flushes were the first to write back, soon after the store and in the same
	 * thread.  The list ends at the first 0. */
	uint32_t covered[ACTIVITY_COVERED_MAX];
	/* The context that had already flushed the same line, in the same thread, with no store to the line in
	 * between.  0 if there was none, or if it was not the same context every time. */
	uint32_t again;
};

struct activity;

struct activity *activity_new(void);
void activity_free(struct activity *activity);

void activity_event(struct activity *activity, const struct event *ev);

/* Valid contexts are 1 to activity_room() - 1.  activity_at returns NULL for a context that did nothing. */
uint32_t activity_room(const struct activity *activity);
const struct activity_site *activity_at(const struct activity *activity, uint32_t context);

#endif
