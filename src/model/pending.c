/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/pending.h"

#include <string.h>

#include "base/err.h"

void pending_init(struct pending *pending)
{
	pending->node_slab = SLAB_OF(struct node);
	pending->dirty_slab = SLAB_OF(struct dirty);
	pending->order_slab = SLAB_OF(struct order);
	pending->flush_slab = SLAB_OF(struct flush);
}

void pending_free(struct pending *pending)
{
	slab_free(&pending->node_slab);
	slab_free(&pending->dirty_slab);
	slab_free(&pending->order_slab);
	slab_free(&pending->flush_slab);
	vec_free(&pending->threads);
}

struct thread *pending_thread_new(struct pending *pending, uint32_t id)
{
	static const struct thread blank;

	while (pending->threads.count <= id)
		vec_push(&pending->threads, blank);
	return &pending->threads.at[id];
}

/* Lists */

static struct nodes *own_list(struct pending *pending, const struct node *node)
{
	return node->unit.kind == UNIT_CACHED ? &node->line->dirty->cached
					      : pending_other_list(pending, node->unit.kind, node->unit.thread);
}

struct nodes *pending_other_list(struct pending *pending, unsigned kind, uint32_t thread)
{
	return kind == UNIT_DIRECT ? &pending_thread(pending, thread)->direct : &pending->written;
}

static void own_unlink(struct nodes *list, const struct node *node)
{
	*(node->previous ? &node->previous->next : &list->first) = node->next;
	*(node->next ? &node->next->previous : &list->last) = node->previous;
}

static void all_unlink(struct nodes *list, const struct node *node)
{
	*(node->earlier ? &node->earlier->later : &list->first) = node->later;
	*(node->later ? &node->later->earlier : &list->last) = node->earlier;
}

static void top_unlink(struct dirty *dirty, const struct node *node)
{
	struct node **top = &dirty->top;

	while (*top != node)
		top = &(*top)->below;
	*top = node->below;
}

/* Orders */

static struct order *order_open(struct pending *pending, struct line *line, uint64_t event)
{
	struct order *order = pending->free_orders;

	if (order)
		pending->free_orders = order->next;
	else
		order = slab_push(&pending->order_slab);
	*order = (struct order){.event = event, .line = line, .previous = pending->orders_last};
	*(pending->orders_last ? &pending->orders_last->next : &pending->orders) = order;
	pending->orders_last = order;
	return order;
}

static void order_close(struct pending *pending, struct order *order)
{
	*(order->previous ? &order->previous->next : &pending->orders) = order->next;
	*(order->next ? &order->next->previous : &pending->orders_last) = order->previous;
	order->next = pending->free_orders;
	pending->free_orders = order;
}

void pending_order(struct pending *pending, struct line *line, uint64_t event)
{
	struct node *node = line->dirty ? line->dirty->cached.last : NULL;
	struct order *order;

	/* If this CLFLUSH covers no more than an earlier one, it adds nothing. */
	if (!node || node->order)
		return;
	order = order_open(pending, line, event);
	/* Every node older than an ordered node of the line is ordered too. */
	for (; node && !node->order; node = node->previous) {
		node->order = order;
		order->nodes++;
	}
}

/* Nodes */

static inline void order_leave(struct pending *pending, const struct node *node)
{
	if (node->order && --node->order->nodes == 0)
		order_close(pending, node->order);
}

/* Account for `units` removed units of a kind. */
static void dirty_less(struct pending *pending, struct line *line, unsigned kind, unsigned units)
{
	struct dirty *dirty = line->dirty;

	pending->count -= units;
	dirty->count[kind] -= units;
	if (dirty->count[UNIT_CACHED] | dirty->count[UNIT_DIRECT] | dirty->count[UNIT_WRITTEN])
		return;
	line->dirty = NULL;
	dirty->next_free = pending->free_dirty;
	pending->free_dirty = dirty;
}

/* Remove a node from all lists and free it. */
static void node_remove(struct pending *pending, struct node *node)
{
	pending_uncover(node, node->visible);
	own_unlink(own_list(pending, node), node);
	all_unlink(&pending->all, node);
	order_leave(pending, node);
	if (node->unit.kind == UNIT_DIRECT)
		pending_thread(pending, node->unit.thread)->direct_count -= node->units;
	dirty_less(pending, node->line, node->unit.kind, node->units);
	node->next = pending->free_nodes;
	pending->free_nodes = node;
}

/* Remove nodes without a visible byte from the top list. */
static void top_sweep(struct dirty *dirty)
{
	struct node **at = &dirty->top;

	while (*at) {
		if ((*at)->visible)
			at = &(*at)->below;
		else
			*at = (*at)->below;
	}
}

void pending_remove_cached(struct pending *pending, struct line *line, struct node *last)
{
	struct dirty *dirty = line->dirty;
	struct node *first = dirty->cached.first, *end = last->next, *node;
	uint64_t seen = 0;
	unsigned units = 0;

	for (node = first; node != end; node = node->next) {
		all_unlink(&pending->all, node);
		order_leave(pending, node);
		seen |= node->visible;
		node->visible = 0;
		units += node->units;
	}
	if (seen) {
		dirty->visible &= ~seen;
		if (dirty->visible)
			top_sweep(dirty);
		else
			dirty->top = NULL;
	}
	dirty->cached.first = end;
	*(end ? &end->previous : &dirty->cached.last) = NULL;
	last->next = pending->free_nodes;
	pending->free_nodes = first;
	dirty_less(pending, line, UNIT_CACHED, units);
}

void pending_remove_units(struct pending *pending, struct node *node, unsigned words)
{
	unsigned units = (unsigned)__builtin_popcount(words);
	uint64_t mask = words_mask(words);

	if (units == node->units) {
		node_remove(pending, node);
		return;
	}
	pending_uncover(node, mask);
	node->bytes &= ~mask;
	node->units -= (uint8_t)units;
	if (node->unit.kind == UNIT_DIRECT)
		pending_thread(pending, node->unit.thread)->direct_count -= units;
	dirty_less(pending, node->line, node->unit.kind, units);
}

void pending_hide(struct pending *pending, struct line *line, uint64_t mask, bool forget)
{
	struct dirty *dirty = line->dirty;
	struct node *node, *below;

	if (!dirty || !(dirty->visible & mask))
		return;
	for (node = dirty->top; node; node = below) {
		unsigned words = words_of(node->visible & mask);

		below = node->below;
		if (!words)
			continue;
		pending_uncover(node, mask);
		if (forget && (words &= ~words_of(node->visible)))
			pending_remove_units(pending, node, words);
	}
}

void pending_uncover(struct node *node, uint64_t mask)
{
	struct dirty *dirty = node->line->dirty;

	mask &= node->visible;
	if (!mask)
		return;
	dirty->visible &= ~mask;
	node->visible &= ~mask;
	if (!node->visible)
		top_unlink(dirty, node);
}

/* Flushes */

struct flush *flush_open(struct pending *pending, struct line *line, uint32_t id)
{
	struct thread *thread = pending_thread(pending, id);
	struct flush *flush = line->flushes;

	while (flush && flush->thread != id)
		flush = flush->in_line;
	if (flush)
		return flush;
	flush = pending->free_flushes;
	if (flush)
		pending->free_flushes = flush->next;
	else
		flush = slab_push(&pending->flush_slab);
	*flush = (struct flush){.line = line, .thread = id, .in_line = line->flushes};
	line->flushes = flush;
	*(thread->flushes ? &thread->flushes_last->next : &thread->flushes) = flush;
	thread->flushes_last = flush;
	thread->flush_count++;
	return flush;
}

static void flush_unlink(struct flush *flush)
{
	struct flush **at = &flush->line->flushes;

	while (*at != flush)
		at = &(*at)->in_line;
	*at = flush->in_line;
}

void flush_close_all(struct pending *pending, struct thread *thread)
{
	for (struct flush *flush = thread->flushes; flush; flush = flush->next)
		flush_unlink(flush);
	if (thread->flushes) {
		thread->flushes_last->next = pending->free_flushes;
		pending->free_flushes = thread->flushes;
	}
	thread->flushes = thread->flushes_last = NULL;
	thread->flush_count = 0;
}
