/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_inject.c - which crash states inject tests, and what it makes of outcomes.  Recovery is a function
 * (engine.h). */
#include <string.h>

#include "engine.h"

static void test_two_states(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a b <b | $");
	e.fake.recover = passes;
	engine_run(&e);
	/* Before <a: all, nothing.  Before <b: all; nothing again.  At the end all is guaranteed, and was tested. */
	assert_int_equal(engine_submitted(&e), 3);
	assert_int_equal(engine_count(&e, "a0 b0"), 1);
	assert_int_equal(engine_count(&e, "a1 b0"), 1);
	assert_int_equal(engine_count(&e, "a1 b1"), 1);
	assert_int_equal(e.campaign->choosers[0].trials[0].all.count, 5);
	assert_int_equal(e.campaign->found.distinct, 3);
	assert_int_equal(e.campaign->found.tested, 3);
	assert_int_equal(e.campaign->found.failed, 0);
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_true(campaign_complete(e.campaign));
	engine_free(&e);
}

/* What a fence guarantees cannot be lost. */
static void test_guaranteed(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a | b c <b | $");
	e.fake.recover = passes;
	engine_run(&e);
	assert_int_equal(engine_count(&e, "a0"), 1);
	assert_int_equal(engine_count(&e, "a1 b0 c0"), 1);
	assert_int_equal(engine_count(&e, "a1 b1 c1"), 1);
	assert_int_equal(engine_count(&e, "a1 b1 c0"), 1); /* at the end, as c was never flushed */
	assert_int_equal(engine_submitted(&e), 4);
	engine_free(&e);
}

/* The orderly end and the initial state come first, alone. */
static void test_begins(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a | $");
	e.fake.recover = passes;
	engine_run(&e);
	assert_true(e.fake.runs.at[0].final);
	assert_int_equal(pool_at(e.fake.runs.at[0].pool, 'a'), 1);
	assert_false(e.fake.runs.at[1].final || e.fake.runs.at[1].submitted);
	assert_int_equal(pool_at(e.fake.runs.at[1].pool, 'a'), 0);
	assert_true(e.fake.runs.at[2].submitted);
	engine_free(&e);
}

static struct ending refuses_a(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'a') ? FAKE_FAIL : FAKE_PASS;
}

static void test_fails_without_crash(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a | $");
	e.fake.recover = refuses_a;
	assert_int_equal(engine_try(&e), -1);
	assert_int_equal(e.err.status, ERR_TARGET);
	assert_string_equal(e.err.sentence,
			    "recovery fails without any crash, on what the program leaves at its end: exit status 1");
	assert_int_equal(engine_submitted(&e), 0);
	engine_free(&e);
}

/* Pages before an msync: all, nothing, each alone on media, each alone lost. */
static void test_pages(void **state)
{
	struct engine e;

	engine_make_pages(&e, *state, "a b c @ $");
	e.fake.recover = passes;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 8);
	assert_int_equal(engine_count(&e, "a1 b0 c0"), 1);
	assert_int_equal(engine_count(&e, "a0 b1 c1"), 1);
	assert_int_equal(engine_count(&e, "a0 b0 c1"), 1);
	assert_int_equal(engine_count(&e, "a1 b1 c0"), 1);
	engine_free(&e);
}

/* Two words of one page are not told apart, nor are pages where a fence, not a sync, comes. */
static void test_pages_not(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a b c @ $");
	e.fake.recover = passes;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 2);
	engine_free(&e);
}

static void test_pages_fence(void **state)
{
	struct engine e;

	engine_make_pages(&e, *state, "a b c | $");
	e.fake.recover = passes;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 2);
	engine_free(&e);
}

static void test_pages_sampled(void **state)
{
	struct engine e;

	engine_make_pages(&e, *state, "a b c d e f g h i j k l @ $");
	e.fake.recover = passes;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 2 + 2 * 8);
	assert_int_equal(engine_count(&e, "a0 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1"), 1); /* the first and the last are */
	assert_int_equal(engine_count(&e, "a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l0"), 1);
	assert_int_equal(engine_figures(&e).pages_sampled, 1);
	engine_free(&e);
}

static void test_visits(void **state)
{
	static const struct {
		uint64_t visits;
		size_t states; /* nothing, and a1 to a4 as far as they are seen */
	} cases[] = {{1, 3}, {2, 4}, {4, 5}};
	struct engine e;

	engine_make(&e, *state, "a <a | a <a | a <a | a <a | $");
	e.fake.recover = passes;
	for (size_t i = 0; i < 3; i++) {
		e.options.visits = cases[i].visits;
		engine_run(&e);
		assert_int_equal(engine_submitted(&e), cases[i].states);
		assert_int_equal(engine_count(&e, "a2"), cases[i].visits == 4);
	}
	engine_free(&e);
}

static void test_points(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a | b <b | c <c | $");
	e.fake.recover = passes;
	e.options.points = "2";
	engine_run(&e);
	assert_int_equal(engine_count(&e, "a1 b0 c0"), 1);
	assert_int_equal(engine_count(&e, "a1 b1 c0"), 1);
	assert_int_equal(engine_count(&e, "c1"), 0);
	assert_int_equal(engine_count(&e, "a0"), 0);
	engine_free(&e);
}

/* Until the pool is made, recovery may say what it says of the initial state. */
static struct ending needs_a(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'a') ? FAKE_PASS : (struct ending){ENDING_EXIT, 3};
}

static void test_accepted(void **state)
{
	struct engine e;

	engine_make(&e, *state, "b <b | a <a | c <c | $");
	e.fake.recover = needs_a;
	engine_run(&e);
	assert_int_equal(e.campaign->found.accepted, 2); /* nothing; b */
	assert_int_equal(e.campaign->found.failed, 0);
	assert_int_equal(e.campaign->results.all.count, 0);
	engine_free(&e);
}

/* b without a. */
static struct ending b_without_a_dies(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !pool_at(pool, 'a') ? FAKE_KILLED : FAKE_PASS;
}

/* The result does not depend on how many workers there are, nor on who ends first. */
static void test_order(void **state)
{
	struct engine e;
	uint32_t blamed = 0;

	engine_make(&e, *state, "a b <b | c <c | <a | d <d | $");
	e.fake.recover = b_without_a_dies;
	for (unsigned i = 0; i < 6; i++) {
		e.fake.workers = 1 + i / 2 * 2;
		e.fake.last_first = i & 1;
		engine_run(&e);
		assert_int_equal(e.campaign->results.all.count, 1);
		const struct crash_sighting *s = &e.campaign->results.all.at[0].sighting;
		assert_int_equal(s->states, 2);
		assert_int_equal(s->blamed, engine_place(&e, "a"));
		assert_true(!blamed || s->point == blamed);
		blamed = s->point;
	}
	assert_int_equal(blamed, engine_place(&e, "<c"));
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_two_states),  scratch_test(test_guaranteed),
		scratch_test(test_begins),      scratch_test(test_fails_without_crash),
		scratch_test(test_pages),       scratch_test(test_pages_not),
		scratch_test(test_pages_fence), scratch_test(test_pages_sampled),
		scratch_test(test_visits),      scratch_test(test_points),
		scratch_test(test_accepted),    scratch_test(test_order),
	};

	return cmocka_run_group_tests_name("inject", tests, NULL, NULL);
}
