/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select.h - which visits of which failure points are tested.
 *
 *     select_event(s, trace, &ev, number);               // before each event of the reading
 *     if (point && select_takes(s, trace, point, visit)) ...
 *
 *  --visits N      of each point the first, the last and evenly between, N at most; the first alone if N is 1
 *  --points LIST   of numbers (7; struct point.shown), ranges (3-9), functions (insert) and lines (kv.c:118) on the stack of the point
 *  --after F       nothing until F has returned: an event of F, or of what F calls, was followed by one of the same thread that is not
 *  --budget        the points in rounds: first those that share a caller with something that patterns complained of, then every
 *                  eighth, and so on, so that what is cut off is spread over the run */
#ifndef BLACKOUT_CRASH_SELECT_H
#define BLACKOUT_CRASH_SELECT_H

#include "detect/points.h"
#include "trace/symbols.h"

struct select_options {
	uint64_t visits;
	const char *points, *after; /* NULL: all; from the start */
	const uint32_t *suspects;   /* contexts: from where functions were called that do something suspect */
	size_t suspect_count;
	unsigned rounds; /* SELECT_ROUNDS, or 1: all at once */
};

enum { SELECT_ROUNDS = 9 };

struct select;

/* `points` are those of a reading to the end; both must live as long.  -1, ERR_USAGE: the list is wrong. */
int select_new(struct select **select, const struct select_options *options, const struct points *points,
	       struct err *err);
void select_free(struct select *select);

/* A reading begins: the round counts from 0. */
void select_round(struct select *select, unsigned round);

/* The event comes next; `number` is that of the one before it. */
void select_event(struct select *select, const struct trace *trace, const struct event *ev, uint64_t number);
bool select_takes(struct select *select, const struct trace *trace, size_t point, uint64_t visit);

/* --after: has the function returned?  Always without that option. */
bool select_returned(const struct select *select);

/* --after: crashes that come before this event were not asked for. */
uint64_t select_start(const struct select *select);

/* The number of the last event before which something may be taken. */
uint64_t select_last(const struct select *select);

/* After a reading.  -1, ERR_USAGE: a name of the options was never met.  The first looks at --after alone, for readings
 * that ask for no point. */
int select_check_after(const struct select *select, struct err *err);
int select_check(const struct select *select, struct err *err);

#endif
