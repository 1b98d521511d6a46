/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_branch.c - the contents of a line as a whole: which there are, and in which order they are tried.
 *
 * Those that have the same bytes, and leave other lines no more freedom, are left out.  The last one that is tried is
 * the process's own. */
#include "preload/lazy_in.h"

#include <string.h>

enum {
	ALTERNATIVES_MAX = 4096, /* of a line with more, the first ones are tried first whatever the order */
	DUPLICATES_MAX = LAZY_CONTENTS_MAX,
};

/* The alternatives of a line, by number. */
struct contents {
	uint32_t line;
	uint32_t count; /* at most ALTERNATIVES_MAX; then there are more */
	uint32_t next;  /* the number after that of lazy.alternative */
	uint64_t same;  /* bit i: number i has the bytes of another one, which leaves other lines as much freedom */
	uint32_t kept;  /* without those */
};

static bool contents_step(struct contents *k)
{
	bool more = k->next ? choices_next(lazy.choices, k->line, lazy.bounds, CHOICES_ONCE, lazy.alternative)
			    : choices_first(lazy.choices, k->line, lazy.bounds, CHOICES_ONCE, lazy.alternative);

	k->next += more;
	return more;
}

static void contents_seek(struct contents *k, uint32_t number)
{
	if (number < k->next)
		k->next = 0;
	while (k->next <= number && contents_step(k))
		;
}

static bool contents_skips(const struct contents *k, uint32_t number)
{
	return number < DUPLICATES_MAX && k->same >> number & 1;
}

/* Is all that is possible after `b` possible after `a`? */
static bool is_freer(struct choices_bounds a, struct choices_bounds b)
{
	return !lazy.choices->order_count || (a.latest <= b.latest && a.barrier >= b.barrier);
}

/* `number` is new in the list of the different ones so far. */
static void contents_compare(struct contents *k, struct lazy_content *seen, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++) {
		if (contents_skips(k, i) || memcmp(seen[i].bytes, seen[number].bytes, CHOICES_LINE) != 0)
			continue;
		if (is_freer(seen[i].bounds, seen[number].bounds))
			k->same |= (uint64_t)1 << number;
		else if (is_freer(seen[number].bounds, seen[i].bounds))
			k->same |= (uint64_t)1 << i;
	}
}

static struct contents contents_of(uint32_t line, const uint8_t *certain)
{
	struct contents k = {.line = line};

	while (k.count < ALTERNATIVES_MAX && contents_step(&k)) {
		if (certain && k.count < DUPLICATES_MAX) {
			struct lazy_content *content = &lazy.contents[k.count];

			memcpy(content->bytes, certain, CHOICES_LINE);
			choices_apply(lazy.choices, line, lazy.alternative, content->bytes);
			content->bounds = choices_decide(lazy.choices, line, lazy.alternative, lazy.bounds);
			contents_compare(&k, lazy.contents, k.count);
		}
		k.count++;
	}
	k.kept = k.count - (uint32_t)__builtin_popcountll(k.same);
	return k;
}

/* What is tried as the i-th; the last is this process's own. */
static bool contents_try(struct contents *k, uint32_t i, bool downwards)
{
	uint32_t number = downwards ? k->count - 1 - i : i;

	if (contents_skips(k, number))
		return false;
	contents_seek(k, number);
	return true;
}

/* Not now: the caller asks for it again. */
static void postpone(uint32_t line)
{
	lazy_log_push(line, lazy.alternative);
	lazy_tell(LAZY_POSTPONED, 0);
	lazy.tree->depth = lazy.depth;
}

/* No more leaves: this process, which would have had one, and all that it would still have tried, is left out. */
static void give_up(struct contents *k, uint32_t from, bool downwards) __attribute__((noreturn));
static void give_up(struct contents *k, uint32_t from, bool downwards)
{
	for (uint32_t i = from; i < k->count; i++) {
		if (contents_try(k, i, downwards))
			lazy.tree->left_out += lazy_completions(k->line, lazy.alternative);
	}
	lazy_child_leave();
}

static bool goes_downwards(const struct contents *k)
{
	return k->count < ALTERNATIVES_MAX && lazy_goes_downwards();
}

/* How many are tried, and in which order, is settled; the last one of them is our own.  True: we are a child, and have
 * one already. */
static bool contents_fork(struct contents *k, bool downwards)
{
	uint32_t left = k->kept;

	for (uint32_t i = 0; i < k->count; i++) {
		if (!contents_try(k, i, downwards))
			continue;
		if (--left == 0)
			return false;
		if (!lazy_child_may())
			postpone(k->line);
		else if (lazy_child_try(k->line))
			return true;
		if (lazy.tree->over)
			give_up(k, i + 1, downwards);
	}
	return false;
}

/* Beyond ALTERNATIVES_MAX the last one is not known before it is there: a child has each, and we go when there are no
 * more. */
static bool contents_fork_all(struct contents *k)
{
	contents_seek(k, 0);
	for (bool more = true; more; more = contents_step(k)) {
		if (lazy_child_try(k->line))
			return true;
		if (lazy.tree->over) {
			lazy.tree->left_out += choices_count(lazy.choices, lazy.bounds, lazy.lines);
			break;
		}
	}
	give_up(k, k->count, false);
}

void lazy_branch(uint32_t line, const uint8_t *certain)
{
	struct contents k = contents_of(line, certain);
	bool downwards = goes_downwards(&k);

	switch (lazy.block->order) {
	case LAZY_SAMPLE: contents_seek(&k, lazy_random_below(line, k.count)); return;
	case LAZY_LEAST: contents_seek(&k, 0); return;
	case LAZY_MOST: choices_most(lazy.choices, line, lazy.bounds, lazy.alternative); return;
	}
	if (k.kept == 1) {
		for (uint32_t i = 0; !contents_try(&k, i, false); i++)
			;
		return;
	}
	lazy_time_stop();
	if (k.count < ALTERNATIVES_MAX ? contents_fork(&k, downwards) : contents_fork_all(&k))
		return;
	lazy_time_go();
}
