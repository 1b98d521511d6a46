/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choices_close.c - legal sets that are as close as possible to a wish; see choices.h. */
#include "model/choices.h"

#include "model/model.h"

static bool is_cached(const struct choices_unit *unit)
{
	return unit->kind == UNIT_CACHED;
}

/* The event of the first broken order. */
static uint64_t barrier_find(const struct choices *c, const uint8_t *taken)
{
	const struct choices_unit *units = choices_units(c);
	uint64_t barrier = CHOICES_NEVER;

	for (uint32_t i = 0; i < c->unit_count; i++)
		if (!taken[i] && units[i].order < barrier)
			barrier = units[i].order;
	return barrier;
}

/* The event of the first cached unit of the line that is left out. */
static uint64_t missing_find(const struct choices_unit *units, const uint8_t *taken, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_cached(&units[i]) && !taken[i])
			return units[i].event;
	return CHOICES_NEVER;
}

void choices_drop(const struct choices *c, uint8_t *taken)
{
	bool changed = true;

	while (changed) {
		uint64_t barrier = barrier_find(c, taken);

		changed = false;
		for (uint32_t i = 0; i < c->line_count; i++) {
			const struct choices_line *line = &choices_lines(c)[i];
			const struct choices_unit *units = choices_units(c) + line->first;
			uint8_t *flags = taken + line->first;
			uint64_t missing = missing_find(units, flags, line->count);

			for (uint32_t k = 0; k < line->count; k++) {
				bool drop =
					units[k].event > barrier || (is_cached(&units[k]) && units[k].event > missing);

				changed |= flags[k] && drop;
				flags[k] = flags[k] && !drop;
			}
		}
	}
}

static uint64_t latest_find(const struct choices *c, const uint8_t *taken)
{
	const struct choices_unit *units = choices_units(c);
	uint64_t latest = 0;

	for (uint32_t i = 0; i < c->unit_count; i++)
		if (taken[i] && units[i].event > latest)
			latest = units[i].event;
	return latest;
}

/* The event of the last cached unit of the line that is taken; 0: none. */
static uint64_t last_find(const struct choices_unit *units, const uint8_t *taken, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;)
		if (is_cached(&units[i]) && taken[i])
			return units[i].event;
	return 0;
}

void choices_demand(const struct choices *c, uint8_t *taken)
{
	bool changed = true;

	while (changed) {
		uint64_t latest = latest_find(c, taken);

		changed = false;
		for (uint32_t i = 0; i < c->line_count; i++) {
			const struct choices_line *line = &choices_lines(c)[i];
			const struct choices_unit *units = choices_units(c) + line->first;
			uint8_t *flags = taken + line->first;
			uint64_t last = last_find(units, flags, line->count);

			for (uint32_t k = 0; k < line->count; k++) {
				bool need = units[k].order < latest || (is_cached(&units[k]) && units[k].event < last);

				changed |= !flags[k] && need;
				flags[k] = flags[k] || need;
			}
		}
	}
}
