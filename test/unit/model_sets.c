/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_sets.c - see model_sets.h. */
#include "model_sets.h"

#include <stdlib.h>

#include "model/sets.h"

/* State to restore when a decision to leave a unit out is undone. */
struct undo {
	uint64_t missing, barrier;
};

struct walk {
	struct decisions decisions;
	struct node **nodes; /* the node of each unit */
	struct undo *undo;
	bool *persisted;
	size_t count;
};

/* Leave out all units from `at` on. */
static void walk_down(struct walk *w, size_t at)
{
	for (; at < w->count; at++) {
		w->undo[at] = (struct undo){w->nodes[at]->line->dirty->missing, w->decisions.barrier};
		w->persisted[at] = false;
		decisions_leave_out(&w->decisions, w->nodes[at]);
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
		w->decisions.barrier = w->undo[at].barrier;
		if (!decisions_may_take(&w->decisions, w->nodes[at]))
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

	w.decisions = decisions_start(model);
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

bool choices_allows(const struct choices *c, uint32_t line, struct choices_bounds bounds, const uint8_t *taken)
{
	const struct choices_unit *units = choices_units(c) + choices_lines(c)[line].first;

	for (uint32_t i = 0; i < choices_lines(c)[line].count; i++) {
		if (taken[i] ? units[i].event >= bounds.barrier : units[i].order < bounds.latest)
			return false;
		for (uint32_t j = 0; taken[i] && j < i; j++) {
			bool in_line = units[i].kind == UNIT_CACHED && units[j].kind == UNIT_CACHED &&
				       units[j].event < units[i].event;

			if (!taken[j] && (in_line || units[j].order <= units[i].event))
				return false;
		}
	}
	return true;
}
