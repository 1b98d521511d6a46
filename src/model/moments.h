/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moments.h - the few crash points of a trace whose states are those of all crash points.
 *
 *     struct moments moments = {0};
 *     while (trace_next(t, &ev, &err) > 0) {
 *             if (moments_before(&moments, model, &ev))
 *                     ...                                     // look at what is pending now, before the event
 *             model_apply(model, &ev);
 *     }
 *     if (moments_before(&moments, model, NULL))              // the end of the trace
 *             ...
 *
 * As long as nothing becomes certain and nothing is taken away, what is legal only grows: a later crash may leave
 * whatever an earlier one may, and more.  So it is enough to look just before an event that makes something certain (a
 * fence that completes something, a synchronisation; on eADR every store), or changes a file itself (its size, its
 * name, bytes that are dropped), and at the end; and there only if anything was stored or changed since the last
 * moment, because what is legal after such an event was legal before it. */
#ifndef BLACKOUT_MODEL_MOMENTS_H
#define BLACKOUT_MODEL_MOMENTS_H

#include "model/model.h"

struct moments {
	uint64_t changes; /* of the model, at the last moment */
};

/* Is a crash just before `ev`, the next event of the model's trace, to be looked at?  NULL: there is none.  Ask for
 * each event. */
bool moments_before(struct moments *moments, const struct model *model, const struct event *ev);

#endif
