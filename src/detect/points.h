/* SPDX-License-Identifier: GPL-2.0-or-later */
/* points.h - failure points: where in a program a power failure is worth trying.
 *
 *     struct points *p = points_new(POINTS_PERSIST);
 *     while (trace_next(trace, &ev, &err) > 0)
 *             if ((n = points_event(p, &ev, ++number, &visit))) ...   // a crash just before this event: point n, visited for the visit-th time
 *     n = points_end(p, number, &visit);                              // and after the last
 *
 * The same events give the same points in the same order, so a second reading finds again what the first has counted:
 * nothing is kept of a visit but its number.  The rules:
 *
 *  1. A failure point is the moment just before a persistency instruction: a flush, a fence, a locked instruction, the
 *     first of a sequence of non-temporal stores of a thread, msync and fsync and their like, munmap of PM, the end of
 *     the program.  What the instruction guarantees is not guaranteed yet; what the one before it guaranteed is.
 *  2. Only if PM has changed since the last visit of any point: otherwise the same crash was tried there.  Stores
 *     change PM, and so does whatever changes size, name or content of a PM file by a system call.  Or if a fence that
 *     completes something, or a synchronisation, has come since: more is guaranteed, and what is still pending can be
 *     lost with less company than before.  Such a visit is an afterthought, as nothing was stored since the last one;
 *     it is a point of its own, but figures leave it out, and users count it as part of the point that was visited
 *     before it.
 *  3. Points are the same if calling context and instruction are, and both or none are afterthoughts.
 *  4. With POINTS_STORE the moment before every store to PM is a point too, under rule 2. */
#ifndef BLACKOUT_DETECT_POINTS_H
#define BLACKOUT_DETECT_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/op.h"
#include "trace/trace.h"

enum points_at { POINTS_PERSIST, POINTS_STORE };

struct point {
	uint32_t context;     /* of the instruction that does not happen any more; 0: the end */
	enum op op;           /* its name; OP_COUNT: the trace ends without an end of the program */
	uint64_t visits;      /* so far */
	uint64_t first, last; /* events before which it was visited: the number of the instruction's own event */
	bool afterthought;    /* rule 2 */
	size_t shown;         /* its number for users: 1 to points_unique */
};

struct points;

struct points *points_new(enum points_at at);
void points_free(struct points *points);

/* The next event; `number` counts from 1.  Returns 0, or the number of the failure point just before it, counted from 1
 * in the order of first visits; *visit counts its visits from 1. */
size_t points_event(struct points *points, const struct event *ev, uint64_t number, uint64_t *visit);

/* The trace is over; `number` is that of its last event. */
size_t points_end(struct points *points, uint64_t number, uint64_t *visit);

enum points_at points_kind(const struct points *points);
size_t points_count(const struct points *points);     /* unique ones */
size_t points_unique(const struct points *points);    /* of them, those that are no afterthoughts */
uint64_t points_visited(const struct points *points); /* visits of those */
const struct point *points_get(const struct points *points, size_t number); /* from 1; valid until the next event */

#endif
