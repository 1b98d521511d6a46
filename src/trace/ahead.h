/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.h - read a trace on another core, ahead of whoever looks at its events.
 *
 *     struct ahead *ahead = ahead_start(trace, true);
 *     const struct event *ev;
 *     while ((r = ahead_next(ahead, &ev, &err)) > 0) ...      // as trace_next; *ev is valid until the next call
 *     ahead_stop(ahead);                                      // at any time
 *
 * Between start and stop nothing else may be asked of the trace, which is further on, and the process must not fork:
 * there is a thread. */
#ifndef BLACKOUT_TRACE_AHEAD_H
#define BLACKOUT_TRACE_AHEAD_H

#include "trace/trace.h"

struct ahead {
	const struct event *next, *end; /* what is there to be delivered at once */
	struct trace *trace;
	struct reader *reader; /* NULL: events are read when they are asked for */
	struct event event;    /* in that case, the last */
};

/* Without `threaded`, and where there is but one processor, everything is read when it is asked for; so must be a live
 * recording. */
struct ahead *ahead_start(struct trace *trace, bool threaded);
void ahead_stop(struct ahead *ahead);

/* When all is delivered that was there. */
int ahead_more(struct ahead *ahead, const struct event **ev, struct err *err);

static inline int ahead_next(struct ahead *ahead, const struct event **ev, struct err *err)
{
	if (ahead->next == ahead->end)
		return ahead_more(ahead, ev, err);
	*ev = ahead->next++;
	return 1;
}

#endif
