/* SPDX-License-Identifier: GPL-2.0-or-later */
/* points.h - failure points: the places in a program where a power failure is worth trying.
 *
 *     struct points *p = points_new(POINTS_PERSIST);
 *     while (trace_next(trace, &ev, &err) > 0)
 *             if ((n = points_event(p, &ev, ++number, &visit))) ...   // a crash just before this event is
 *                                                                     // the visit-th visit of point n
 *     n = points_end(p, number, &visit);                              // and after the last
 *
 * The same events always give the same points in the same sequence.  A second reading therefore finds the points that
 * the first one counted, and only the number of a visit has to be kept.  The rules:
 *
 *  1. A failure point is just before a persistency instruction: a flush, a fence, a locked instruction, the first of a
 *     sequence of non-temporal stores of a thread, msync, fsync and similar calls, munmap of PM, or the end of the
 *     program.  The effect of that instruction is not guaranteed yet; the effect of the previous one is.
 *  2. A point is visited only if PM has changed since the last visit of any point; otherwise the same crash has already
 *     been tried.  Stores change PM, and so do system calls that change the size, name or content of a PM file.  A
 *     point is also visited if a fence that completes something, or a sync, has happened since: then more is
 *     guaranteed, and pending stores can be lost in smaller sets than before.  Nothing was stored since the last visit
 *     in that case, so it is called an afterthought.  An afterthought is a point of its own, but totals leave it out,
 *     and users see it as part of the point visited before it.
 *  3. Two visits are of the same point if calling context and instruction are the same, and both or neither are
 *     afterthoughts.
 *  4. With POINTS_STORE, the crash point before every store to PM is a failure point too, subject to rule 2. */
#ifndef BLACKOUT_DETECT_POINTS_H
#define BLACKOUT_DETECT_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/op.h"
#include "trace/trace.h"

enum points_at { POINTS_PERSIST, POINTS_STORE };

struct point {
	uint32_t context;     /* of the instruction that the crash prevents; 0: the end of the trace */
	enum op op;           /* its name; OP_COUNT: the trace ends without an end of the program */
	uint64_t visits;      /* so far */
	uint64_t first, last; /* first and last event before which it was visited: the instruction's own event number */
	bool afterthought;    /* rule 2 */
	size_t shown;         /* the number that users see: 1 to points_unique */
};

struct points;

struct points *points_new(enum points_at at);
void points_free(struct points *points);

/* Handles the next event; `number` counts from 1.  Returns 0, or the number of the failure point just before the
 * event.  Points are numbered from 1 by first visit; *visit counts the visits of the point from 1. */
size_t points_event(struct points *points, const struct event *ev, uint64_t number, uint64_t *visit);

/* Handles the end of the trace; `number` is the number of the last event.  Returns as points_event does. */
size_t points_end(struct points *points, uint64_t number, uint64_t *visit);

enum points_at points_kind(const struct points *points);
size_t points_count(const struct points *points);                           /* all points, including afterthoughts */
size_t points_unique(const struct points *points);                          /* points that are not afterthoughts */
uint64_t points_visited(const struct points *points);                       /* their visits */
const struct point *points_get(const struct points *points, size_t number); /* from 1; valid until the next event */

#endif
