/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans.c - see spans.h. */
#include "base/spans.h"

#include <stdlib.h>

#include "base/vec.h"

void spans_add(struct spans *spans, uint64_t low, uint64_t high, uint32_t rank, uint32_t id)
{
	if (low < high)
		vec_push(spans, ((struct span){.low = low, .high = high, .rank = rank, .id = id}));
}

static int span_compare(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

void spans_sort(struct spans *spans)
{
	uint64_t reach = 0;

	if (spans->count)
		qsort(spans->at, spans->count, sizeof(*spans->at), span_compare);
	for (size_t i = 0; i < spans->count; i++) {
		if (spans->at[i].high > reach)
			reach = spans->at[i].high;
		spans->at[i].reach = reach;
	}
}

/* Index of the first span that starts above addr. */
static size_t spans_above(const struct spans *spans, uint64_t addr)
{
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->at[middle].low <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct span *spans_find(const struct spans *spans, uint64_t addr)
{
	for (size_t i = spans_above(spans, addr); i > 0 && spans->at[i - 1].reach > addr; i--) {
		if (spans->at[i - 1].high > addr)
			return &spans->at[i - 1];
	}
	return NULL;
}

uint64_t spans_next(const struct spans *spans, uint64_t addr)
{
	size_t i = spans_above(spans, addr);

	return i < spans->count ? spans->at[i].low : UINT64_MAX;
}

void spans_free(struct spans *spans)
{
	vec_free(spans);
}
