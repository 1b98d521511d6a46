/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sets of pending units that may be on media, on any platform.
 *
 * All dependencies between pending units have one form: a unit may be on media only if specific units stored before it
 * are on media too.  These are
 *
 *   - for a cached unit, all units of its line that were stored by earlier events (the platform's rule 1);
 *   - for every unit, those that a CLFLUSH before it has ordered (struct order).
 *
 * So the units are decided in the sequence of the stores.  Leaving a unit out is always allowed.  Taking it is allowed
 * if nothing that it needs was left out.  Every path leads to a legal set. */
#include "base/err.h"
#include "model/platform.h"

#define NEVER UINT64_MAX

/* The decisions so far.  Per line, dirty->missing is the event of the first unit left out. */
struct choice {
	uint64_t barrier; /* nothing stored after this event may be taken, because an order there is broken */
};

static uint64_t order_event(const struct node *node)
{
	return node->order ? node->order->event : NEVER;
}

static void choice_start(struct model *model, struct choice *choice)
{
	BUG_ON(model->depth != MODEL_STATES);
	choice->barrier = NEVER;
	for (const struct node *node = model->pending.all.first; node; node = node->later)
		node->line->dirty->missing = NEVER;
}

static bool may_take(const struct choice *choice, const struct node *node)
{
	if (node->unit.event > choice->barrier)
		return false;
	return node->unit.kind != UNIT_CACHED || node->line->dirty->missing >= node->unit.event;
}

static void leave_out(struct choice *choice, struct node *node)
{
	if (node->unit.kind == UNIT_CACHED && node->line->dirty->missing == NEVER)
		node->line->dirty->missing = node->unit.event;
	if (order_event(node) < choice->barrier)
		choice->barrier = order_event(node);
}

bool model_allows(struct model *model, const bool *persisted)
{
	struct choice choice;

	choice_start(model, &choice);
	for (struct node *node = model->pending.all.first; node; node = node->later) {
		for (unsigned i = 0; i < node->units; i++, persisted++) {
			if (!*persisted)
				leave_out(&choice, node);
			else if (!may_take(&choice, node))
				return false;
		}
	}
	return true;
}

/* State to restore when a decision to leave a unit out is undone. */
struct undo {
	uint64_t missing, barrier;
};

struct walk {
	struct choice choice;
	struct node **nodes; /* the node of each unit */
	struct undo *undo;
	bool *persisted;
	size_t count;
};

/* Leave out all units from `at` on. */
static void walk_down(struct walk *w, size_t at)
{
	for (; at < w->count; at++) {
		w->undo[at] = (struct undo){w->nodes[at]->line->dirty->missing, w->choice.barrier};
		w->persisted[at] = false;
		leave_out(&w->choice, w->nodes[at]);
	}
}

/* Go to the next set: take the last unit that is left out and may be taken, and leave out all units after it.  Return
 * false after the last set. */
static bool walk_next(struct walk *w)
{
	for (size_t at = w->count; at-- > 0;) {
		if (w->persisted[at])
			continue;
		w->nodes[at]->line->dirty->missing = w->undo[at].missing;
		w->choice.barrier = w->undo[at].barrier;
		if (!may_take(&w->choice, w->nodes[at]))
			continue;
		w->persisted[at] = true;
		walk_down(w, at + 1);
		return true;
	}
	return false;
}

bool model_enumerate(struct model *model, bool (*visit)(void *arg, const bool *persisted, size_t count), void *arg)
{
	struct walk w = {.count = model->pending.count};
	size_t i = 0;
	bool more;

	choice_start(model, &w.choice);
	w.nodes = mem_resize(NULL, w.count + 1, sizeof(*w.nodes));
	w.undo = mem_resize(NULL, w.count + 1, sizeof(*w.undo));
	w.persisted = mem_resize(NULL, w.count + 1, sizeof(*w.persisted));
	for (struct node *node = model->pending.all.first; node; node = node->later)
		for (unsigned unit = 0; unit < node->units; unit++)
			w.nodes[i++] = node;
	walk_down(&w, 0);
	do {
		more = visit(arg, w.persisted, w.count);
	} while (more && walk_next(&w));
	free(w.nodes);
	free(w.undo);
	free(w.persisted);
	return more;
}
