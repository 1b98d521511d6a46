/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build the choices (choices.h) from a model. */
#include <string.h>

#include "base/err.h"
#include "model/choices.h"
#include "model/platform.h"

static struct choices_unit unit_take(const struct node *node, const struct unit *unit, uint32_t pending)
{
	struct choices_unit taken = {
		.event = unit->event,
		.order = node->order ? node->order->event : CHOICES_NEVER,
		.offset = unit->offset,
		.file = unit->file,
		.context = unit->context,
		.thread = unit->thread,
		.flush_context = unit->flush_context,
		.pending = pending,
		.size = unit->size,
		.kind = unit->kind,
		.cover = unit->cover,
		.store = unit->store,
		.shows = (uint8_t)byte_mask(0, unit->size),
	};

	memcpy(taken.value, unit->value, sizeof(taken.value));
	return taken;
}

static uint64_t unit_line(const struct choices_unit *unit)
{
	return unit->offset - unit->offset % LINE_BYTES;
}

/* By line, then by the sequence of the stores. */
static int unit_compare(const void *left, const void *right)
{
	const struct choices_unit *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (unit_line(a) != unit_line(b))
		return unit_line(a) < unit_line(b) ? -1 : 1;
	return a->pending < b->pending ? -1 : a->pending > b->pending;
}

static bool line_begins(const struct choices_unit *units, size_t at)
{
	return !at || units[at].file != units[at - 1].file || unit_line(&units[at]) != unit_line(&units[at - 1]);
}

static void lines_fill(struct choices *c, struct choices_line *lines, const struct choices_unit *units)
{
	struct choices_line *line = lines - 1;

	for (uint32_t i = 0; i < c->unit_count; i++) {
		if (line_begins(units, i))
			*++line = (struct choices_line){.offset = unit_line(&units[i]),
							.file = units[i].file,
							.first = i};
		if (++line->count > c->line_units_max)
			c->line_units_max = line->count;
	}
}

static uint32_t orders_count(const struct model *model)
{
	uint32_t count = 0;

	for (const struct order *order = model->pending.orders; order; order = order->next)
		count++;
	return count;
}

struct choices *choices_take(struct model *model)
{
	size_t count = model->pending.count, lines = 0, bytes;
	struct choices_unit *units = mem_resize(NULL, count + 1, sizeof(*units));
	struct choices *c;
	uint32_t i = 0;

	BUG_ON(model->depth != MODEL_STATES || count >= CHOICES_NONE);
	for (const struct node *node = model->pending.all.first; node; node = node->later) {
		struct unit unit = node->unit;

		for (unsigned words = words_of(node->bytes); words; words &= words - 1, i++) {
			unit_place(&unit, node, word_first(words));
			units[i] = unit_take(node, &unit, i);
		}
	}
	qsort(units, count, sizeof(*units), unit_compare);
	for (size_t at = 0; at < count; at++)
		lines += line_begins(units, at);
	bytes = sizeof(*c) + lines * sizeof(struct choices_line) + count * sizeof(*units);
	c = mem_alloc(bytes);
	*c = (struct choices){
		.bytes = bytes,
		.event = model->number,
		.line_count = (uint32_t)lines,
		.unit_count = i,
		.order_count = orders_count(model),
	};
	lines_fill(c, (struct choices_line *)(c + 1), units);
	memcpy((struct choices_line *)(c + 1) + lines, units, count * sizeof(*units));
	free(units);
	return c;
}
