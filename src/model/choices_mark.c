/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which states of a line have bytes that it has again later?  See choices.h.
 *
 * In a line of cached units these are the states after whole events, one for each event.  Of those that are alike the
 * last one stays: it is not known here what is certain, so the first state of all, without any unit, is like none of
 * them, and the one with all units must stay what it is.  Where there are orders it matters to other lines which of
 * them is taken. */
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/vec.h"
#include "model/choices.h"
#include "model/model.h"

struct content {
	uint8_t bytes[CHOICES_LINE];
	uint64_t shown; /* bit i: bytes[i] is that of a unit */
};

struct step {
	uint32_t unit; /* the last one of its event */
	XXH128_hash_t content;
};

struct steps {
	VEC_OF(struct step) all;
	struct map later;
};

static bool is_cached(const struct choices_unit *units, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (units[i].kind != UNIT_CACHED)
			return false;
	}
	return true;
}

static void unit_show(struct content *content, const struct choices_unit *unit)
{
	unsigned first = unit->offset % CHOICES_LINE;

	for (unsigned i = 0; i < unit->size; i++) {
		if (unit->shows >> i & 1)
			content->bytes[first + i] = unit->value[i];
	}
	content->shown |= (uint64_t)unit->shows << first;
}

static void steps_find(struct steps *steps, const struct choices_unit *units, uint32_t count)
{
	struct content content;

	memset(&content, 0, sizeof(content));
	steps->all.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		unit_show(&content, &units[i]);
		if (i + 1 == count || units[i + 1].event != units[i].event)
			vec_push(&steps->all, ((struct step){i, XXH3_128bits(&content, sizeof(content))}));
	}
}

static void line_mark(struct steps *steps, struct choices_unit *units, uint32_t count)
{
	steps_find(steps, units, count);
	for (size_t i = steps->all.count; i-- > 0;) {
		const struct step *step = &steps->all.at[i];
		uint64_t *seen = map_put(&steps->later, step->content.low64, step->content.high64);

		units[step->unit].returns = *seen != 0;
		*seen = 1;
	}
	map_free(&steps->later);
	steps->later = (struct map){0};
}

void choices_mark(struct choices *c)
{
	struct choices_unit *units = (struct choices_unit *)choices_units(c);
	struct steps steps = {0};

	for (uint32_t i = 0; i < c->line_count && !c->order_count; i++) {
		const struct choices_line *l = &choices_lines(c)[i];

		if (l->count > 1 && is_cached(units + l->first, l->count))
			line_mark(&steps, units + l->first, l->count);
	}
	vec_free(&steps.all);
}
