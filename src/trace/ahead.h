/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.h - read a trace on another core, ahead of the caller that processes its events.
 *
 *     struct ahead *ahead = ahead_start(trace, true);
 *     const struct event *ev;
 *     while ((r = ahead_next(ahead, &ev, &err)) > 0) ...      // as trace_next; *ev is valid until the next call
 *     ahead_stop(ahead);                                      // at any time
 *
 * Between start and stop the trace must not be used otherwise, because it has already been read further.  The process
 * must not fork, because there is a thread. */
#ifndef BLACKOUT_TRACE_AHEAD_H
#define BLACKOUT_TRACE_AHEAD_H

#include "trace/trace.h"

struct ahead {
	const struct event *next, *end; /* events that can be delivered at once */
	struct trace *trace;
	struct reader *reader; /* NULL: no thread; events are read on demand */
	struct event event;    /* in that case, the last event */
};

/* Without `threaded`, or on a single processor, events are read on demand.  A live recording must be read on demand. */
struct ahead *ahead_start(struct trace *trace, bool threaded);
void ahead_stop(struct ahead *ahead);

/* Slow path of ahead_next: all available events were delivered. */
int ahead_more(struct ahead *ahead, const struct event **ev, struct err *err);

static inline int ahead_next(struct ahead *ahead, const struct event **ev, struct err *err)
{
	if (ahead->next == ahead->end)
		return ahead_more(ahead, ev, err);
	*ev = ahead->next++;
	return 1;
}

#endif
