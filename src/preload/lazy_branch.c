/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_branch.c - decide a line as a whole: which contents are possible, and which are tried first.
 *
 * An alternative is left out if another one has the same bytes and leaves other lines at least as much freedom.  The
 * process itself takes the last one that is tried. */
#include "preload/lazy_in.h"

#include <string.h>

enum {
	ALTERNATIVES_MAX = 4096, /* if a line has more, they are always tried from the first on */
	DUPLICATES_MAX = LAZY_CONTENTS_MAX,
};

/* The alternatives of a line, by number. */
struct contents {
	uint32_t line;
	uint32_t count; /* at most ALTERNATIVES_MAX; if equal, there are more */
	uint32_t next;  /* one more than the number of lazy.alternative */
	/* bit i: alternative i has the same bytes as another one that leaves other lines at least as much freedom */
	uint64_t same;
	uint32_t kept; /* number without those */
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

/* Is everything that is possible after `b` also possible after `a`? */
static bool is_freer(struct choices_bounds a, struct choices_bounds b)
{
	return !lazy.choices->order_count || (a.latest <= b.latest && a.barrier >= b.barrier);
}

/* Compare the new alternative `number` with the distinct ones so far. */
static void contents_compare(struct contents *k, struct lazy_content *seen, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++) {
		if (contents_skips(k, i) || memcmp(seen[i].bytes, seen[number].bytes, LINE_BYTES) != 0)
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

			memcpy(content->bytes, certain, LINE_BYTES);
			choices_apply(lazy.choices, line, lazy.alternative, content->bytes);
			content->bounds = choices_decide(lazy.choices, line, lazy.alternative, lazy.bounds);
			contents_compare(&k, lazy.contents, k.count);
		}
		k.count++;
	}
	k.kept = k.count - (uint32_t)__builtin_popcountll(k.same);
	return k;
}

/* Select the i-th alternative to be tried.  False: it is left out.  The process itself takes the last one. */
static bool contents_try(struct contents *k, uint32_t i, bool downwards)
{
	uint32_t number = downwards ? k->count - 1 - i : i;

	if (contents_skips(k, number))
		return false;
	contents_seek(k, number);
	return true;
}

/* Do not explore this now; blackout requests it again. */
static void postpone(uint32_t line)
{
	lazy_log_push(line, lazy.alternative);
	lazy_report_send(lazy_postponed_flags(line), 0);
	lazy.tree->depth = lazy.depth;
}

/* No more leaves are wanted.  Count the leaf of this process, and all alternatives that it would still have tried, as
 * left out. */
static void give_up(struct contents *k, uint32_t from, bool downwards) __attribute__((noreturn));
static void give_up(struct contents *k, uint32_t from, bool downwards)
{
	for (uint32_t i = from; i < k->count; i++) {
		if (contents_try(k, i, downwards))
			lazy.tree->left_out += lazy_completions(k->line, lazy.alternative);
	}
	lazy_child_leave();
}

/* Postpone all alternatives, also the one that this process would take. */
static void contents_split(struct contents *k, bool downwards) __attribute__((noreturn));
static void contents_split(struct contents *k, bool downwards)
{
	for (uint32_t i = 0; i < k->count; i++)
		if (contents_try(k, i, downwards))
			postpone(k->line);
	lazy_child_leave();
}

/* Fork for a known number of alternatives in a known sequence; we take the last one ourselves.  True: this is a child,
 * which has its alternative. */
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

/* Beyond ALTERNATIVES_MAX we do not know which alternative is the last.  So each one gets a child, and this process
 * ends when there are no more. */
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
	bool downwards = k.count < ALTERNATIVES_MAX && lazy_goes_downwards();

	switch (lazy.block->sequence) {
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
	if (k.count < ALTERNATIVES_MAX && lazy_splits())
		contents_split(&k, downwards);
	lazy.forks++;
	if (k.count < ALTERNATIVES_MAX ? contents_fork(&k, downwards) : contents_fork_all(&k))
		return;
	lazy_time_go();
}
