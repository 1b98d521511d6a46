/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operations.h - what a recording shows of the operations that the program performed: how many, whether PM changed during
 * them, and what the recorder noticed.
 *
 *     struct operations *operations = operations_open();
 *     while (trace_next(t, &ev, &err) > 0)
 *             operations_add(operations, &ev);                         // all events, in sequence
 *     operations_summary(operations).begun
 *     operations_close(operations);
 *
 * Memory is needed only for the operations under way.  equivalence/timeline.h says where a crash lies among them. */
#ifndef BLACKOUT_TRACE_OPERATIONS_H
#define BLACKOUT_TRACE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

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

struct operations_summary operations_summary(const struct operations *operations);

#endif
