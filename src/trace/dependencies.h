/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dependencies.h - handles the records of the layer DEPENDENCIES: reads, labels, and what an access depends on. */
#ifndef BLACKOUT_TRACE_DEPENDENCIES_H
#define BLACKOUT_TRACE_DEPENDENCIES_H

#include "trace/apply.h"

/* Apply a record of the layer.  It makes no event.  On damage, s->decoder.problem holds the reason. */
enum apply_result dependencies_apply(struct stream *s, const struct record *r, const struct event *ev);

/* Give a load or store the labels that were announced for it. */
static inline void dependencies_attach(struct stream *s, struct event *ev)
{
	if (__builtin_expect(s->depends.thread != ev->thread, 1))
		return;
	ev->data_label = s->depends.data_label;
	ev->control_label = s->depends.control_label;
	s->depends = (struct stream_depends){0};
}

#endif
