/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operations.h - where a moment of a recording lies in its list of operations: inside of one, or between two.
 *
 *     struct operations *operations = operations_open();
 *     while (trace_next(t, &ev, &err) > 0)
 *             operations_add(operations, &ev);                         // all events, in sequence; they count from 1
 *     struct operations_place place = operations_at(operations, n);    // a crash right after event n
 *     operations_close(operations);
 *
 * The place after the events so far may be asked for at any time: operations_at(operations, events added).  Memory is
 * needed for each operation, not for each event. */
#ifndef BLACKOUT_TRACE_OPERATIONS_H
#define BLACKOUT_TRACE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct operations_place {
	bool inside;   /* at least one operation is under way */
	int64_t index; /* inside: the first of `open`; between: the operation completed last, -1 before the first */
	uint64_t completed; /* ends so far */
	const int64_t
		*open; /* operations under way, in the sequence of their beginning; until the next operations_add */
	size_t open_count;
};

/* Totals over the whole recording. */
struct operations_summary {
	uint64_t begun, completed; /* begins and ends */
	/* Operations during which PM changed.  If none did, or only the last one, and there is no BO_NOTE_PRINTED, the
	 * program read the whole list before it performed any. */
	uint64_t changing;
	bool last_changing;            /* PM changed during the one that began last */
	uint64_t outside;              /* changes of PM while no operation was under way, after the first began */
	uint64_t notes[BO_NOTE_COUNT]; /* how often each kind of note was made */
};

struct operations;

struct operations *operations_open(void);
void operations_close(struct operations *operations);

void operations_add(struct operations *operations, const struct event *ev);

struct operations_place operations_at(const struct operations *operations, uint64_t event);
struct operations_summary operations_summary(const struct operations *operations);

#endif
