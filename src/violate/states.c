/* SPDX-License-Identifier: GPL-2.0-or-later */
/* states.c - see states.h. */
#include "violate/states.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The pending stores */

static int unit_order(const void *left, const void *right)
{
	const struct held_unit *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void units_list(struct held *h)
{
	const struct choices *c = h->moment->choices;

	for (uint32_t line = 0; line < c->line_count; line++) {
		const struct choices_line *l = &choices_lines(c)[line];

		for (uint32_t i = l->first; i < l->first + l->count; i++)
			h->units[i] = (struct held_unit){choices_units(c)[i].event, i, line};
	}
	if (c->unit_count)
		qsort(h->units, c->unit_count, sizeof(*h->units), unit_order);
}

struct held *held_new(const struct moment *moment)
{
	uint32_t units = moment->choices->unit_count;
	struct held *h = mem_alloc(sizeof(*h));

	h->moment = moment;
	h->units = mem_alloc((units + 1) * sizeof(*h->units));
	h->stores = mem_alloc((units + 1) * sizeof(*h->stores));
	units_list(h);
	for (uint32_t i = 0; i < units; i++) {
		if (!i || h->units[i].event != h->units[i - 1].event)
			h->stores[h->count++] = (struct held_store){h->units[i].event, &h->units[i], 0};
		h->stores[h->count - 1].count++;
	}
	return h;
}

void held_free(struct held *h)
{
	free(h->units);
	free(h->stores);
	free(h);
}

const struct held_store *held_find(const struct held *h, uint64_t event)
{
	uint32_t low = 0, high = h->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (h->stores[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low < h->count && h->stores[low].event == event ? &h->stores[low] : NULL;
}

/* The states */

uint8_t *state_without(const struct held *h, const struct held_store *store)
{
	const struct choices *c = h->moment->choices;
	uint8_t *taken = memset(mem_alloc(c->unit_count + 1), 1, c->unit_count);

	for (uint32_t i = 0; i < store->count; i++)
		taken[store->units[i].unit] = 0;
	choices_drop(c, taken);
	return taken;
}

uint8_t *state_only(const struct held *h, const struct held_store *store)
{
	const struct choices *c = h->moment->choices;
	uint8_t *taken = mem_alloc(c->unit_count + 1);

	for (uint32_t i = 0; store && i < store->count; i++)
		taken[store->units[i].unit] = 1;
	choices_demand(c, taken);
	return taken;
}

/* Contents */

/* The unit that a byte of the line comes from in a state; NULL: from the certain content. */
static const struct choices_unit *byte_origin(const struct choices *c, const struct choices_line *line,
					      const uint8_t *taken, uint64_t offset)
{
	for (uint32_t i = line->first + line->count; i-- > line->first;) {
		const struct choices_unit *u = &choices_units(c)[i];

		if (taken[i] && offset - u->offset < u->size && u->shows >> (offset - u->offset) & 1)
			return u;
	}
	return NULL;
}

/* A byte of a pending store, in a state. */
struct byte {
	const struct choices_unit *origin;
	uint8_t stored; /* by the store */
	uint8_t here, certain;
};

typedef bool byte_test(const struct byte *byte, uint64_t store);

static bool unit_has(const struct moment *m, const struct held_unit *held, const uint8_t *taken, byte_test *test)
{
	const struct choices_line *line = &choices_lines(m->choices)[held->line];
	const struct choices_unit *u = &choices_units(m->choices)[held->unit];

	for (unsigned i = 0; m->lines[held->line].named && i < u->size; i++) {
		uint64_t offset = u->offset + i;
		struct byte byte = {.origin = byte_origin(m->choices, line, taken, offset), .stored = u->value[i]};

		if (!(u->shows >> i & 1))
			continue; /* something newer is certain there */
		byte.certain = m->lines[held->line].certain[offset - line->offset];
		byte.here = byte.origin ? byte.origin->value[offset - byte.origin->offset] : byte.certain;
		if (test(&byte, u->event))
			return true;
	}
	return false;
}

static bool store_has(const struct held *h, const uint8_t *taken, const struct held_store *store, byte_test *test)
{
	for (uint32_t i = 0; i < store->count; i++)
		if (unit_has(h->moment, &store->units[i], taken, test))
			return true;
	return false;
}

static bool byte_is_older(const struct byte *byte, uint64_t store)
{
	return (!byte->origin || byte->origin->event < store) && byte->here != byte->stored;
}

static bool byte_is_new(const struct byte *byte, uint64_t store)
{
	return byte->origin && byte->origin->event == store && byte->here != byte->certain;
}

bool state_lacks(const struct held *h, const uint8_t *taken, const struct held_store *store)
{
	return store_has(h, taken, store, byte_is_older);
}

bool state_shows(const struct held *h, const uint8_t *taken, const struct held_store *store)
{
	return store_has(h, taken, store, byte_is_new);
}
