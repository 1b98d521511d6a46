/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_explore.c - explore against brute force, on small random programs.  State by state (explore/try_each.c) it tests
 * every content that a crash may leave, and no other, each once; and what fails among them is counted and has a cause.
 * Line by line (explore/try_lazily.c) it tests all that recovery can see.
 *
 *     test_explore [SEED [PROGRAM]]                   one program alone */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "engine.h"

#include "base/random.h"
#include "model_sets.h"

enum { PROGRAMS = 40, WORDS_MAX = 14, STORES_MAX = 8, LINES = 4 * 64 /* bytes of the pool in use */ };

static uint64_t seed = 1, only;

static void program_write(char *program, uint64_t number)
{
	static const char *const words[] = {"a",  "A",  "b",  "B",  "c",  "~d", "~D", "a", "b",
					    "<a", "<b", "<c", "!a", "!b", "|",  "|",  "@"};
	uint64_t random = seed * 1000003 + number;
	unsigned stores = 0, count = 4 + (unsigned)(random_next(&random) % (WORDS_MAX - 4));

	*program = 0;
	for (unsigned i = 0; i < count; i++) {
		const char *word = words[random_next(&random) % (sizeof(words) / sizeof(*words))];
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
	unsigned reads; /* bit i: recovery looks at line i */
	uint8_t final[LINES];
};

/* What recovery sees. */
static void seen_copy(const struct chance *chance, const uint8_t *pool, uint8_t seen[LINES])
{
	for (unsigned line = 0; line < LINES / 64; line++)
		if (chance->reads >> line & 1)
			memcpy(seen + line * 64, pool + line * 64, 64);
		else
			memset(seen + line * 64, 0, 64);
}

static bool fails_by_chance(const struct chance *chance, const uint8_t *pool)
{
	static const uint8_t nothing[LINES];
	uint8_t seen[LINES], final[LINES];

	seen_copy(chance, pool, seen);
	seen_copy(chance, chance->final, final);
	if (!memcmp(seen, final, LINES) || !memcmp(seen, nothing, LINES))
		return false;
	return XXH3_64bits_withSeed(seen, LINES, chance->salt) % 5 == 0;
}

static struct ending recover_by_chance(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)patience;
	return fails_by_chance(arg, pool) ? FAKE_FAIL : FAKE_PASS;
}

/* Brute force */

struct brute {
	struct image *image;
	const struct chance *chance;
	struct contents all;
	struct contents seen; /* what recovery can see of them */
	uint64_t failing;
};

static void seen_add(struct contents *contents, const struct chance *chance, const uint8_t *pool)
{
	uint8_t seen[LINES];
	XXH128_hash_t hash;

	seen_copy(chance, pool, seen);
	hash = XXH3_128bits(seen, LINES);
	contents_add(contents, (struct digest){hash.low64, hash.high64});
}

static bool set_visit(void *arg, const bool *persisted, size_t count)
{
	struct brute *b = arg;
	struct state *state = state_new(b->image, persisted);
	uint8_t pool[LINES];

	(void)count;
	if (contents_add(&b->all, state->digest)) {
		image_read(b->image, state, 1, 0, pool, LINES);
		b->failing += fails_by_chance(b->chance, pool);
		seen_add(&b->seen, b->chance, pool);
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
	if (run_on.count != b->all.count || engine_figures(e).all != b->all.count)
		fail_msg("%s: tests %zu and learns of %zu contents, of %zu", program, (size_t)run_on.count,
			 (size_t)engine_figures(e).all, (size_t)b->all.count);
	assert_int_equal(engine_figures(e).left_in, 0);
	if (c->found.failed != b->failing)
		fail_msg("%s: %zu contents fail, not %zu", program, (size_t)c->found.failed, (size_t)b->failing);
	for (size_t i = 0; i < c->results.all.count; i++)
		states += c->results.all.at[i].sighting.states;
	/* What inject and explore blame on different stores counts for both (crash/trials.h). */
	if (c->options.strategy_count > 1 ? states < b->failing : states != b->failing)
		fail_msg("%s: %zu failing contents have a cause, of %zu", program, (size_t)states, (size_t)b->failing);
	contents_free(&run_on);
}

/* Line by line: each way in which recovery can see the pool, once or more, and all failures have a cause. */
static void lazy_check(const struct engine *e, const struct brute *b, const char *program)
{
	struct contents seen = {0};

	for (size_t i = 0; i < e->fake.runs.count; i++) {
		const struct fake_run *run = &e->fake.runs.at[i];

		if (!run->lazy && !run->submitted) /* where nothing is pending, there is one state to submit */
			continue;
		assert_true(contents_has(&b->all, run->digest));
		seen_add(&seen, b->chance, run->pool);
	}
	for (size_t i = 0; i < b->seen.room; i++)
		if ((b->seen.at[i].low | b->seen.at[i].high) && !contents_has(&seen, b->seen.at[i]))
			fail_msg("%s: something that recovery can see is not tested", program);
	assert_int_equal(engine_figures(e).left_in, 0);
	if (!e->campaign->results.all.count != !b->failing)
		fail_msg("%s: %zu results, %zu failing contents", program, (size_t)e->campaign->results.all.count,
			 (size_t)b->failing);
	contents_free(&seen);
}

enum how { STATE_BY_STATE, WITH_INJECT, LINE_BY_LINE };

static void program_check(const char *dir, uint64_t number, enum how how)
{
	static const uint64_t lines[] = {2, 0, 3};
	static struct chance chance;
	char program[8 * WORDS_MAX], own[300];
	struct brute b = {.chance = &chance};
	struct engine e;

	program_write(program, number);
	snprintf(own, sizeof(own), "%s/%zu", dir, (size_t)number);
	assert_int_equal(mkdir(own, 0777), 0);
	engine_make(&e, own, program);
	chance = (struct chance){.salt = number, .reads = how == LINE_BY_LINE ? 1u << 2 | 1u << 0 | 1u << 3 : ~0u};
	content_read(e.survey->final, 1, 0, chance.final, LINES);
	e.fake.recover = recover_by_chance;
	e.fake.arg = &chance;
	e.fake.workers = 1 + number % 4;
	e.fake.last_first = number % 3 == 0;
	engine_use(&e, how == WITH_INJECT ? ENGINE_BOTH : ENGINE_EXPLORE);
	if (how == LINE_BY_LINE) {
		e.options.prune_reads = true;
		e.fake.reads = lines;
		e.fake.read_count = 3;
	}
	engine_run(&e);
	brute_run(&b, &e);
	if (how == LINE_BY_LINE)
		lazy_check(&e, &b, program);
	else
		explore_check(&e, &b, program);
	contents_free(&b.all);
	contents_free(&b.seen);
	engine_free(&e);
}

static void programs_check(const char *dir, enum how how)
{
	for (uint64_t n = only ? only : 1; n <= (only ? only : PROGRAMS); n++)
		program_check(dir, n, how);
}

static void test_state_by_state(void **state)
{
	programs_check(*state, STATE_BY_STATE);
}

/* What inject tests is part of it, and is not tested twice. */
static void test_with_inject(void **state)
{
	programs_check(*state, WITH_INJECT);
}

static void test_line_by_line(void **state)
{
	programs_check(*state, LINE_BY_LINE);
}

/* Of too many states the suspicious ones are tested, and some by chance: the same ones for the same seed. */
static void test_sample(void **state)
{
	struct engine e;
	size_t submitted, first = 0;

	engine_make(&e, *state, "a b c d e f g h i j k l | $");
	e.fake.recover = passes;
	engine_use(&e, ENGINE_EXPLORE);
	e.options.per_segment = 200;
	for (unsigned i = 0; i < 2; i++) {
		engine_run(&e);
		submitted = engine_submitted(&e);
		assert_in_range(submitted, 100, 1000);
		assert_true(engine_figures(&e).left_in > 0);
		assert_true(engine_figures(&e).left_out > 0);
		assert_int_equal(engine_count(&e, "a0 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1"), 1);
		assert_int_equal(engine_count(&e, "a0 b0 c0 d0 e0 f1 g0 h0 i0 j0 k0 l0"), 1);
		assert_true(!first || submitted == first);
		first = submitted;
	}
	engine_free(&e);
}

/* Of six lines recovery looks at two: four recoveries stand for 64 states.  With a budget the ends come first, and then
 * states that are like neither of them where recovery looks. */
static void test_lines_read(void **state)
{
	static const uint64_t lines[] = {1, 0};
	struct engine e;

	engine_make(&e, *state, "a b c d e f | $");
	e.fake.recover = b_needs_a;
	e.fake.reads = lines;
	e.fake.read_count = 2;
	engine_use(&e, ENGINE_EXPLORE);
	e.options.prune_reads = true;
	for (unsigned i = 0; i < 2; i++) {
		size_t lazy = 0;

		e.options.budget = i ? 1e6 : 0;
		engine_run(&e);
		for (size_t k = 0; k < e.fake.runs.count; k++)
			lazy += e.fake.runs.at[k].lazy;
		assert_int_equal(lazy, i ? 2 + 4 : 4);
		assert_int_equal(engine_submitted(&e), i ? 4 : 0); /* a and b: lost alone, kept alone */
		assert_true(campaign_complete(e.campaign));
		assert_int_equal(e.campaign->results.all.count, 1);
		const struct crash_sighting *s = &e.campaign->results.all.at[0].sighting;
		assert_int_equal(s->blamed, engine_place(&e, "a"));
		assert_int_equal(s->lost_count, 1);
		assert_int_equal(s->cause, CAUSE_UNFLUSHED);
	}
	engine_free(&e);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_state_by_state), scratch_test(test_with_inject), scratch_test(test_line_by_line),
		scratch_test(test_lines_read),     scratch_test(test_sample),
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests_name("explore", tests, NULL, NULL);
}
