/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select.h - choose which visits of which failure points are tested.
 *
 *     select_event(s, trace, &ev, number);               // before each event of the reading
 *     if (point && select_takes(s, trace, point, visit)) ...
 *
 *  --visits N      at most N visits of each point: the first, the last and evenly spaced ones; only the first if N is 1
 *  --points LIST   numbers (7; struct point.shown), ranges (3-9), and functions (insert) and lines (kv.c:118) on the
 *                  stack of the point
 *  --after F       nothing until F has returned, that is, until an event of F or its callees is followed by an event
 *                  of the same thread outside F
 *  --budget        test the points in rounds: first those that share a caller with something that the patterns
 *                  detector reported, then every eighth, and so on, so that points left out are spread over the run */
#ifndef BLACKOUT_CRASH_SELECT_H
#define BLACKOUT_CRASH_SELECT_H

#include "detect/points.h"
#include "trace/symbols.h"

struct select_options {
	uint64_t visits;
	const char *points, *after; /* NULL: all; from the start */
	const uint32_t *suspects;   /* contexts that called functions with something suspicious */
	size_t suspect_count;
	unsigned rounds; /* SELECT_ROUNDS, or 1: all points in one round */
};

enum { SELECT_ROUNDS = 9 };

struct select;

/* `points` must come from a complete reading.  `options` and `points` must outlive the selection.  -1, ERR_USAGE: the
 * list is wrong. */
int select_new(struct select **select, const struct select_options *options, const struct points *points,
	       struct err *err);
void select_free(struct select *select);

/* Start a reading.  Rounds count from 0. */
void select_round(struct select *select, unsigned round);

/* Announce the next event.  `number` is the number of the event before it. */
void select_event(struct select *select, const struct trace *trace, const struct event *ev, uint64_t number);
bool select_takes(struct select *select, const struct trace *trace, size_t point, uint64_t visit);

/* --after: has the function returned?  Always true without the option. */
bool select_returned(const struct select *select);

/* --after: the user asked for no crash before this event. */
uint64_t select_start(const struct select *select);

/* The number of the last event before which a visit may be chosen. */
uint64_t select_last(const struct select *select);

/* Call after a reading.  -1, ERR_USAGE: a name in the options never occurred. select_check_after looks at --after only,
 * for readings that ask for no point. */
int select_check_after(const struct select *select, struct err *err);
int select_check(const struct select *select, struct err *err);

#endif
