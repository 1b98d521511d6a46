/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes_meet.c - intersect the current box with earlier ones, and count its new contents; see boxes.h. */
#include <stdlib.h>

#include "count/boxes_in.h"

#define LOOK_LINES 32u        /* lines to search for the one that names the fewest earlier boxes */
#define CANDIDATES_MAX 65536u /* earlier boxes to compare with */
#define VALUES_MAX 4000000u   /* about 600 MiB */

/* The part of an interval that lies before the current box. */
static struct interval interval_before(const struct boxes *b, struct interval interval)
{
	if (interval_is_empty(interval) || interval.from >= b->box)
		return NEVER;
	return (struct interval){interval.from, interval.to < b->box ? interval.to : b->box - 1};
}

static uint64_t interval_count(const struct boxes *b, struct interval interval)
{
	interval = interval_before(b, interval);
	return interval.to - interval.from + 1;
}

/* The number of earlier boxes in which the line had one of its present values.  Some boxes may count more than once. */
static uint64_t line_candidates(const struct boxes *b, const struct line *line)
{
	uint64_t count = 0;

	for (size_t i = 0; i < line->set.count; i++) {
		const struct value *value = &b->values.at[line->set.at[i]];

		count += interval_count(b, value->last);
		for (size_t k = 0; k < value->earlier.count; k++)
			count += interval_count(b, value->earlier.at[k]);
	}
	return count;
}

static void candidates_add(struct boxes *b, struct interval interval)
{
	interval = interval_before(b, interval);
	for (uint64_t box = interval.from; box <= interval.to; box++)
		vec_push(&b->candidates, box);
}

static int by_newest(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a < b) - (a > b);
}

static void candidates_list(struct boxes *b, const struct line *line)
{
	size_t kept = 0;

	b->candidates.count = 0;
	for (size_t i = 0; i < line->set.count; i++) {
		const struct value *value = &b->values.at[line->set.at[i]];

		candidates_add(b, value->last);
		for (size_t k = 0; k < value->earlier.count; k++)
			candidates_add(b, value->earlier.at[k]);
	}
	if (b->candidates.count)
		qsort(b->candidates.at, b->candidates.count, sizeof(*b->candidates.at), by_newest);
	for (size_t i = 0; i < b->candidates.count; i++) {
		if (!kept || b->candidates.at[kept - 1] != b->candidates.at[i])
			b->candidates.at[kept++] = b->candidates.at[i];
	}
	b->candidates.count = kept;
}

/* Of the lines that changed last, use the one that names the fewest boxes. */
static bool candidates_find(struct boxes *b)
{
	const struct line *best = NULL;
	uint64_t fewest = CANDIDATES_MAX + 1;
	unsigned looked = 0;

	for (uint32_t at = b->newest; at != NO_LINE && looked < LOOK_LINES && fewest > 1;
	     at = b->lines.at[at].older, looked++) {
		uint64_t count = line_candidates(b, &b->lines.at[at]);

		if (count < fewest) {
			fewest = count;
			best = &b->lines.at[at];
		}
	}
	if (best)
		candidates_list(b, best);
	return best;
}

/* Comparing */

static bool value_was_in(const struct value *value, uint64_t box)
{
	size_t low = 0, high = value->earlier.count;

	if (value->last.from <= box)
		return value->last.to >= box;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (value->earlier.at[middle].to < box)
			low = middle + 1;
		else
			high = middle;
	}
	return low < value->earlier.count && value->earlier.at[low].from <= box;
}

/* Remove from `part` the values that the line did not have in an earlier box.  Returns how many are left. */
static size_t line_compare(const struct boxes *b, const struct line *line, uint64_t box, uint64_t *part)
{
	size_t left = 0;

	for (size_t i = 0; i < line->set.count; i++) {
		if (value_was_in(&b->values.at[line->set.at[i]], box))
			left++;
		else if (line->set.count > 1)
			part_drop(part, parts_bit(&b->parts, line->part, i));
	}
	return left;
}

/* Keep the intersection of the current box with an earlier one.  Lines that have not changed since that box are
 * skipped.  True if the intersection is the whole current box. */
static bool box_compare(struct boxes *b, uint64_t box)
{
	uint64_t *part = parts_new(&b->parts);
	bool whole = true;

	for (uint32_t at = b->newest; at != NO_LINE && b->lines.at[at].changed > box; at = b->lines.at[at].older) {
		size_t left = line_compare(b, &b->lines.at[at], box, part);

		if (!left) {
			free(part);
			return false;
		}
		whole &= left == b->lines.at[at].set.count;
	}
	parts_keep(&b->parts, part);
	return whole;
}

void box_count(struct boxes *b)
{
	bool whole = false;
	mpz_t size, met;

	mpz_inits(size, met, NULL);
	b->given_up |= b->values.count > VALUES_MAX || (b->box && !candidates_find(b));
	for (size_t i = 0; b->box && !b->given_up && !whole && i < b->candidates.count; i++)
		whole = box_compare(b, b->candidates.at[i]);
	parts_whole(&b->parts, size);
	b->given_up |= !whole && !parts_union(&b->parts, met);
	if (!whole) {
		mpz_sub(size, size, met);
		mpz_add(b->total, b->total, size);
	}
	mpz_clears(size, met, NULL);
	b->box++;
}
