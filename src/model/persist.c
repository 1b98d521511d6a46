/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From pending to certain. */
#include "model/platform.h"

void persist_unit(struct model *model, const struct event *by, const struct unit *unit)
{
	if (model->observer && model->observer->persist)
		model->observer->persist(model->arg, by, unit);
}

void persist_node(struct model *model, const struct event *by, struct node *node)
{
	if (node->unit.event > model->pending.newest_certain)
		model->pending.newest_certain = node->unit.event;
	persist_unit(model, by, &node->unit);
	pending_remove(&model->pending, node);
}

void persist_line(struct model *model, const struct event *by, struct line *line, uint64_t event)
{
	struct node *node = line->dirty ? line->dirty->cached.first : NULL, *last = NULL;

	for (; node && node->unit.event < event; node = node->next) {
		persist_unit(model, by, &node->unit);
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

/* One pass is enough: what an order makes certain was stored before it, and so makes only earlier orders fall due. */
void persist_settle(struct model *model, const struct event *by)
{
	struct pending *pending = &model->pending;

	while (pending->orders && pending->orders->event < pending->newest_certain)
		persist_line(model, by, pending->orders->line, pending->orders->event);
}
