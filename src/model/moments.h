/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moments.h - finds the moments of a trace: the few crash points whose states include those of all crash points.
 *
 *     struct moments moments = {0};
 *     while (trace_next(t, &ev, &err) > 0) {
 *             if (moments_before(&moments, model, &ev))
 *                     ...                                     // examine what is pending now, before the event
 *             model_apply(model, &ev);
 *     }
 *     if (moments_before(&moments, model, NULL))              // the end of the trace
 *             ...
 *
 * As long as nothing becomes certain and nothing is removed, the set of legal states only grows: a later crash allows
 * every state that an earlier one allows, and more.  So it is enough to look at the end of the trace, and just before
 * each event that makes something certain (a fence that completes something, a synchronization; on eADR every store) or
 * changes a file itself (its size, its name, dropped bytes).  Even there it is only needed if something was stored or
 * changed since the last moment, because every state that is legal after such an event was legal before it. */
#ifndef BLACKOUT_MODEL_MOMENTS_H
#define BLACKOUT_MODEL_MOMENTS_H

#include "model/model.h"

struct moments {
	uint64_t changes; /* value of model->changes at the last moment */
};

/* Is the crash point just before `ev`, the next event of the model's trace, a moment?  `ev` is NULL at the end of the
 * trace.  Must be called for each event. */
bool moments_before(struct moments *moments, const struct model *model, const struct event *ev);

#endif
