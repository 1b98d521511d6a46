/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Move units from pending to certain. */
#include "model/platform.h"

/* Report all units before removing any: during the callbacks, all of them still count as pending. */
static inline void persist_report(const struct model *model, const struct event *by, const struct node *node)
{
	const struct model_observer *observer = model->observer;
	struct unit unit;

	if (!observer)
		return;
	if (observer->persist_line)
		observer->persist_line(model->arg, by, &node->unit, node->bytes);
	if (!observer->persist)
		return;
	unit = node->unit;
	for (unsigned words = words_of(node->bytes); words; words &= words - 1) {
		unit_place(&unit, node, word_first(words));
		observer->persist(model->arg, by, &unit);
	}
}

/* Units that are not cached are reported and removed one by one, so that the observer can see at the last unit of a
 * line that nothing else is left there. */
static void persist_one_by_one(struct model *model, const struct event *by, struct node *node, unsigned words)
{
	struct unit unit = node->unit;

	for (; words; words &= words - 1) {
		unit_place(&unit, node, word_first(words));
		model->observer->persist(model->arg, by, &unit);
		pending_remove_units(&model->pending, node, words & -words);
	}
}

void persist_units(struct model *model, const struct event *by, struct node *node, unsigned words)
{
	const struct model_observer *observer = model->observer;

	if (node->unit.event > model->pending.newest_certain)
		model->pending.newest_certain = node->unit.event;
	if (observer && observer->persist_line)
		observer->persist_line(model->arg, by, &node->unit, node->bytes & words_mask(words));
	if (observer && observer->persist)
		persist_one_by_one(model, by, node, words);
	else
		pending_remove_units(&model->pending, node, words);
}

void persist_node(struct model *model, const struct event *by, struct node *node)
{
	persist_units(model, by, node, words_of(node->bytes));
}

void persist_line(struct model *model, const struct event *by, struct line *line, uint64_t event)
{
	struct node *node = line->dirty ? line->dirty->cached.first : NULL, *last = NULL;

	for (; node && node->unit.event < event; node = node->next) {
		persist_report(model, by, node);
		last = node;
	}
	if (!last)
		return;
	if (last->unit.event > model->pending.newest_certain)
		model->pending.newest_certain = last->unit.event;
	pending_remove_cached(&model->pending, line, last);
}

void persist_direct(struct model *model, const struct event *by, struct thread *thread)
{
	while (thread->direct.first)
		persist_node(model, by, thread->direct.first);
}

/* One pass is enough: an order makes only earlier stores certain, which can complete only earlier orders. */
void persist_settle(struct model *model, const struct event *by)
{
	struct pending *pending = &model->pending;

	while (pending->orders && pending->orders->event < pending->newest_certain)
		persist_line(model, by, pending->orders->line, pending->orders->event);
}
