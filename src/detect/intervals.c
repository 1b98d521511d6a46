/* SPDX-License-Identifier: GPL-2.0-or-later */
/* intervals.c - see intervals.h.  A sorted array in blocks, so that adding to a large set moves few intervals. */
#include "detect/intervals.h"

/* A place in the set: block and index.  The end is (number of blocks, 0). */
struct position {
	size_t block, index;
};

/* The first interval that ends above `address`. */
static struct position position_find(const struct intervals *set, uint64_t address)
{
	size_t low = 0, high = set->blocks.count;
	struct position p;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct intervals_block *block = set->blocks.at[middle];

		if (block->at[block->count - 1].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	p.block = low;
	low = 0;
	high = p.block < set->blocks.count ? set->blocks.at[p.block]->count : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->blocks.at[p.block]->at[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	p.index = low;
	return p;
}

static struct interval *position_interval(const struct intervals *set, struct position p)
{
	return p.block < set->blocks.count ? &set->blocks.at[p.block]->at[p.index] : NULL;
}

static void blocks_insert(struct intervals *set, size_t at)
{
	struct intervals_block *block = set->spare ? set->spare : mem_alloc(sizeof(*block));

	set->spare = NULL;
	block->count = 0;
	vec_push(&set->blocks, NULL);
	memmove(&set->blocks.at[at + 1], &set->blocks.at[at], (set->blocks.count - 1 - at) * sizeof(*set->blocks.at));
	set->blocks.at[at] = block;
}

static void blocks_remove(struct intervals *set, size_t at)
{
	free(set->spare);
	set->spare = set->blocks.at[at];
	set->blocks.count--;
	memmove(&set->blocks.at[at], &set->blocks.at[at + 1], (set->blocks.count - at) * sizeof(*set->blocks.at));
}

static void block_split(struct intervals *set, size_t at)
{
	struct intervals_block *lower = set->blocks.at[at], *upper;
	const size_t half = INTERVALS_BLOCK / 2;

	blocks_insert(set, at + 1);
	upper = set->blocks.at[at + 1];
	upper->count = lower->count - half;
	memcpy(upper->at, lower->at + half, upper->count * sizeof(*upper->at));
	lower->count = half;
}

/* Inserts the interval right before the position. */
static void interval_insert(struct intervals *set, struct position p, const struct interval *interval)
{
	struct intervals_block *block;

	if (p.block == set->blocks.count && p.block) {
		p.block--;
		p.index = set->blocks.at[p.block]->count;
	}
	if (!set->blocks.count)
		blocks_insert(set, 0);
	if (set->blocks.at[p.block]->count == INTERVALS_BLOCK) {
		block_split(set, p.block);
		if (p.index > INTERVALS_BLOCK / 2) {
			p.block++;
			p.index -= INTERVALS_BLOCK / 2;
		}
	}
	block = set->blocks.at[p.block];
	memmove(&block->at[p.index + 1], &block->at[p.index], (block->count - p.index) * sizeof(*block->at));
	block->at[p.index] = *interval;
	block->count++;
}

static void interval_delete(struct intervals *set, struct position p)
{
	struct intervals_block *block = set->blocks.at[p.block];

	block->count--;
	memmove(&block->at[p.index], &block->at[p.index + 1], (block->count - p.index) * sizeof(*block->at));
	if (!block->count)
		blocks_remove(set, p.block);
}

static bool facts_equal(const struct interval *a, const struct interval *b)
{
	return a->context == b->context && a->flags == b->flags;
}

/* Adds an interval that overlaps none. */
static void piece_add(struct intervals *set, const struct interval *piece)
{
	struct position p = position_find(set, piece->start ? piece->start - 1 : 0);
	struct interval *before = position_interval(set, p), *after;

	if (before && before->end == piece->start && facts_equal(before, piece)) {
		before->end = piece->end;
		p = position_find(set, piece->end);
		after = position_interval(set, p);
		if (after && after->start == piece->end && facts_equal(after, piece)) {
			before->end = after->end;
			interval_delete(set, p);
		}
		return;
	}
	p = position_find(set, piece->start);
	after = position_interval(set, p);
	if (after && after->start == piece->end && facts_equal(after, piece))
		after->start = piece->start;
	else
		interval_insert(set, p, piece);
}

void intervals_add(struct intervals *set, const struct interval *interval)
{
	struct interval piece = *interval;

	while (piece.start < interval->end) {
		const struct interval *next = intervals_next(set, piece.start);
		uint64_t resume = interval->end;

		piece.end = interval->end;
		if (next && next->start < interval->end) {
			piece.end = next->start > piece.start ? next->start : piece.start;
			resume = next->end;
		}
		if (piece.start < piece.end)
			piece_add(set, &piece);
		piece.start = resume;
	}
}

void intervals_remove(struct intervals *set, uint64_t start, uint64_t end)
{
	while (start < end) {
		struct position p = position_find(set, start);
		struct interval *at = position_interval(set, p), upper;

		if (!at || at->start >= end)
			return;
		upper = *at;
		upper.start = end;
		if (at->start < start)
			at->end = start;
		else
			interval_delete(set, p);
		start = upper.end;
		if (upper.start < upper.end)
			interval_insert(set, position_find(set, upper.start), &upper);
	}
}

const struct interval *intervals_next(const struct intervals *set, uint64_t address)
{
	return position_interval(set, position_find(set, address));
}

uint64_t intervals_covered(const struct intervals *set, uint64_t start, uint64_t end)
{
	uint64_t covered = 0;

	for (const struct interval *r = intervals_next(set, start); r && r->start < end;
	     r = intervals_next(set, r->end))
		covered += (r->end < end ? r->end : end) - (r->start > start ? r->start : start);
	return covered;
}

void intervals_clear(struct intervals *set)
{
	while (set->blocks.count)
		blocks_remove(set, set->blocks.count - 1);
}

void intervals_free(struct intervals *set)
{
	intervals_clear(set);
	free(set->spare);
	set->spare = NULL;
	vec_free(&set->blocks);
}
