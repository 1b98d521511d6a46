/* SPDX-License-Identifier: GPL-2.0-or-later */
/* minimize.c - see minimize.h: parts are left out, large ones first, then smaller and smaller ones. */
#include "search/minimize.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "search/vary.h"

enum { TRIES_MOST = 40 /* for one finding */, FINDINGS_MOST = 16 };

struct minimizing {
	struct input_search *search;
	char fingerprint[FINGERPRINT_CHARS + 1];
	unsigned tries;
};

/* The smallest input so far. */
static const struct attempt *smallest(const struct minimizing *m)
{
	const struct gathering_entry *entry = gathering_find(m->search->gathering, m->fingerprint);

	return &m->search->attempts.at[entry->execution - 1];
}

/* Operations are left out as whole lines: the number of bytes that a part begins and ends at, from a number of units. */
static size_t units_count(const struct minimizing *m, size_t source)
{
	const struct input_bytes *bytes = &smallest(m)->input.of[source];
	size_t count;

	if (!m->search->plan.sources->at[source].ops)
		return bytes->size;
	free(vary_split(bytes, &count));
	return count;
}

static size_t unit_offset(const struct minimizing *m, size_t source, size_t unit)
{
	const struct input_bytes *bytes = &smallest(m)->input.of[source];
	struct vary_line *lines;
	size_t count, offset;

	if (!m->search->plan.sources->at[source].ops)
		return unit;
	lines = vary_split(bytes, &count);
	offset = unit < count ? (size_t)(lines[unit].at - bytes->at) : bytes->size;
	free(lines);
	return offset;
}

static struct input input_without(const struct minimizing *m, size_t source, size_t from, size_t to)
{
	const struct input *input = &smallest(m)->input;
	const struct input_bytes *bytes = &input->of[source];
	const struct input_sources *sources = m->search->plan.sources;

	if (sources->at[source].kind == BO_SOURCE_SOCKET && to - from == bytes->size)
		return vary_without_message(input, sources, source);
	struct input rest = input_copy(input);
	uint8_t *joined = mem_alloc(bytes->size + 1);

	memcpy(joined, bytes->at, from);
	memcpy(joined + from, bytes->at + to, bytes->size - to);
	input_set(&rest, source, joined, bytes->size - (to - from));
	free(joined);
	return rest;
}

/* Leave out `size` units at one place after the other, as many places at a time as there are jobs.  Returns whether one
 * of them can be left out; -1. */
static int part_leave_out(struct minimizing *m, size_t source, size_t size, size_t *place, struct err *err)
{
	struct input_search *s = m->search;
	const struct attempt *before = smallest(m);
	uint64_t base = (uint64_t)(before - s->attempts.at) + 1;
	size_t count = units_count(m, source), used = 0;

	while (used < s->plan.jobs && *place < count) {
		size_t end = *place + size < count ? *place + size : count;
		struct input rest =
			input_without(m, source, unit_offset(m, source, *place), unit_offset(m, source, end));

		*place = end;
		int offered = input_search_offer(s, &rest, ORIGIN_MINIMIZED, base, 0, err);
		if (offered < 0)
			return -1;
		used += (size_t)offered;
	}
	m->tries += (unsigned)used;
	if (input_search_execute(s, err) < 0)
		return -1;
	return smallest(m) != &s->attempts.at[base - 1];
}

static int source_minimize(struct minimizing *m, size_t source, struct err *err)
{
	for (size_t size = units_count(m, source); size; size /= 2) {
		for (size_t place = 0; place < units_count(m, source);) {
			size_t begin = place;

			if (m->tries >= TRIES_MOST || input_search_is_over(m->search))
				return 0;
			int left_out = part_leave_out(m, source, size, &place, err);
			if (left_out < 0)
				return -1;
			if (left_out) /* what followed is there now */
				place = begin;
		}
	}
	return 0;
}

static int finding_minimize(struct input_search *s, const struct gathering_entry *entry, struct err *err)
{
	struct minimizing m = {.search = s};

	memcpy(m.fingerprint, entry->finding->fingerprint, sizeof(m.fingerprint));
	for (size_t i = 0; i < s->plan.sources->count; i++)
		if (source_minimize(&m, i, err) < 0)
			return -1;
	return input_search_keep(s, gathering_find(s->gathering, m.fingerprint)->execution, err);
}

int inputs_minimize(struct input_search *s, struct err *err)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < gathering_count(s->gathering) && i < FINDINGS_MOST; i++)
		result = finding_minimize(s, gathering_at(s->gathering, i), err);
	return result;
}
