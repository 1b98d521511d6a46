/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_eager.c - explore, state by state, against brute force: on small random programs it tests every content that a
 * crash may leave, and no other, each once; and what fails among them is counted and has a cause.
 *
 *     test_eager [SEED [PROGRAM]]                     one program alone */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "engine.h"

enum { PROGRAMS = 80, WORDS_MAX = 14, STORES_MAX = 8, LINES = 4 * 64 /* bytes of the pool in use */ };

static uint64_t seed = 1, only;

static void program_write(char *program, uint64_t number)
{
	static const char *const words[] = {"a",  "A",  "b",  "B",  "c",  "~d", "~D", "a", "b",
					    "<a", "<b", "<c", "!a", "!b", "|",  "|",  "@"};
	uint64_t random = seed * 1000003 + number;
	unsigned stores = 0, count = 4 + (unsigned)(scratch_random(&random) % (WORDS_MAX - 4));

	*program = 0;
	for (unsigned i = 0; i < count; i++) {
		const char *word = words[scratch_random(&random) % (sizeof(words) / sizeof(*words))];
		bool is_store = strchr("aAbBc~", *word);

		if (is_store && stores == STORES_MAX)
			continue;
		stores += is_store;
		strcat(program, word);
		strcat(program, " ");
	}
	strcat(program, "$");
}

/* Recovery fails on some contents, by chance; not without any crash, nor before anything was stored. */

struct chance {
	uint64_t salt;
	uint8_t final[LINES];
};

static bool fails_by_chance(const struct chance *chance, const uint8_t *pool)
{
	static const uint8_t nothing[LINES];

	if (!memcmp(pool, chance->final, LINES) || !memcmp(pool, nothing, LINES))
		return false;
	return XXH3_64bits_withSeed(pool, LINES, chance->salt) % 5 == 0;
}

static struct fake_end recover_by_chance(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)patience;
	return fails_by_chance(arg, pool) ? FAKE_FAIL : FAKE_PASS;
}

/* Brute force */

struct brute {
	struct image *image;
	const struct chance *chance;
	struct contents all;
	uint64_t failing;
};

static bool set_visit(void *arg, const bool *persisted, size_t count)
{
	struct brute *b = arg;
	struct state *state = state_new(b->image, persisted);
	uint8_t pool[LINES];

	(void)count;
	if (contents_add(&b->all, state->digest)) {
		image_read(b->image, state, 1, 0, pool, LINES);
		b->failing += fails_by_chance(b->chance, pool);
	}
	state_free(state);
	return true;
}

static void brute_run(struct brute *b, const struct engine *e)
{
	struct trace *trace = scratch_open(e->dir);
	struct event ev;
	struct err err;

	b->image = image_new(platform_find("adr"), e->survey->origin);
	while (trace_next(trace, &ev, &err) > 0) {
		image_apply(b->image, &ev);
		image_settle(b->image);
		model_enumerate(image_model(b->image), set_visit, b);
	}
	image_free(b->image);
	trace_close(trace);
}

/* The comparison */

static void explore_check(const struct engine *e, const struct brute *b, const char *program)
{
	const struct campaign *c = e->campaign;
	struct contents run_on = {0};
	uint64_t states = 0;

	for (size_t i = 0; i < e->fake.runs.count; i++) {
		const struct fake_run *run = &e->fake.runs.at[i];

		if (run->submitted && !contents_has(&b->all, run->digest))
			fail_msg("%s: tests what no crash leaves", program);
		/* The search for a cause meets others, which are known then. */
		if (run->digest.low | run->digest.high)
			contents_add(&run_on, run->digest);
	}
	assert_in_range(engine_submitted(e), 1, b->all.count);
	if (run_on.count != b->all.count || explore_figures(c).all != b->all.count)
		fail_msg("%s: tests %zu and learns of %zu contents, of %zu", program, (size_t)run_on.count,
			 (size_t)explore_figures(c).all, (size_t)b->all.count);
	assert_int_equal(explore_figures(c).left_in, 0);
	if (c->found.failed != b->failing)
		fail_msg("%s: %zu contents fail, not %zu", program, (size_t)c->found.failed, (size_t)b->failing);
	for (size_t i = 0; i < c->results.count; i++)
		states += c->results.at[i].sighting.states;
	/* What inject and explore blame on different stores counts for both (crash/trials.h). */
	if (c->options.inject ? states < b->failing : states != b->failing)
		fail_msg("%s: %zu failing contents have a cause, of %zu", program, (size_t)states, (size_t)b->failing);
	contents_free(&run_on);
}

static void program_check(const char *dir, uint64_t number, bool inject)
{
	static struct chance chance;
	char program[8 * WORDS_MAX], own[300];
	struct brute b = {.chance = &chance};
	struct engine e;

	program_write(program, number);
	snprintf(own, sizeof(own), "%s/%d-%zu", dir, inject, (size_t)number);
	assert_int_equal(mkdir(own, 0777), 0);
	engine_make(&e, own, program);
	chance.salt = number;
	memset(chance.final, 0, LINES);
	content_read(e.survey->final, 1, 0, chance.final, LINES);
	e.fake.recover = recover_by_chance;
	e.fake.arg = &chance;
	e.fake.workers = 1 + number % 4;
	e.fake.last_first = number % 3 == 0;
	e.options.inject = inject;
	e.options.explore = true;
	engine_run(&e);
	brute_run(&b, &e);
	explore_check(&e, &b, program);
	contents_free(&b.all);
	engine_free(&e);
}

static void test_explore(void **state)
{
	for (uint64_t n = only ? only : 1; n <= (only ? only : PROGRAMS); n++)
		program_check(*state, n, false);
}

/* What inject tests is part of it, and is not tested twice. */
static void test_with_inject(void **state)
{
	for (uint64_t n = only ? only : 1; n <= (only ? only : PROGRAMS); n++)
		program_check(*state, n, true);
}

static struct fake_end passes(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)pool;
	(void)patience;
	return FAKE_PASS;
}

/* Of too many states the suspicious ones are tested, and some by chance: the same ones for the same seed. */
static void test_sample(void **state)
{
	struct engine e;
	size_t submitted, first = 0;

	engine_make(&e, *state, "a b c d e f g h i j k l | $");
	e.fake.recover = passes;
	e.options.inject = false;
	e.options.explore = true;
	e.options.per_segment = 200;
	for (unsigned i = 0; i < 2; i++) {
		engine_run(&e);
		submitted = engine_submitted(&e);
		assert_in_range(submitted, 100, 1000);
		assert_true(explore_figures(e.campaign).left_in > 0);
		assert_true(explore_figures(e.campaign).left_out > 0);
		assert_int_equal(engine_count(&e, "a0 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1"), 1);
		assert_int_equal(engine_count(&e, "a0 b0 c0 d0 e0 f1 g0 h0 i0 j0 k0 l0"), 1);
		assert_true(!first || submitted == first);
		first = submitted;
	}
	engine_free(&e);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_explore),
		scratch_test(test_with_inject),
		scratch_test(test_sample),
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests_name("eager", tests, NULL, NULL);
}
