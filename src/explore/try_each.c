/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try_each.c - make the states of a moment one by one, and run recovery on each new content.
 *
 *  1. The lines that recovery reads (observe.c), or all lines if that is not known, are open.  The other lines are
 *     decided last: once with as few of their stores on media as possible, and once with as many.
 *  2. The suspicious states come first: everything is on media except on one line, which takes each of its contents;
 *     and nothing is on media except on one line.  If recovery can tell what it reads, it runs on these two extreme
 *     states (try_lazily.c), and states that it cannot tell from them are left out.  At a glance, the one line also has
 *     only all or nothing.  Then come all other states, or a random sample if there are too many.
 *  3. For inject, pages take the place of lines: the kernel writes pages back in any order until the program
 *     synchronizes them.
 *  4. Recovery does not run again on a content that an earlier state had, at any moment. */
#include <stdlib.h>
#include <string.h>

#include "explore/explore_in.h"

#include "base/random.h"

enum {
	STATES_SLOW = 1 << 12,       /* states of one moment, if each costs a process */
	SAMPLED = 1 << 10,           /* states in a random sample, at most */
	BRIEFLY = 96,                /* states of one moment, with a budget */
	PAGES_TRIED = 8,             /* pages of one moment, at most */
	READS_FEW = 64,              /* lines; a path through the tree has a process for each line read */
	LINE_CONTENTS_MAX = 1 << 16, /* contents of one line among the suspicious states */
};

#define PAGE_BYTES 4096u

struct each {
	struct explore *explore;
	size_t root;
	struct moment *moment;
	uint8_t *open; /* by line; NULL: all are open */
	struct glance glance;
	uint32_t *lines; /* the open lines */
	uint32_t count;
	uint8_t *taken;  /* by unit */
	bool *persisted; /* by model_pending */
	uint64_t sequence;
	uint64_t random;
	unsigned under_way; /* runs not ended yet; the last one to end frees this struct */
	bool left;
	bool own; /* all states are this shard's; rule 2 of shard.h */
	struct err *err;
};

static void each_release(struct each *g)
{
	if (g->under_way || !g->left)
		return;
	moment_free(g->moment);
	glance_free(&g->glance);
	free(g->open);
	free(g->lines);
	free(g->taken);
	free(g->persisted);
	free(g);
}

/* One state that recovery runs on. */
struct trying {
	struct each *each;
	uint64_t sequence;
	uint8_t taken[];
};

/* Is this not known yet of the case, from this root or another one?  When a root is tested again, only failures are. */
static bool is_news(struct explore *e, struct digest digest, struct verdict verdict)
{
	bool is_new = contents_add(&e->explored->tested, digest);

	return e->again ? verdict_failed(verdict) && contents_add(&e->failing, digest) : is_new;
}

/* Note how recovery ends on a state. */
static void state_learn(struct each *g, const uint8_t *taken, struct digest digest, struct verdict verdict,
			uint64_t sequence)
{
	struct root *root = &g->explore->explored->roots.at[g->root];

	if (verdict.unconfirmed)
		explore_doubt(g->explore, g->root);
	if (!is_news(g->explore, digest, verdict))
		return;
	if (verdict_failed(verdict))
		failures_add(&root->failures, g->moment, taken, g->open, digest, verdict, sequence);
	else if (g->explore->nests)
		candidates_add(&root->candidates, g->moment, taken, g->open, sequence);
}

static void trying_ended(void *arg, const struct verdict *verdict)
{
	struct trying *t = arg;
	struct each *g = t->each;

	if (verdict)
		state_learn(g, t->taken, moment_digest(g->moment, t->taken), *verdict, t->sequence);
	g->under_way--;
	each_release(g);
	free(t);
}

static int state_try(struct each *g)
{
	struct campaign *c = g->explore->campaign;
	struct digest digest = moment_digest(g->moment, g->taken);
	uint32_t units = g->moment->choices->unit_count;
	struct verdict known;
	struct trying *t;
	struct state *state;
	int r;

	g->sequence++;
	if (glance_covers(&g->glance, g->moment->choices, g->taken))
		return 0;
	r = (g->own ? tester_claim_own : tester_claim)(c->tester, digest, &g->moment->crash, g->err);
	if (r < 0)
		return r;
	if (r) {
		known = outcomes_get(c->outcomes, digest);
		if (known.known)
			state_learn(g, g->taken, digest, known, g->sequence); /* tested before, by inject for example */
		return 0;
	}
	t = mem_alloc(sizeof(*t) + units + 1);
	t->each = g;
	t->sequence = g->sequence;
	memcpy(t->taken, g->taken, units);
	moment_persisted(g->moment, g->taken, g->persisted);
	state = state_new(reading_image(g->explore->reading), g->persisted);
	g->under_way++;
	r = tester_submit_told(c->tester, state, &g->moment->crash, trying_ended, t, g->err);
	state_free(state);
	if (r < 0) {
		g->under_way--;
		free(t);
	}
	return r;
}

/* Lines */

static uint8_t *line_flags(struct each *g, uint32_t line)
{
	return g->taken + choices_lines(g->moment->choices)[line].first;
}

/* Decide the lines that recovery does not read: first nothing on media, then everything. */
static int closed_try(struct each *g, struct choices_bounds bounds)
{
	const struct choices *c = g->moment->choices;
	int r;

	for (unsigned most = 0; most < 2; most++) {
		struct choices_bounds b = bounds;

		for (uint32_t i = 0; g->open && i < c->line_count; i++) {
			if (g->open[i])
				continue;
			if (most)
				choices_most(c, i, b, line_flags(g, i));
			else
				choices_first(c, i, b, CHOICES_CONTENTS, line_flags(g, i));
			b = choices_decide(c, i, line_flags(g, i), b);
		}
		r = state_try(g);
		if (r < 0 || !g->open)
			return r;
	}
	return 0;
}

/* Try all contents of the open lines from `level` on. */
static int lines_try(struct each *g, uint32_t level, struct choices_bounds bounds)
{
	const struct choices *c = g->moment->choices;
	uint32_t line;
	uint8_t *flags;
	int r = 0;

	if (level == g->count)
		return closed_try(g, bounds);
	line = g->lines[level];
	flags = line_flags(g, line);
	for (bool more = choices_first(c, line, bounds, CHOICES_CONTENTS, flags); more && r == 0;
	     more = choices_next(c, line, bounds, CHOICES_CONTENTS, flags))
		r = lines_try(g, level + 1, choices_decide(c, line, flags, bounds));
	return r;
}

/* Try the state where all other lines have as much on media as possible (`most`), or as little. */
static int contrast_try(struct each *g, uint32_t line, bool most, struct choices_bounds bounds)
{
	const struct choices *c = g->moment->choices;

	for (uint32_t i = 0; i < c->line_count; i++) {
		uint8_t *flags = line_flags(g, i);

		if (i == line || (g->open && !g->open[i]))
			continue;
		if (most)
			choices_most(c, i, bounds, flags);
		else
			choices_first(c, i, bounds, CHOICES_CONTENTS, flags);
		bounds = choices_decide(c, i, flags, bounds);
	}
	return closed_try(g, bounds);
}

static uint64_t contents_count(const struct each *g, uint32_t line, uint8_t *flags)
{
	const struct choices *c = g->moment->choices;
	uint64_t count = 0;

	for (bool more = choices_first(c, line, CHOICES_OPEN, CHOICES_CONTENTS, flags);
	     more && count < LINE_CONTENTS_MAX; more = choices_next(c, line, CHOICES_OPEN, CHOICES_CONTENTS, flags))
		count++;
	return count;
}

/* Is `number` one of `wanted` (at least 2) numbers spaced evenly over `count`?  The first and the last are. */
static bool is_picked(uint64_t number, uint64_t count, uint64_t wanted)
{
	return count <= wanted || !number ||
	       number * (wanted - 1) / (count - 1) != (number - 1) * (wanted - 1) / (count - 1);
}

/* Try `wanted` contents of the line. */
static int line_try(struct each *g, uint32_t line, uint64_t wanted, uint8_t *flags)
{
	const struct choices *c = g->moment->choices;
	uint64_t count = contents_count(g, line, flags);
	bool more = choices_first(c, line, CHOICES_OPEN, CHOICES_CONTENTS, flags);
	int r = 0;

	for (uint64_t i = 0; more && i < count && r == 0; i++) {
		for (unsigned most = 2; most-- > 0 && r == 0 && is_picked(i, count, wanted);) {
			memcpy(line_flags(g, line), flags, choices_lines(c)[line].count);
			r = contrast_try(g, line, most, choices_decide(c, line, flags, CHOICES_OPEN));
		}
		more = choices_next(c, line, CHOICES_OPEN, CHOICES_CONTENTS, flags);
	}
	return r;
}

/* Try two states: only this line is lost, and only this line is on media. */
static int line_glance(struct each *g, uint32_t line)
{
	const struct choices *c = g->moment->choices;
	uint8_t *flags = line_flags(g, line);
	int r;

	choices_first(c, line, CHOICES_OPEN, CHOICES_CONTENTS, flags);
	r = contrast_try(g, line, true, choices_decide(c, line, flags, CHOICES_OPEN));
	if (r < 0)
		return r;
	choices_most(c, line, CHOICES_OPEN, flags);
	return contrast_try(g, line, false, choices_decide(c, line, flags, CHOICES_OPEN));
}

/* Rule 2.  If there are very many lines, take some, spaced evenly.  Each line gets its share of the limit. */
static int suspicious_try(struct each *g, enum try_extent extent, uint64_t limit)
{
	uint8_t *flags = mem_alloc(g->moment->choices->line_units_max + 1);
	uint64_t most = limit / (extent == TRY_GLANCE ? 2 : 4) + 1;
	uint32_t lines = most < g->count ? (uint32_t)most : g->count;
	uint64_t wanted = lines && limit / lines >= 4 ? limit / lines / 2 : 2;
	int r = 0;

	for (uint32_t i = 0; i < lines && r == 0; i++) {
		uint32_t line = g->lines[(uint64_t)i * g->count / lines];

		r = extent == TRY_GLANCE ? line_glance(g, line) : line_try(g, line, wanted, flags);
	}
	free(flags);
	return r;
}

/* Pages */

static bool is_same_page(const struct choices *c, uint32_t line, uint32_t other)
{
	const struct choices_line *a = &choices_lines(c)[line], *b = &choices_lines(c)[other];

	return a->file == b->file && a->offset / PAGE_BYTES == b->offset / PAGE_BYTES;
}

/* Try the state where only the page of this line is lost, or where only this page is on media. */
static int page_try(struct each *g, uint32_t line, bool lost)
{
	const struct choices *c = g->moment->choices;
	struct choices_bounds bounds = CHOICES_OPEN;

	/* Decide the page first: CLFLUSH may have made lines depend on each other. */
	for (unsigned others = 0; others < 2; others++)
		for (uint32_t i = 0; i < c->line_count; i++) {
			uint8_t *flags = line_flags(g, i);

			if (is_same_page(c, i, line) == others)
				continue;
			if (lost == others)
				choices_most(c, i, bounds, flags);
			else
				choices_first(c, i, bounds, CHOICES_CONTENTS, flags);
			bounds = choices_decide(c, i, flags, bounds);
		}
	return state_try(g);
}

static int pages_try(struct each *g)
{
	const struct choices *c = g->moment->choices;
	uint32_t count = 0;
	int r = 0;

	/* Lines are sorted, so the lines of a page are adjacent. */
	for (uint32_t i = 0; i < c->line_count; i++)
		if (!i || !is_same_page(c, i - 1, i))
			g->lines[count++] = i;
	for (uint32_t i = 0; count > 1 && i < count && r == 0; i++) {
		if (!is_picked(i, count, PAGES_TRIED))
			continue;
		r = page_try(g, g->lines[i], true);
		if (r == 0)
			r = page_try(g, g->lines[i], false);
	}
	g->explore->explored->roots.at[g->root].pages_sampled = count > PAGES_TRIED;
	return r;
}

/* Random samples */

/* Reservoir sampling: all alternatives have the same probability. */
static void line_choose(struct each *g, uint32_t line, struct choices_bounds bounds, uint8_t *flags)
{
	const struct choices *c = g->moment->choices;
	uint64_t seen = 0;

	for (bool more = choices_first(c, line, bounds, CHOICES_CONTENTS, flags); more;
	     more = choices_next(c, line, bounds, CHOICES_CONTENTS, flags))
		if (random_next(&g->random) % ++seen == 0)
			memcpy(line_flags(g, line), flags, choices_lines(c)[line].count);
}

static int sample_try(struct each *g, uint64_t count)
{
	const struct choices *c = g->moment->choices;
	uint8_t *flags = mem_alloc(c->line_units_max + 1);
	int r = 0;

	while (count-- && r == 0) {
		struct choices_bounds bounds = CHOICES_OPEN;

		for (uint32_t i = 0; i < g->count; i++) {
			line_choose(g, g->lines[i], bounds, flags);
			bounds = choices_decide(c, g->lines[i], line_flags(g, g->lines[i]), bounds);
		}
		r = closed_try(g, bounds);
	}
	free(flags);
	return r;
}

/* The root */

/* The number of sets of the open lines alone. */
static double states_count(const struct each *g)
{
	const struct choices *c = g->moment->choices;
	uint8_t *decided = mem_alloc(c->line_count + 1);
	double count;

	for (uint32_t i = 0; g->open && i < c->line_count; i++)
		decided[i] = !g->open[i];
	count = choices_count(c, CHOICES_OPEN, decided);
	free(decided);
	return count;
}

/* If nothing is pending there is one state.  If all lines are closed there are two. */
static int root_try(struct each *g, enum try_extent extent)
{
	const struct campaign *c = g->explore->campaign;
	struct root *root = &g->explore->explored->roots.at[g->root];
	bool slow = tester_facts(c->tester).mode != RECOVERY_FORK;
	double limit = slow && c->options.per_segment > STATES_SLOW ? STATES_SLOW : (double)c->options.per_segment;
	double count = states_count(g), left;
	bool all = extent == TRY_ALL, whole = (all && count <= limit) || !g->count,
	     brief = !all && c->options.budget > 0;
	int r = suspicious_try(g, extent, brief ? BRIEFLY : (uint64_t)limit);

	if (r == 0 && whole)
		r = lines_try(g, 0, CHOICES_OPEN);
	else if (r == 0 && all)
		r = sample_try(g, limit < SAMPLED ? (uint64_t)limit : SAMPLED);
	if (whole && r == 0) {
		root->left_out = 0;
		root->state = ROOT_DONE;
		return 0;
	}
	/* An upper bound for the states that no tested state stands for.  A lazy tree may have found a better one. */
	left = count > (double)g->sequence ? count - (double)g->sequence : 1;
	if (root->left_out <= 0 || left < root->left_out)
		root->left_out = left;
	root->state = !all || r < 0 ? ROOT_PART : ROOT_LEFT;
	return r;
}

static int lines_find(struct each *g, enum try_extent extent)
{
	struct root *root = &g->explore->explored->roots.at[g->root];
	const struct choices *c = g->moment->choices;
	bool reads = g->explore->campaign->options.prune_reads && c->unit_count;
	int r = 0;

	if (extent != TRY_ALL && try_lazily_can(g->explore, root, g->moment))
		r = try_lazily_glance(g->explore, g->root, g->moment, &g->glance, g->err);
	else if (extent == TRY_ALL && reads)
		r = observe(g->explore, g->moment, &g->open);
	for (uint32_t i = 0; i < c->line_count; i++)
		if (g->open ? g->open[i] : glance_reads(&g->glance, i))
			g->lines[g->count++] = i;
	root->reads_many = g->count > READS_FEW;
	return r;
}

int try_each(struct explore *e, size_t root, struct moment *moment, enum try_extent extent, struct err *err)
{
	const struct choices *c = moment->choices;
	struct each *g = mem_alloc(sizeof(*g));
	int r;

	*g = (struct each){.explore = e, .root = root, .moment = moment, .err = err};
	g->own = extent != TRY_PAGES && try_lazily_decides(e, moment);
	g->random = random_seed(e->campaign->options.seed, c->event);
	g->lines = mem_alloc((c->line_count + 1) * sizeof(*g->lines));
	g->taken = mem_alloc(c->unit_count + 1);
	g->persisted = mem_alloc(c->unit_count + 1);
	if (extent == TRY_PAGES) {
		/* Pages that are not tried do not count as left out, since inject does not promise to test them all. */
		r = pages_try(g);
		e->explored->roots.at[root].state = r == 0 ? ROOT_DONE : ROOT_PART;
	} else {
		r = lines_find(g, extent);
		if (r == 0)
			r = root_try(g, extent);
	}
	g->left = true;
	each_release(g);
	return r;
}
