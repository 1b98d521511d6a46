/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sync.h - handles the records of the layer SYNC: how threads synchronize, and what accesses are in the source. */
#ifndef BLACKOUT_TRACE_SYNC_H
#define BLACKOUT_TRACE_SYNC_H

#include "trace/apply.h"

/* Apply a record of the layer.  On damage, s->decoder.problem holds the reason. */
enum apply_result sync_apply(struct stream *s, const struct record *r, struct event *ev);

/* Give a load or store the access of the source that was announced for it. */
static inline void sync_attach(struct stream *s, struct event *ev)
{
	if (__builtin_expect(s->access.thread != ev->thread, 1))
		return;
	ev->atomicity = s->access.atomicity;
	ev->order = s->access.order;
	ev->access = s->access.number;
	ev->access_addr = ev->addr - s->access.before;
	ev->access_size = s->access.size;
	s->access = (struct stream_access){0};
}

#endif
