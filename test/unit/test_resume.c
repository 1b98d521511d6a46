/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_resume.c - campaigns that end early, by an interrupt or because time is over, and go on later with what the
 * journal has.  Recovery is a function (engine.h). */
#include <string.h>

#include "engine.h"

/* Nine contents; the three that have b without a fail. */
#define PROGRAM "a b <b | c <c | d <d | <a | e <e | f <f | $"

static void program_make(struct engine *e, const char *dir)
{
	engine_make(e, dir, PROGRAM);
	e->fake.recover = b_needs_a;
}

/* What a campaign that nobody disturbs finds. */
static void expect_whole(const struct engine *e)
{
	assert_true(campaign_complete(e->campaign));
	assert_int_equal(e->campaign->found.distinct, 9);
	assert_int_equal(e->campaign->found.tested, 9);
	assert_int_equal(e->campaign->found.failed, 3);
	assert_int_equal(e->campaign->results.all.count, 1);
	assert_int_equal(e->campaign->results.all.at[0].sighting.blamed, engine_place(e, "a"));
	assert_int_equal(e->campaign->results.all.at[0].sighting.states, 3);
}

static void test_undisturbed(void **state)
{
	struct engine e;

	program_make(&e, *state);
	engine_run(&e);
	expect_whole(&e);
	assert_int_equal(engine_submitted(&e), 9);
	engine_free(&e);
}

/* Interrupted wherever you like, and gone on with: nothing that ended is run again, and the result is the same. */
static void test_resumed(void **state)
{
	struct engine e;

	program_make(&e, *state);
	for (uint64_t stop = 1; stop < 9; stop++) {
		e.options.resume = false;
		e.fake.stop_after = stop;
		engine_run(&e);
		assert_false(campaign_complete(e.campaign));
		assert_int_equal(engine_submitted(&e), stop);
		assert_int_equal(e.campaign->found.tested, stop - 1); /* the last was still running */
		e.options.resume = true;
		e.fake.stop_after = 0;
		engine_run(&e);
		assert_int_equal(engine_submitted(&e), 9 - (stop - 1));
		expect_whole(&e);
	}
	engine_free(&e);
}

/* An interrupt ends everything: no cause is searched for. */
static void test_interrupted(void **state)
{
	struct engine e;

	program_make(&e, *state);
	e.fake.stop_after = 8;
	engine_run(&e);
	assert_false(campaign_complete(e.campaign));
	for (size_t i = 2; i < e.fake.runs.count; i++)
		assert_true(e.fake.runs.at[i].submitted);
	/* What failed is told all the same, but nobody knows that it is one thing (findings unite it, test_crash.c). */
	assert_int_equal(e.campaign->results.all.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_true(e.campaign->results.all.at[i].sighting.unfinished);
	engine_free(&e);
}

/* When time is over, causes are still searched for. */
static void test_out_of_time(void **state)
{
	struct engine e;

	program_make(&e, *state);
	e.fake.late_after = 8;
	engine_run(&e);
	assert_false(campaign_complete(e.campaign));
	assert_int_equal(e.campaign->found.tested, 8);
	assert_int_equal(e.campaign->results.all.count, 1);
	assert_false(e.campaign->results.all.at[0].sighting.unfinished);
	assert_int_equal(e.campaign->results.all.at[0].sighting.lost_count, 1);
	engine_free(&e);
}

/* With a budget that is used up at once, recovery is run where there was no crash, and nowhere else. */
static void test_no_budget(void **state)
{
	struct engine e;

	program_make(&e, *state);
	e.options.budget = 1e-9;
	engine_run(&e);
	assert_false(campaign_complete(e.campaign));
	assert_int_equal(e.fake.runs.count, 2);
	assert_int_equal(engine_submitted(&e), 0);
	assert_int_equal(e.campaign->results.all.count, 0);
	engine_free(&e);
}

/* Enough of it makes no difference, though points are visited in rounds. */
static void test_large_budget(void **state)
{
	struct engine e;

	program_make(&e, *state);
	e.options.budget = 1e6;
	engine_run(&e);
	expect_whole(&e);
	assert_int_equal(engine_submitted(&e), 9);
	engine_free(&e);
}

/* Outcomes that depend on something else, or that nobody asks for, are not taken over. */
static void test_not_resumed(void **state)
{
	struct engine e;

	program_make(&e, *state);
	engine_run(&e);
	e.options.resume = true;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 0);
	expect_whole(&e);
	e.options.depends = "another command";
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 9);
	e.options.resume = false;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 9);
	engine_free(&e);
}

static struct ending b_without_a_hangs(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !pool_at(pool, 'a') ? FAKE_HANG : FAKE_PASS;
}

/* What has exceeded the limit is run again if it has more time now. */
static void test_more_time(void **state)
{
	struct engine e;

	program_make(&e, *state);
	e.fake.recover = b_without_a_hangs;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	e.options.resume = true;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 0);
	assert_int_equal(e.campaign->results.all.count, 1);
	e.options.timeout = 2;
	e.fake.recover = b_needs_a;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 3);
	expect_whole(&e);
	assert_int_equal(e.campaign->results.all.at[0].sighting.kind, KIND_RECOVERY_ERROR);
	engine_free(&e);
}

/* Explore goes on, too: the contents that the two campaigns test are those of one. */
static void test_explore_resumed(void **state)
{
	struct engine e;
	size_t all;

	engine_make(&e, *state, "a b c d e <b | <a | f g <f | $");
	e.fake.recover = b_needs_a;
	engine_use(&e, ENGINE_BOTH);
	engine_run(&e);
	all = engine_figures(&e).all;
	assert_true(all > 20);
	for (uint64_t stop = 10; stop < 20; stop += 3) {
		uint64_t before;

		e.options.resume = false;
		e.fake.stop_after = stop;
		e.fake.workers = 2;
		engine_run(&e);
		assert_false(campaign_complete(e.campaign));
		before = stop - 2;
		e.options.resume = true;
		e.fake.stop_after = 0;
		engine_run(&e);
		assert_true(campaign_complete(e.campaign));
		assert_int_equal(engine_figures(&e).all, all);
		assert_in_range(engine_submitted(&e), 1, all - before);
		assert_int_equal(e.campaign->results.all.count, 1);
		assert_int_equal(e.campaign->results.all.at[0].sighting.blamed, engine_place(&e, "a"));
	}
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_undisturbed), scratch_test(test_resumed),   scratch_test(test_interrupted),
		scratch_test(test_out_of_time), scratch_test(test_no_budget), scratch_test(test_large_budget),
		scratch_test(test_not_resumed), scratch_test(test_more_time), scratch_test(test_explore_resumed),
	};

	return cmocka_run_group_tests_name("resume", tests, NULL, NULL);
}
