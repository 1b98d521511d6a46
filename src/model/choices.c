/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choices.c - see choices.h.  Compiled into the preload library as well: no allocation, no library calls. */
#include "model/choices.h"

#define CACHED 0 /* enum unit_kind; model.h would need libraries */

/* The combined effect of a line's decisions, from its first unit up to some unit.  It covers only this line: the
 * sequence within the line, and the orders broken in it. */
struct pass {
	const struct choices_unit *units;
	uint32_t count;
	uint64_t missing; /* event of the first cached unit left out */
	uint64_t barrier; /* that of the bounds, or an earlier one */
};

static struct pass pass_start(const struct choices *c, uint32_t line, struct choices_bounds bounds)
{
	const struct choices_line *l = &choices_lines(c)[line];

	return (struct pass){choices_units(c) + l->first, l->count, CHOICES_NEVER, bounds.barrier};
}

static bool may_take(const struct pass *p, const struct choices_unit *unit)
{
	return unit->event < p->barrier && (unit->kind != CACHED || p->missing >= unit->event);
}

/* Something stored after the CLFLUSH that covered the unit was taken elsewhere.  The forced units of a line are the
 * first of its cached ones. */
static bool must_take(const struct choices_unit *unit, struct choices_bounds bounds)
{
	return unit->order < bounds.latest;
}

static void leave_out(struct pass *p, const struct choices_unit *unit)
{
	if (unit->kind == CACHED && p->missing == CHOICES_NEVER)
		p->missing = unit->event;
	if (unit->order < p->barrier)
		p->barrier = unit->order;
}

/* Finding lines */

static bool line_before(const struct choices_line *line, uint32_t file, uint64_t offset)
{
	return line->file < file || (line->file == file && line->offset + (LINE_BYTES - 1) < offset);
}

uint32_t choices_find_from(const struct choices *c, uint32_t file, uint64_t offset)
{
	uint32_t low = 0, high = c->line_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (line_before(&choices_lines(c)[middle], file, offset))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Alternatives */

bool choices_first(const struct choices *c, uint32_t line, struct choices_bounds bounds, enum choices_mode mode,
		   uint8_t *taken)
{
	const struct pass p = pass_start(c, line, bounds);

	(void)mode; /* forced units are always cached */
	for (uint32_t i = 0; i < p.count; i++)
		taken[i] = must_take(&p.units[i], bounds);
	return true;
}

/* Return the last unit that is left out but could be taken, given the decisions before it; `count` if there is none. */
static uint32_t last_open(struct pass p, const uint8_t *taken, bool cached_only)
{
	uint32_t found = p.count;

	for (uint32_t i = 0; i < p.count; i++) {
		if (taken[i] || (cached_only && p.units[i].kind != CACHED))
			continue;
		if (may_take(&p, &p.units[i]))
			found = i;
		leave_out(&p, &p.units[i]);
	}
	return found;
}

/* Make the set in which `at` is taken, and after it only the forced units. */
static void take_and_restart(const struct pass *p, struct choices_bounds bounds, uint32_t at, uint8_t *taken)
{
	taken[at] = 1;
	for (uint32_t i = at + 1; i < p->count; i++)
		taken[i] = must_take(&p->units[i], bounds);
}

/* Bytes of the line that the unit would show. */
static uint64_t unit_bytes(const struct choices_unit *unit)
{
	return (uint64_t)unit->shows << unit->offset % LINE_BYTES;
}

/* The first barrier that the cached units of the line leave. */
static uint64_t own_barrier(struct pass p, const uint8_t *taken)
{
	for (uint32_t i = 0; i < p.count; i++) {
		if (!taken[i])
			leave_out(&p, &p.units[i]);
	}
	return p.barrier;
}

/* After the cached units, the others are decided from the latest to the earliest, so that it is known which bytes of
 * each are hidden. */
static uint32_t first_open_free(const struct pass *p, const uint8_t *taken)
{
	uint64_t hidden = 0, barrier = own_barrier(*p, taken);
	uint32_t found = p->count;

	for (uint32_t i = p->count; i-- > 0;) {
		const struct choices_unit *unit = &p->units[i];

		if (taken[i])
			hidden |= unit_bytes(unit);
		else if (unit->kind != CACHED && unit->event < barrier && unit_bytes(unit) & ~hidden)
			found = i;
	}
	return found;
}

static void clear_free(const struct pass *p, uint32_t before, uint8_t *taken)
{
	for (uint32_t i = 0; i < before; i++)
		taken[i] &= p->units[i].kind == CACHED;
}

static bool next_content(const struct pass *p, struct choices_bounds bounds, uint8_t *taken)
{
	uint32_t at = first_open_free(p, taken);

	if (at < p->count) {
		taken[at] = 1;
		clear_free(p, at, taken);
		return true;
	}
	clear_free(p, p->count, taken);
	at = last_open(*p, taken, true);
	if (at == p->count)
		return false;
	take_and_restart(p, bounds, at, taken);
	return true;
}

/* Is the last taken unit marked `returns`, and are all units of its event taken?  Then the line has these bytes again
 * later. */
static bool returns(const struct pass *p, const uint8_t *taken)
{
	uint32_t last = p->count;

	while (last-- > 0 && !taken[last])
		;
	if (last >= p->count || !p->units[last].returns)
		return false;
	for (uint32_t i = last; i > 0 && p->units[i - 1].event == p->units[last].event; i--) {
		if (!taken[i - 1])
			return false;
	}
	return true;
}

bool choices_next(const struct choices *c, uint32_t line, struct choices_bounds bounds, enum choices_mode mode,
		  uint8_t *taken)
{
	const struct pass p = pass_start(c, line, bounds);
	uint32_t at;
	bool more;

	if (mode == CHOICES_SETS) {
		at = last_open(p, taken, false);
		if (at == p.count)
			return false;
		take_and_restart(&p, bounds, at, taken);
		return true;
	}
	do
		more = next_content(&p, bounds, taken);
	while (more && mode == CHOICES_ONCE && returns(&p, taken));
	return more;
}

void choices_most(const struct choices *c, uint32_t line, struct choices_bounds bounds, uint8_t *taken)
{
	struct pass p = pass_start(c, line, bounds);

	for (uint32_t i = 0; i < p.count; i++) {
		taken[i] = may_take(&p, &p.units[i]);
		if (!taken[i])
			leave_out(&p, &p.units[i]);
	}
}

bool choices_forced(const struct choices *c, uint32_t line, struct choices_bounds bounds)
{
	struct pass p = pass_start(c, line, bounds);

	for (uint32_t i = 0; i < p.count; i++) {
		if (must_take(&p.units[i], bounds))
			continue;
		if (may_take(&p, &p.units[i]))
			return false;
		leave_out(&p, &p.units[i]);
	}
	return true;
}

struct choices_bounds choices_decide(const struct choices *c, uint32_t line, const uint8_t *taken,
				     struct choices_bounds bounds)
{
	const struct choices_line *l = &choices_lines(c)[line];
	const struct choices_unit *units = choices_units(c) + l->first;

	for (uint32_t i = 0; i < l->count; i++) {
		if (taken[i] && units[i].event > bounds.latest)
			bounds.latest = units[i].event;
		if (!taken[i] && units[i].order < bounds.barrier)
			bounds.barrier = units[i].order;
	}
	return bounds;
}

void choices_apply(const struct choices *c, uint32_t line, const uint8_t *taken, uint8_t *bytes)
{
	const struct choices_line *l = &choices_lines(c)[line];
	const struct choices_unit *unit = choices_units(c) + l->first;

	for (uint32_t i = 0; i < l->count; i++, unit++) {
		for (unsigned b = 0; taken[i] && b < unit->size; b++) {
			if (unit->shows >> b & 1)
				bytes[unit->offset % LINE_BYTES + b] = unit->value[b];
		}
	}
}

/* Counting.  Same method as model/count.c, which explains it: F is a product over lines, and the number of sets is a
 * sum of differences of F, one for each order that can be the latest one with a unit after it.  F is recomputed for
 * each order, because there is no memory to go from one to the next. */

/* A store has at most 8 units in a line, but there may be more free units than bits in a word. */
static double line_ways(const struct choices *c, const struct choices_line *line, uint64_t upto, uint64_t orders)
{
	const struct choices_unit *unit = choices_units(c) + line->first, *end = unit + line->count;
	double ways = 1, free = 1, group = 1;
	uint64_t event = 0;

	for (; unit < end && unit->event < upto; unit++) {
		if (unit->kind != CACHED) {
			free *= 2;
		} else if (unit->order > orders) {
			group = unit->event == event ? group * 2 : 1; /* 2^n - 1 is 1 + 2 + 4 ... */
			event = unit->event;
			ways += group;
		}
	}
	return ways * free;
}

/* Sets of the units stored before `upto` that contain all units covered by orders up to `orders`. */
static double all_ways(const struct choices *c, const uint8_t *decided, uint64_t upto, uint64_t orders)
{
	double product = 1;

	for (uint32_t i = 0; i < c->line_count; i++) {
		if (!decided || !decided[i])
			product *= line_ways(c, &choices_lines(c)[i], upto, orders);
	}
	return product;
}

/* The first order of an open line after `event` but before `limit`; `limit` if there is none. */
static uint64_t order_after(const struct choices *c, const uint8_t *decided, uint64_t event, uint64_t limit)
{
	for (uint32_t i = 0; c->order_count && i < c->line_count; i++) {
		const struct choices_line *line = &choices_lines(c)[i];

		for (uint32_t u = line->first; (!decided || !decided[i]) && u < line->first + line->count; u++) {
			uint64_t order = choices_units(c)[u].order;

			if (order > event && order < limit)
				limit = order;
		}
	}
	return limit;
}

double choices_count(const struct choices *c, struct choices_bounds bounds, const uint8_t *decided)
{
	uint64_t order = bounds.latest, next = order_after(c, decided, order, bounds.barrier);
	double count = all_ways(c, decided, next, order);

	while (next < bounds.barrier) {
		order = next;
		next = order_after(c, decided, order, bounds.barrier);
		count += all_ways(c, decided, next, order) - all_ways(c, decided, order, order);
	}
	return count;
}

/* Blocks from elsewhere */

static bool unit_check(const struct choices_unit *unit, const struct choices_line *line)
{
	uint64_t within = unit->offset - line->offset;

	return unit->file == line->file && unit->offset >= line->offset && within < LINE_BYTES && unit->size >= 1 &&
	       within % 8 + unit->size <= 8 && unit->shows >> (unit->size - 1) <= 1 && unit->event < unit->order;
}

static bool line_check(const struct choices *c, uint32_t at, uint32_t first)
{
	const struct choices_line *line = &choices_lines(c)[at];

	if (line->offset % LINE_BYTES || line->first != first || !line->count || line->count > c->line_units_max ||
	    line->count > c->unit_count - first || (at && !line_before(line - 1, line->file, line->offset)))
		return false;
	for (uint32_t i = 0; i < line->count; i++) {
		const struct choices_unit *unit = choices_units(c) + first + i;

		if (!unit_check(unit, line) || (i && unit->event < unit[-1].event))
			return false;
	}
	return true;
}

bool choices_check(const struct choices *c, size_t bytes)
{
	uint32_t first = 0;

	if (bytes < sizeof(*c) || c->bytes != bytes ||
	    bytes != sizeof(*c) + c->line_count * sizeof(struct choices_line) +
			     c->unit_count * sizeof(struct choices_unit))
		return false;
	for (uint32_t i = 0; i < c->line_count; i++) {
		if (!line_check(c, i, first))
			return false;
		first += choices_lines(c)[i].count;
	}
	return first == c->unit_count;
}
