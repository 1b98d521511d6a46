/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_narrow.c - decide only as much of a line as recovery accesses.  Alternatives that agree on those bytes stay
 * together; see lazy.h, METHOD 1.
 *
 * A mask holds the possible alternatives of a line.  When bytes of the line are accessed, the alternatives fall into
 * classes that differ in these bytes.  Each process takes one class.  The bytes that all alternatives of the class have
 * in common become visible. */
#include "preload/lazy_in.h"

#include <string.h>

/* Possible alternatives, grouped by the bytes that matter. */
struct classes {
	uint64_t masks[LAZY_CONTENTS_MAX];
	uint32_t count;
};

static bool bytes_equal(const uint8_t *a, const uint8_t *b, uint64_t bytes)
{
	if (bytes == ~(uint64_t)0)
		return !memcmp(a, b, LINE_BYTES);
	for (unsigned i = 0; i < LINE_BYTES; i++) {
		if ((bytes >> i & 1) && a[i] != b[i])
			return false;
	}
	return true;
}

/* Compute the contents of all possible alternatives, in lazy.contents.  Returns the mask of these alternatives; 0:
 * there are too many. */
static uint64_t contents_all(uint32_t line, const uint8_t *here, uint32_t *last)
{
	bool all = lazy.lines[line] != LINE_PARTLY;
	bool more = choices_first(lazy.choices, line, lazy.bounds, CHOICES_ONCE, lazy.alternative);
	uint64_t mask = 0;

	for (uint32_t i = 0; more; i++) {
		if (i == LAZY_CONTENTS_MAX)
			return 0;
		*last = i;
		if (all || lazy.masks[line] >> i & 1) {
			mask |= (uint64_t)1 << i;
			memcpy(lazy.contents[i].bytes, here, LINE_BYTES);
			choices_apply(lazy.choices, line, lazy.alternative, lazy.contents[i].bytes);
		}
		more = choices_next(lazy.choices, line, lazy.bounds, CHOICES_ONCE, lazy.alternative);
	}
	return mask;
}

static unsigned first_bit(uint64_t mask)
{
	return (unsigned)__builtin_ctzll(mask);
}

static void classes_find(struct classes *k, uint64_t mask, uint64_t bytes)
{
	k->count = 0;
	for (; mask; mask &= mask - 1) {
		unsigned number = first_bit(mask);
		uint32_t i = 0;

		while (i < k->count &&
		       !bytes_equal(lazy.contents[first_bit(k->masks[i])].bytes, lazy.contents[number].bytes, bytes))
			i++;
		if (i == k->count)
			k->masks[k->count++] = 0;
		k->masks[i] |= (uint64_t)1 << number;
	}
}

static void postpone_class(uint32_t line, uint64_t class)
{
	uint64_t before = lazy.masks[line];
	bool is_new = lazy.places[line] == CHOICES_NONE;

	lazy.masks[line] = class;
	if (is_new)
		lazy_log_push(line, lazy.alternative);
	else
		lazy_log_change(line, lazy.alternative);
	lazy_report_send(lazy_postponed_flags(line), 0);
	lazy.masks[line] = before;
	lazy.tree->depth = lazy.depth;
	lazy_log_restore();
}

static void classes_give_up(const struct classes *k, uint32_t line, uint32_t from, bool downwards)
	__attribute__((noreturn));
static void classes_give_up(const struct classes *k, uint32_t line, uint32_t from, bool downwards)
{
	for (uint32_t i = from; i < k->count; i++) {
		lazy_mask_first(line, k->masks[downwards ? k->count - 1 - i : i], lazy.alternative);
		lazy.tree->left_out += lazy_completions(line, lazy.alternative);
	}
	lazy_child_leave();
}

/* Postpone all classes, also the one that this process would take. */
static void classes_split(const struct classes *k, uint32_t line, bool downwards) __attribute__((noreturn));
static void classes_split(const struct classes *k, uint32_t line, bool downwards)
{
	for (uint32_t i = 0; i < k->count; i++) {
		uint64_t class = k->masks[downwards ? k->count - 1 - i : i];

		lazy_mask_first(line, class, lazy.alternative);
		postpone_class(line, class);
	}
	lazy_child_leave();
}

/* Fork one process for each class.  Returns the class of this process. */
static uint64_t classes_fork(const struct classes *k, uint32_t line)
{
	bool downwards = lazy_goes_downwards();
	uint64_t class = k->masks[0];

	lazy_time_stop();
	if (lazy_splits())
		classes_split(k, line, downwards);
	lazy.forks++;
	for (uint32_t i = 0; i < k->count; i++) {
		class = k->masks[downwards ? k->count - 1 - i : i];
		lazy_mask_first(line, class, lazy.alternative);
		if (i == k->count - 1)
			break;
		if (!lazy_child_may())
			postpone_class(line, class);
		else if (lazy_child_try(line))
			return class;
		if (lazy.tree->over)
			classes_give_up(k, line, i + 1, downwards);
	}
	lazy_time_go();
	return class;
}

static uint64_t agreement(uint64_t mask)
{
	const uint8_t *first = lazy.contents[first_bit(mask)].bytes;
	uint64_t agreed = ~(uint64_t)0;

	for (uint64_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
		const uint8_t *other = lazy.contents[first_bit(rest)].bytes;

		for (unsigned b = 0; b < LINE_BYTES; b++)
			agreed &= ~((uint64_t)(first[b] != other[b]) << b);
	}
	return agreed;
}

/* The class that contains the last alternative. */
static uint64_t class_most(const struct classes *k)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < k->count; i++)
		most = k->masks[i] > most ? k->masks[i] : most;
	return most;
}

static uint64_t class_choose(const struct classes *k, uint32_t line)
{
	if (k->count == 1)
		return k->masks[0];
	switch (lazy.block->sequence) {
	case LAZY_SAMPLE: return k->masks[lazy_random_below(line + lazy.depth * 1000003, k->count)];
	case LAZY_LEAST: return k->masks[0];
	case LAZY_MOST: return class_most(k);
	}
	if (lazy.spoiled)
		lazy_refuse(lazy.spoiled);
	return classes_fork(k, line);
}

bool lazy_narrow(uint32_t line, uint64_t bytes, uint8_t *here)
{
	static struct classes classes;
	uint64_t mask, class;
	uint32_t last = 0;

	if (lazy.choices->order_count || lazy.lines[line] == LINE_GIVEN)
		return false;
	/* If the line was given, its bytes have not been compared yet. */
	if (lazy.lines[line] == LINE_PARTLY && lazy.places[line] != CHOICES_NONE && !(bytes & ~lazy.agreed[line]))
		return true;
	mask = contents_all(line, here, &last);
	if (!mask)
		return false;
	classes_find(&classes, mask, bytes & ~lazy.owned[line]);
	class = class_choose(&classes, line);
	lazy_mask_first(line, class, lazy.alternative);
	lazy_log_enter(line, lazy.alternative);
	lazy.masks[line] = class;
	lazy_agree(class >> last & 1, class & 1);
	lazy.agreed[line] = agreement(class) | lazy.owned[line];
	lazy.lines[line] = lazy.agreed[line] == ~(uint64_t)0 ? LINE_DECIDED : LINE_PARTLY;
	lazy.lossy = lazy.lossy || lazy_leaves_out(lazy.alternative, choices_lines(lazy.choices)[line].count);
	lazy_show(line, lazy.contents[first_bit(class)].bytes, lazy.agreed[line] & ~lazy.owned[line], (uintptr_t)here);
	return true;
}

bool lazy_own(uint32_t line, uint64_t bytes, uint8_t *here)
{
	if (!lazy_narrow(line, 0, here))
		return false;
	lazy.owned[line] |= bytes;
	lazy.agreed[line] |= bytes;
	if (lazy.agreed[line] == ~(uint64_t)0)
		lazy.lines[line] = LINE_DECIDED;
	return true;
}
