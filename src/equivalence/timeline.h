/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - which operations have happened at an event of the recording, and where contents show them.
 *
 *     struct timeline *t = timeline_new();
 *     while (trace_next(trace, &ev, &err) > 0)
 *             timeline_add(t, &ev);                            // all events, in sequence
 *     timeline_end(t);
 *     struct place place = timeline_place(t, 17);              // a crash after event 17
 *     struct border border = timeline_border(t, place.group);  // events with the content before that group
 *     timeline_free(t);
 *
 * A group is one operation, or several that overlap: each begins before all that began earlier have ended.  Between two
 * groups there is a border, where nothing is under way.  Border b is before group b, and after b groups.  Only contents
 * at borders show what operations did, no more and no less. */
#ifndef BLACKOUT_EQUIVALENCE_TIMELINE_H
#define BLACKOUT_EQUIVALENCE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct operation {
	int64_t index;       /* in the list */
	uint64_t begin, end; /* events; it is under way from just after `begin` until just before `end` */
};

struct group {
	size_t first, count; /* of timeline_operation */
	uint64_t begin, end; /* of the first that begins, of the last that ends */
};

struct place {
	uint64_t event;  /* the crash is after it */
	uint64_t number; /* of begins and ends so far: places with the same number are alike */
	bool inside;     /* of a group */
	size_t group;    /* inside: that group; between: the next, so that many are complete */
	size_t left;     /* index of the first operation in the list that was not begun */
	int64_t index;   /* inside: of the operation that began last; between: that ended last; -1: none has */
};

/* Two events with the contents of a border, where only what is no operation happens in between. */
struct border {
	uint64_t from, to;
};

struct timeline;

struct timeline *timeline_new(void);
void timeline_free(struct timeline *timeline);

void timeline_add(struct timeline *timeline, const struct event *ev);
/* That was the last event.  Operations that did not end, end here.  The functions below may be called now. */
void timeline_end(struct timeline *timeline);

struct place timeline_place(const struct timeline *timeline, uint64_t event);

size_t timeline_groups(const struct timeline *timeline);
const struct group *timeline_group(const struct timeline *timeline, size_t group);
size_t timeline_operations(const struct timeline *timeline);
const struct operation *timeline_operation(const struct timeline *timeline, size_t number);

/* `border` is at most timeline_groups. */
struct border timeline_border(const struct timeline *timeline, size_t border);

#endif
