/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/boxes_part.h"

#include <string.h>

#define CALLS_MAX 20000u

static void all_drop(struct parts *parts)
{
	for (size_t i = 0; i < parts->all.count; i++)
		free(parts->all.at[i]);
	parts->all.count = 0;
}

void parts_start(struct parts *parts)
{
	all_drop(parts);
	parts->lines.count = 0;
	parts->bits = 0;
	parts->words = 1;
}

void parts_free(struct parts *parts)
{
	all_drop(parts);
	vec_free(&parts->all);
	vec_free(&parts->lines);
}

void parts_line(struct parts *parts, size_t values)
{
	struct parts_span span = {parts->bits, values};

	vec_push(&parts->lines, span);
	parts->bits += values;
	parts->words = parts->bits / 64 + 1;
}

void parts_whole(const struct parts *parts, mpz_t size)
{
	mpz_set_ui(size, 1);
	for (size_t i = 0; i < parts->lines.count; i++)
		mpz_mul_ui(size, size, parts->lines.at[i].count);
}

uint64_t *parts_new(const struct parts *parts)
{
	uint64_t *part = mem_resize(NULL, parts->words, sizeof(*part));

	memset(part, 0xff, parts->words * sizeof(*part));
	return part;
}

static bool is_within(const struct parts *parts, const uint64_t *part, const uint64_t *other)
{
	for (size_t i = 0; i < parts->words; i++) {
		if (part[i] & ~other[i])
			return false;
	}
	return true;
}

void parts_keep(struct parts *parts, uint64_t *part)
{
	size_t kept = 0;

	for (size_t i = 0; i < parts->all.count; i++) {
		if (is_within(parts, part, parts->all.at[i])) {
			free(part);
			return;
		}
	}
	for (size_t i = 0; i < parts->all.count; i++) {
		if (is_within(parts, parts->all.at[i], part))
			free(parts->all.at[i]);
		else
			parts->all.at[kept++] = parts->all.at[i];
	}
	parts->all.count = kept;
	vec_push(&parts->all, part);
}

static size_t span_count(const uint64_t *part, struct parts_span span)
{
	size_t count = 0;

	for (size_t bit = span.first; bit < span.first + span.count; bit++)
		count += part[bit / 64] >> bit % 64 & 1;
	return count;
}

/* The number of contents of a part; 0 if a line has no value left. */
static void part_size(const struct parts *parts, const uint64_t *part, mpz_t size)
{
	mpz_set_ui(size, 1);
	for (size_t i = 0; i < parts->lines.count; i++)
		mpz_mul_ui(size, size, span_count(part, parts->lines.at[i]));
}

static bool part_is_empty(const struct parts *parts, const uint64_t *part)
{
	for (size_t i = 0; i < parts->lines.count; i++) {
		if (!span_count(part, parts->lines.at[i]))
			return true;
	}
	return false;
}

/* The intersections of the first part with each of the others. */
static void parts_meet(const struct parts *box, uint64_t *const *all, size_t count, struct parts *common)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t *both = parts_new(box);

		for (size_t w = 0; w < box->words; w++)
			both[w] = all[0][w] & all[i][w];
		if (part_is_empty(box, both))
			free(both);
		else
			parts_keep(common, both);
	}
}

/* |A u B| = |A| + |B| - |A n B|, where A is the first part and B the union of the others. */
static bool union_count(const struct parts *box, uint64_t *const *all, size_t count, unsigned *calls, mpz_t size)
{
	struct parts common = {.words = box->words};
	bool counted;
	mpz_t part;

	mpz_set_ui(size, 0);
	if (!count)
		return true;
	if (++*calls > CALLS_MAX)
		return false;
	parts_meet(box, all, count, &common);
	mpz_init(part);
	part_size(box, all[0], size);
	counted = union_count(box, all + 1, count - 1, calls, part);
	mpz_add(size, size, part);
	counted = counted && union_count(box, common.all.at, common.all.count, calls, part);
	mpz_sub(size, size, part);
	mpz_clear(part);
	parts_free(&common);
	return counted;
}

bool parts_union(const struct parts *parts, mpz_t size)
{
	unsigned calls = 0;

	return union_count(parts, parts->all.at, parts->all.count, &calls, size);
}
