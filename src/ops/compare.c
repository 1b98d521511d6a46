/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.c - see compare.h. */
#include "ops/compare.h"

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool line_same(const struct output_body *a, size_t i, const struct output_body *b, size_t j)
{
	return output_line_hash(a, i) == output_line_hash(b, j);
}

/* Do the ends agree that have no lines of their own? */
static bool rest_same(const struct output_body *a, const struct output_body *b)
{
	return a->rest == b->rest && output_rest_hash(a) == output_rest_hash(b) &&
	       output_is_endless(a->output) == output_is_endless(b->output);
}

/* ---- masks ---- */

static bool is_masked(const struct output_mask *mask, size_t line)
{
	return mask && line < mask->lines.count && mask->lines.at[line];
}

static void mask_line(struct output_mask *mask, size_t line)
{
	while (mask->lines.count <= line)
		vec_push(&mask->lines, false);
	mask->lines.at[line] = true;
}

/* How many lines agree at the start, or are masked? */
static size_t common_head(const struct output_mask *mask, const struct output_body *a, const struct output_body *b)
{
	size_t n = 0, limit = smaller(a->count, b->count);

	while (n < limit && (is_masked(mask, n) || line_same(a, n, b, n)))
		n++;
	return n;
}

/* How many of the last lines agree, after the first `head`, with none of them masked? */
static size_t common_tail(const struct output_mask *mask, const struct output_body *a, const struct output_body *b,
			  size_t head)
{
	size_t n = 0, limit = smaller(a->count, b->count) - head;

	if (!rest_same(a, b) || a->rest)
		return 0;
	while (n < limit && !is_masked(mask, a->count - 1 - n) && line_same(a, a->count - 1 - n, b, b->count - 1 - n))
		n++;
	return n;
}

void mask_learn(struct output_mask *mask, const struct output_body *expected, const struct output_body *again)
{
	if (!mask->open && expected->count == again->count && rest_same(expected, again)) {
		for (size_t i = 0; i < expected->count; i++)
			if (!line_same(expected, i, again, i))
				mask_line(mask, i);
		return;
	}
	size_t head = common_head(mask, expected, again);
	mask->head = mask->open ? smaller(mask->head, head) : head;
	size_t tail = common_tail(mask, expected, again, mask->head);
	mask->tail = mask->open ? smaller(mask->tail, tail) : tail;
	mask->open = true;
}

void mask_free(struct output_mask *mask)
{
	vec_free(&mask->lines);
}

/* ---- comparing ---- */

static struct difference difference_at(size_t expected, size_t got)
{
	return (struct difference){.found = true, .expected = expected, .got = got};
}

static struct difference compare_open(const struct expected *expected, const struct output_body *got)
{
	const struct output_body *want = &expected->body;
	const struct output_mask *mask = expected->mask;
	size_t head = common_head(mask, want, got);

	if (head < mask->head)
		return difference_at(head, head);
	if (output_is_endless(got->output) && !output_is_endless(want->output))
		return difference_at(want->count, got->count);
	if (got->count < mask->head + mask->tail && !got->rest)
		return difference_at(got->count, got->count);
	if (mask->tail && got->rest)
		return difference_at(want->count - mask->tail, got->count);
	for (size_t left = mask->tail; left; left--)
		if (!line_same(want, want->count - left, got, got->count - left))
			return difference_at(want->count - left, got->count - left);
	return (struct difference){0};
}

struct difference compare_one(const struct expected *expected, const struct output_body *got)
{
	const struct output_body *want = &expected->body;

	if (expected->mask && expected->mask->open)
		return compare_open(expected, got);
	size_t head = common_head(expected->mask, want, got);
	if (head < want->count || head < got->count || !rest_same(want, got))
		return difference_at(head, head);
	return (struct difference){0};
}

struct comparison compare_any(const struct expected *expected, unsigned count, const struct output_body *got)
{
	struct comparison best = {.match = -1};

	BUG_ON(!count);
	for (unsigned i = 0; i < count; i++) {
		struct difference difference = compare_one(&expected[i], got);

		if (!difference.found)
			return (struct comparison){.match = (int)i, .nearest = i};
		if (i == 0 || difference.got > best.difference.got) {
			best.nearest = i;
			best.difference = difference;
		}
	}
	return best;
}
