/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.h - deciding pending units one by one: the rule that makes a set of units legal, on any platform.
 *
 * All dependencies between pending units have one form: a unit may be on media only if specific units stored before it
 * are on media too.  These are
 *
 *   - for a cached unit, all units of its line that were stored by earlier events (the platform's rule 1);
 *   - for every unit, those that a CLFLUSH before it has ordered (struct order).
 *
 * So the units are decided in the sequence of the stores.  Leaving a unit out is always allowed.  Taking it is allowed
 * if nothing that it needs was left out.  Every path leads to a legal set.
 *
 * sets.c checks one set with this.  The tests visit all sets with it (test/unit/model_sets.h). */
#ifndef BLACKOUT_MODEL_SETS_H
#define BLACKOUT_MODEL_SETS_H

#include "base/err.h"
#include "model/platform.h"

#define SETS_NEVER UINT64_MAX

/* The decisions so far.  Per line, dirty->missing is the event of the first unit left out. */
struct decisions {
	uint64_t barrier; /* nothing stored after this event may be taken, because an order there is broken */
};

static inline struct decisions decisions_start(struct model *model)
{
	BUG_ON(model->depth != MODEL_STATES);
	for (const struct node *node = model->pending.all.first; node; node = node->later)
		node->line->dirty->missing = SETS_NEVER;
	return (struct decisions){SETS_NEVER};
}

static inline bool decisions_may_take(const struct decisions *d, const struct node *node)
{
	if (node->unit.event > d->barrier)
		return false;
	return node->unit.kind != UNIT_CACHED || node->line->dirty->missing >= node->unit.event;
}

static inline void decisions_leave_out(struct decisions *d, struct node *node)
{
	if (node->unit.kind == UNIT_CACHED && node->line->dirty->missing == SETS_NEVER)
		node->line->dirty->missing = node->unit.event;
	if (node->order && node->order->event < d->barrier)
		d->barrier = node->order->event;
}

#endif
