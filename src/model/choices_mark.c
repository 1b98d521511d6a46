/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mark the states of a line whose bytes occur again in a later state; see choices.h.
 *
 * In a line of cached units these are the states after whole events, one per event.  Of equal states, the last one is
 * kept.  The certain content is not known here, so the initial state, without any unit, is equal to none of them; and
 * the state with all units must remain.  Nothing is marked if there are orders, because then it matters to other lines
 * which state is taken. */
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/vec.h"
#include "model/choices.h"
#include "model/model.h"

struct content {
	uint8_t bytes[LINE_BYTES];
	uint64_t shown; /* bit i: bytes[i] comes from a unit */
};

struct step {
	uint32_t unit; /* the last unit of its event */
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
	unsigned first = unit->offset % LINE_BYTES;

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
