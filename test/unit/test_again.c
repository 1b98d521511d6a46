/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_again.c - a run from a checkpoint has proved wrong: what was tested so far is tested again (explore/again.c), and then
 * a campaign has found what one without checkpoints finds.
 *
 *     test_again [SEED [PROGRAM]]                     one random program alone */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "engine.h"

#include "base/random.h"

enum { PROGRAMS = 15, WORDS_MAX = 40, PENDING_MAX = 5, LINES = 4 * 64 /* bytes of the pool in use */ };

static uint64_t seed = 1, only;

/* What a campaign has found. */

struct found {
	struct judgement counts;
	struct explore_figures figures;
	uint64_t flaky;
	bool complete, distrusted;
	char results[4000];
};

static int line_compare(const void *left, const void *right)
{
	return strcmp(left, right);
}

static struct found found_of(const struct engine *e)
{
	const struct campaign *c = e->campaign;
	struct found found = {.counts = c->found,
			      .figures = engine_figures(e),
			      .flaky = c->results.flaky,
			      .complete = campaign_complete(c),
			      .distrusted = outcomes_are_distrusted(c->outcomes)};
	char lines[64][60] = {0};

	assert_in_range(c->results.all.count, 0, 64);
	for (size_t i = 0; i < c->results.all.count; i++) {
		const struct crash_sighting *s = &c->results.all.at[i].sighting;

		snprintf(lines[i], sizeof(lines[i]), "cause %u blamed %u at %u strategies %u: %u states\n",
			 (unsigned)s->cause, (unsigned)s->blamed, (unsigned)s->point,
			 (unsigned)c->results.all.at[i].strategies, (unsigned)s->states);
	}
	qsort(lines, c->results.all.count, sizeof(*lines), line_compare);
	for (size_t i = 0; i < c->results.all.count; i++)
		strcat(found.results, lines[i]);
	return found;
}

/* What differs; NULL: nothing. */
static const char *found_compare(const struct found *a, const struct found *b)
{
	const struct explore_figures *f = &a->figures, *g = &b->figures;

	if (b->distrusted && g->doubted)
		return "doubted";
	if (a->complete != b->complete || f->complete != g->complete || f->partial != g->partial ||
	    f->waiting != g->waiting)
		return "complete";
	if (f->left_in != g->left_in || f->left_out != g->left_out)
		return "left out";
	if (f->all != g->all || f->one_by_one != g->one_by_one)
		return "figures";
	if (a->counts.distinct != b->counts.distinct || a->counts.tested != b->counts.tested)
		return "tested";
	if (a->counts.failed != b->counts.failed || a->counts.accepted != b->counts.accepted)
		return "failed";
	if (a->flaky != b->flaky)
		return "flaky";
	return strcmp(a->results, b->results) ? "results" : NULL;
}

/* Without checkpoints, and with them until there were so many submissions.  False: none has proved wrong. */
static bool compare(struct engine *e, const char *program, fake_recovery *from_checkpoint, uint64_t wrong_after)
{
	struct found without, with;
	const char *what;

	e->fake.later = NULL;
	e->fake.wrong_after = 0;
	engine_run(e);
	without = found_of(e);
	e->fake.later = from_checkpoint;
	e->fake.wrong_after = wrong_after;
	engine_run(e);
	with = found_of(e);
	if (!with.distrusted && from_checkpoint != e->fake.recover)
		return false;
	what = found_compare(&without, &with);
	if (what)
		fail_msg("%s: other %s: %zu failed, not %zu\n%sinstead of\n%s", program, what,
			 (size_t)with.counts.failed, (size_t)without.counts.failed, with.results, without.results);
	return with.distrusted;
}

/* At random */

static void program_write(char *program, uint64_t number, unsigned most)
{
	static const char *const words[] = {"a",  "A",  "b",  "B",  "c",  "~d", "~D", "a", "b",
					    "<a", "<b", "<c", "!a", "!b", "|",  "|",  "@"};
	uint64_t random = seed * 1000003 + number;
	unsigned pending = 0, count = 4 + (unsigned)(random_next(&random) % (most - 4));

	*program = 0;
	for (unsigned i = 0; i < count; i++) {
		const char *word = words[random_next(&random) % (sizeof(words) / sizeof(*words))];

		if (strchr("aAbBc~", *word) && ++pending > PENDING_MAX) {
			word = "@";
			pending = 0;
		}
		strcat(program, word);
		strcat(program, " ");
	}
	strcat(program, "$");
}

struct chance {
	uint64_t salt;
	unsigned reads; /* bit i: recovery looks at line i */
	unsigned ways;  /* in which it fails */
	uint8_t final[LINES];
};

static struct ending ends_by_chance(const struct chance *chance, const uint8_t *pool, uint64_t salt)
{
	static const uint8_t nothing[LINES];
	uint8_t seen[LINES] = {0}, final[LINES] = {0};
	uint64_t hash;

	for (unsigned line = 0; line < LINES / 64; line++) {
		if (!(chance->reads >> line & 1))
			continue;
		memcpy(seen + line * 64, pool + line * 64, 64);
		memcpy(final + line * 64, chance->final + line * 64, 64);
	}
	if (!memcmp(seen, final, LINES) || !memcmp(seen, nothing, LINES))
		return FAKE_PASS;
	hash = XXH3_64bits_withSeed(seen, LINES, salt);
	return hash % 5 ? FAKE_PASS : (struct ending){ENDING_EXIT, 1 + (int)(hash / 5 % chance->ways)};
}

static struct ending starts(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)patience;
	return ends_by_chance(arg, pool, ((struct chance *)arg)->salt);
}

static struct ending later(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)patience;
	return ends_by_chance(arg, pool, ((struct chance *)arg)->salt + 1);
}

enum how { STATE_BY_STATE = 0, WITH_INJECT = 1, LINE_BY_LINE = 2, PAGES = 4 }; /* bits */

static void program_check(const char *dir, uint64_t number, enum how how)
{
	static const uint64_t lines[] = {2, 0, 3};
	static struct chance chance;
	char program[4 * WORDS_MAX], own[300];
	struct engine e;

	program_write(program, number, how & PAGES ? 16 : WORDS_MAX);
	snprintf(own, sizeof(own), "%s/%zu", dir, (size_t)number);
	assert_int_equal(mkdir(own, 0777), 0);
	(how & PAGES ? engine_make_pages : engine_make)(&e, own, program);
	chance = (struct chance){.salt = number,
				 .reads = how & LINE_BY_LINE ? 1u << 2 | 1u << 0 | 1u << 3 : ~0u,
				 .ways = 1 + number % 2};
	content_read(e.survey->final, 1, 0, chance.final, LINES);
	e.fake.recover = starts;
	e.fake.arg = &chance;
	engine_use(&e, how & PAGES ? ENGINE_INJECT : how & WITH_INJECT ? ENGINE_BOTH : ENGINE_EXPLORE);
	if (how & LINE_BY_LINE) {
		e.options.prune_reads = true;
		e.fake.reads = lines;
		e.fake.read_count = 3;
	}
	for (uint64_t after = 1; after < 30; after += 1 + after)
		compare(&e, program, later, after);
	/* If nothing differs, where a run has begun does not matter. */
	compare(&e, program, starts, 0);
	engine_free(&e);
}

static void programs_check(const char *dir, enum how how)
{
	for (uint64_t n = only ? only : 1; n <= (only ? only : PROGRAMS); n++)
		program_check(dir, n, how);
}

static void test_each(void **state)
{
	programs_check(*state, STATE_BY_STATE);
}

static void test_pages(void **state)
{
	programs_check(*state, PAGES);
}

static void test_lines(void **state)
{
	programs_check(*state, LINE_BY_LINE);
}

/* One after the other */

static struct ending all_needed(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'a') || pool_at(pool, 'b') ? FAKE_FAIL : FAKE_PASS;
}

static struct ending hangs(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'a') && pool_at(pool, 'd') ? FAKE_PASS : FAKE_HANG;
}

static void lines_make(struct engine *e, const char *dir, const char *program)
{
	static const uint64_t lines[] = {0, 1, 2, 3};

	engine_make(e, dir, program);
	engine_use(e, ENGINE_EXPLORE);
	e->options.prune_reads = true;
	e->fake.reads = lines;
	e->fake.read_count = 4;
}

/* Whenever it is that a run from a checkpoint proves wrong. */
static void compare_all(struct engine *e, const char *name, fake_recovery *from_checkpoint)
{
	bool wrong = false;

	for (uint64_t after = 1; after < 24; after++)
		wrong |= compare(e, name, from_checkpoint, after);
	assert_true(wrong);
}

/* What inject has found is explore's, too: it is known when explore's roots are tested again. */
static void test_found_before(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a b <a | c <b | $");
	engine_use(&e, ENGINE_BOTH);
	e.fake.recover = b_needs_a;
	compare_all(&e, "with inject", passes);
	engine_free(&e);
}

/* Leaves that fail are not repeated from the start, until there is a difference. */
static void test_leaf_fails(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a b | c | d | $");
	e.fake.recover = passes;
	compare_all(&e, "some leaves", b_needs_a);
	engine_free(&e);
}

/* No leaf has passed, but the tree is doubtful. */
static void test_leaves_fail(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a <a | b c <b <c | d $");
	e.fake.recover = passes;
	compare_all(&e, "all leaves", all_needed);
	engine_free(&e);
}

/* The same code has stored to a twice.  A group of failures is one with the first store lost, and one with both lost. */

static struct ending needs_both(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && pool_at(pool, 'a') == 1 ? FAKE_FAIL : FAKE_PASS;
}

static struct ending needs_any(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && pool_at(pool, 'a') < 2 ? FAKE_FAIL : FAKE_PASS;
}

/* One of several leaves that fail alike does not fail any more: it does not count, and if it led, another one leads. */
static void test_leaf_leads(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a a b | c <c | d $");
	e.fake.recover = b_needs_a;
	compare_all(&e, "the second of two", needs_any);
	e.fake.recover = needs_both;
	compare_all(&e, "the first of two", needs_any);
	engine_free(&e);
}

static struct ending b_needs_a_later(void *arg, const uint8_t *pool, unsigned patience)
{
	return pool_at(pool, 'c') ? b_needs_a(arg, pool, patience) : FAKE_PASS;
}

/* At another moment such a leaf does fail. */
static void test_group_is_over(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a b d <d | c <c | d $");
	e.fake.recover = b_needs_a_later;
	compare_all(&e, "another root", b_needs_a);
	engine_free(&e);
}

/* From the start it hangs, so that the root is not tested to its end. */
static void test_partial(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a b c d @ e @ $");
	e.fake.recover = hangs;
	e.fake.wrong_after = 2;
	for (unsigned i = 0; i < 2; i++) {
		e.fake.later = i ? passes : NULL;
		engine_run(&e);
		assert_int_equal(engine_figures(&e).partial, 1);
	}
	engine_free(&e);
}

static struct ending fails_late(void *arg, const uint8_t *pool, unsigned patience)
{
	if (!pool_at(pool, 'a') || pool_at(pool, 'b') || pool_at(pool, 'c'))
		return passes(arg, pool, patience);
	usleep(500 * 1000);
	return FAKE_FAIL;
}

/* The time is over, but a leaf that has failed from a checkpoint is no finding before it fails from the start. */
static void test_late(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a <a | b c $");
	e.fake.recover = passes;
	e.fake.later = fails_late;
	e.options.budget = 0.3;
	e.options.timeout = 60;
	engine_run(&e);
	assert_true(outcomes_are_distrusted(e.campaign->outcomes));
	assert_int_equal(e.campaign->results.all.count, 0);
	engine_free(&e);
}

static struct ending a_needs_b(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'a') && !pool_at(pool, 'b') ? FAKE_FAIL : FAKE_PASS;
}

/* With time enough, that it does not is a difference, and what passed from a checkpoint is tested again. */
static void test_cause(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a b c $");
	e.fake.recover = b_needs_a;
	assert_true(compare(&e, "a leaf", a_needs_b, 0));
	engine_free(&e);
}

static struct ending half_without_b(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'c') && !pool_at(pool, 'b') && pool_at(pool, 'a') == 1 ? FAKE_FAIL : FAKE_PASS;
}

static struct ending less_without_b(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'c') && !pool_at(pool, 'b') && pool_at(pool, 'a') < 2 ? FAKE_FAIL : FAKE_PASS;
}

/* A group has a leaf that fails no more, which led, and one of a pass that has run without checkpoints. */
static void test_pass_is_kept(void **state)
{
	struct engine e;

	lines_make(&e, *state, "c <c | a a b $");
	e.options.budget = 1e6;
	e.fake.recover = half_without_b;
	compare_all(&e, "a leaf of another pass", less_without_b);
	engine_free(&e);
}

static bool is_refused(void *arg, const uint8_t *pool)
{
	(void)arg;
	return pool_at(pool, 'a') && pool_at(pool, 'b');
}

/* The fork server has refused a leaf, and refuses it again: states have been tested one by one. */
static void test_refused(void **state)
{
	struct engine e;

	lines_make(&e, *state, "a b c <c | d $");
	e.fake.recover = b_needs_a;
	e.fake.refuses = is_refused;
	compare_all(&e, "a leaf is refused", passes);
	engine_free(&e);
}

/* With a budget, one pass tests a part of a large tree, and another one all of it. */
static void test_large(void **state)
{
	static const uint64_t lines[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	struct engine e;

	lines_make(&e, *state, "a b c d e f g h i <j | A B C D E F G H I j $");
	e.fake.reads = lines;
	e.fake.read_count = 9;
	e.fake.recover = e.fake.later = passes;
	e.options.budget = 1e6;
	engine_run(&e);
	/* The last tree, after another large one. */
	assert_true(compare(&e, "large", passes, e.fake.submitted));
	engine_free(&e);
}

static void test_each_inject(void **state)
{
	programs_check(*state, STATE_BY_STATE | WITH_INJECT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_each),         scratch_test(test_pages),         scratch_test(test_lines),
		scratch_test(test_found_before), scratch_test(test_leaf_fails),    scratch_test(test_leaves_fail),
		scratch_test(test_leaf_leads),   scratch_test(test_group_is_over), scratch_test(test_partial),
		scratch_test(test_late),         scratch_test(test_cause),         scratch_test(test_pass_is_kept),
		scratch_test(test_refused),      scratch_test(test_large),         scratch_test(test_each_inject),
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests_name("again", tests, NULL, NULL);
}
