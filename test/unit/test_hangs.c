/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_hangs.c - recoveries that exceed the time limit (crash/hangs.c): those that hang are told from those that are
 * slow, and few are run.  Recovery is a function (engine.h). */
#include <stdio.h>
#include <string.h>

#include "engine.h"

/* What recovery does on b without a, if it has more time. */
static struct ending bad_end;

static struct ending exceeds(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	if (!pool_at(pool, 'b') || pool_at(pool, 'a'))
		return FAKE_PASS;
	return patience > 1 ? bad_end : FAKE_HANG;
}

static size_t patient_runs(const struct engine *e)
{
	size_t count = 0;

	for (size_t i = 0; i < e->fake.runs.count; i++)
		count += e->fake.runs.at[i].patience > 1;
	return count;
}

static void bad_run(struct engine *e, const char *dir, struct ending end)
{
	engine_make(e, dir, "a b <b | <a | $");
	e->fake.recover = exceeds;
	bad_end = end;
	engine_run(e);
	assert_true(campaign_complete(e->campaign));
	assert_int_equal(hangs_figures(e->campaign).unconfirmed, 0);
}

static void test_confirmed(void **state)
{
	struct engine e;

	bad_run(&e, *state, FAKE_HANG);
	assert_int_equal(e.campaign->results.all.count, 1);
	const struct crash_sighting *s = &e.campaign->results.all.at[0].sighting;
	assert_int_equal(s->kind, KIND_RECOVERY_HANG);
	assert_int_equal(s->ending.kind, ENDING_TIMEOUT);
	assert_int_equal(s->blamed, engine_place(&e, "a"));
	assert_int_equal(s->states, 1);
	assert_int_equal(patient_runs(&e), 1); /* one content: it is not run with patience again */
	assert_int_equal(e.fake.stacks, 1);
	assert_string_equal(s->frames[0].function, "wait");
	engine_free(&e);
}

/* Slow recoveries are no findings. */
static void test_slow(void **state)
{
	struct engine e;

	bad_run(&e, *state, FAKE_PASS);
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_int_equal(e.campaign->found.failed, 0);
	assert_int_equal(patient_runs(&e), 1);
	engine_free(&e);
}

/* One that fails in its own time is told as that. */
static void test_slow_failure(void **state)
{
	struct engine e;

	bad_run(&e, *state, (struct ending){ENDING_EXIT, 7});
	assert_int_equal(e.campaign->found.failed, 1);
	assert_int_equal(e.campaign->results.all.count, 1);
	assert_int_equal(e.campaign->results.all.at[0].sighting.kind, KIND_RECOVERY_ERROR);
	assert_int_equal(e.campaign->results.all.at[0].sighting.ending.value, 7);
	engine_free(&e);
}

/* A program that comes to the same point again and again. */
static void visits_make(struct engine *e, const char *dir)
{
	char program[1000] = "a b <b | ";

	for (unsigned i = 0; i < 30; i++)
		strcat(program, "c <c | ");
	strcat(program, "<a | $");
	engine_make(e, dir, program);
	e->options.visits = 100;
	e->fake.recover = exceeds;
}

/* Where recovery hangs again and again, the point is left alone. */
static void test_left_out(void **state)
{
	struct engine e;
	uint64_t left_out = 0;

	visits_make(&e, *state);
	bad_end = FAKE_HANG;
	for (unsigned workers = 1; workers <= 4; workers++) {
		e.fake.workers = workers;
		engine_run(&e);
		assert_int_equal(e.campaign->results.all.count, 1);
		assert_int_equal(e.campaign->results.all.at[0].sighting.blamed, engine_place(&e, "a"));
		assert_in_range(hangs_figures(e.campaign).left_out, 20, 30);
		assert_in_range(engine_count(&e, "a0 b1"), 1, 10);
		/* The choice does not depend on the number of workers. */
		assert_true(workers == 1 || hangs_figures(e.campaign).left_out == left_out);
		left_out = hangs_figures(e.campaign).left_out;
	}
	engine_free(&e);
}

/* Where it is slow, none is left out. */
static void test_slow_visits(void **state)
{
	struct engine e;

	visits_make(&e, *state);
	bad_end = FAKE_PASS;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_int_equal(hangs_figures(e.campaign).left_out, 0);
	engine_free(&e);
}

/* One speaks for those that lose stores of the same code. */
static void test_one_speaks(void **state)
{
	struct engine e;

	visits_make(&e, *state);
	e.options.visits = 4; /* at most, so that none is left out */
	bad_end = FAKE_HANG;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	assert_int_equal(hangs_figures(e.campaign).left_out, 0);
	assert_in_range(patient_runs(&e), 1, 3);
	engine_free(&e);
}

/* There is no time to see whether it hangs: that is said, and it is no finding. */
static void test_unconfirmed(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a b <b | <a | d <d | b <b | <a | $");
	e.fake.recover = exceeds;
	bad_end = FAKE_HANG;
	e.fake.stop_after = 4;
	engine_run(&e);
	assert_false(campaign_complete(e.campaign));
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_int_equal(patient_runs(&e), 0);
	assert_int_equal(hangs_figures(e.campaign).unconfirmed, 1);
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_confirmed),   scratch_test(test_slow),        scratch_test(test_slow_failure),
		scratch_test(test_left_out),    scratch_test(test_slow_visits), scratch_test(test_one_speaks),
		scratch_test(test_unconfirmed),
	};

	return cmocka_run_group_tests_name("hangs", tests, NULL, NULL);
}
