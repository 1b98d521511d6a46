/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_explain.c - from failing crash states to causes: the fewest stores lost (explain/loss.c), the shortest prefix
 * (explain/prefix.c), one result for what fails alike.  Recovery is a function (engine.h). */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine.h"

static const struct crash_sighting *sighting(const struct engine *e, size_t index)
{
	assert_in_range(index + 1, 1, e->campaign->results.all.count);
	return &e->campaign->results.all.at[index].sighting;
}

/* The one result with this cause. */
static const struct crash_sighting *sighting_of(const struct engine *e, enum crash_cause cause)
{
	const struct crash_sighting *found = NULL;

	for (size_t i = 0; i < e->campaign->results.all.count; i++)
		if (sighting(e, i)->cause == cause) {
			assert_null(found);
			found = sighting(e, i);
		}
	assert_non_null(found);
	return found;
}

/* Is a store of this word among these? */
static bool has_store(const struct engine *e, const struct crash_store *stores, uint64_t count, const char *word)
{
	for (uint64_t i = 0; i < count; i++)
		if (stores[i].context == engine_place(e, word))
			return true;
	return false;
}

static void expect_lost(const struct engine *e, const struct crash_sighting *s, const char *word)
{
	assert_int_equal(s->lost_count, 1);
	assert_true(has_store(e, s->lost, 1, word));
	assert_int_equal(s->blamed, engine_place(e, word));
}

/* Losses */

/* Many are lost, one matters. */
static void test_fewest_lost(void **state)
{
	struct engine e;

	engine_make(&e, *state, "c d a f g h b <b | <c <d <a <f <g <h | $");
	e.fake.recover = b_needs_a;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	const struct crash_sighting *s = sighting(&e, 0);
	expect_lost(&e, s, "a");
	assert_int_equal(s->cause, CAUSE_UNFLUSHED);
	assert_int_equal(s->kind, KIND_RECOVERY_ERROR);
	assert_int_equal(s->ending.value, 1);
	assert_int_equal(s->point, engine_place(&e, "<c"));
	assert_string_equal(s->point_op, "clwb");
	assert_true(has_store(&e, s->persisted, s->persisted_count, "b"));
	assert_false(s->unfinished);
	expect_detectors(&e, 0, "inject");
	assert_int_equal(s->states, 1);
	engine_free(&e);
}

static struct ending b_needs_a_or_c(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !pool_at(pool, 'a') && !pool_at(pool, 'c') ? FAKE_FAIL : FAKE_PASS;
}

/* Either would do, so both must be lost. */
static void test_two_lost(void **state)
{
	struct engine e;

	engine_make(&e, *state, "d a e c f b <b | <a | $");
	e.fake.recover = b_needs_a_or_c;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	const struct crash_sighting *s = sighting(&e, 0);
	assert_int_equal(s->lost_count, 2);
	assert_true(has_store(&e, s->lost, 2, "a"));
	assert_true(has_store(&e, s->lost, 2, "c"));
	assert_int_equal(s->blamed, engine_place(&e, "a"));
	engine_free(&e);
}

static struct ending a_with_A(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !pool_at(pool, 'a') && pool_at(pool, 'd') ? FAKE_FAIL : FAKE_PASS;
}

/* A store takes along what comes after it in its line: A is lost with a, but nobody blames it. */
static void test_line(void **state)
{
	struct engine e;

	engine_make(&e, *state, "d <d | a A b <b | <a | $");
	e.fake.recover = a_with_A;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	const struct crash_sighting *s = sighting(&e, 0);
	assert_int_equal(s->blamed, engine_place(&e, "a"));
	assert_int_equal(s->lost_count, 2);
	assert_int_equal(s->lost[0].context, engine_place(&e, "a"));
	assert_int_equal(s->lost[1].context, engine_place(&e, "A"));
	engine_free(&e);
}

/* Flushed but not fenced, and a non-temporal store. */
static void test_causes(void **state)
{
	static const char *const programs[] = {"a b <b | <a c <c | $", "~a b c | $"};
	char dir[300];

	for (size_t i = 0; i < 2; i++) {
		struct engine e;

		snprintf(dir, sizeof(dir), "%s/%zu", (const char *)*state, i);
		assert_int_equal(mkdir(dir, 0777), 0);
		engine_make(&e, dir, programs[i]);
		e.fake.recover = b_needs_a;
		engine_use(&e, ENGINE_EXPLORE);
		engine_run(&e);
		assert_int_equal(e.campaign->results.all.count, 1);
		assert_int_equal(sighting(&e, 0)->lost_count, 1);
		expect_detectors(&e, 0, "explore");
		engine_free(&e);
	}
}

/* Both are flushed, and no fence is between: of all states explore finds the one. */
static void test_unordered(void **state)
{
	struct engine e;

	engine_make(&e, *state, "c a <a <c b <b | $");
	e.fake.recover = b_needs_a;
	engine_use(&e, ENGINE_BOTH);
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	const struct crash_sighting *s = sighting(&e, 0);
	expect_lost(&e, s, "a");
	assert_int_equal(s->cause, CAUSE_UNORDERED);
	assert_true(s->pair);
	assert_true(s->persisted[0].needed);
	assert_int_equal(s->persisted[0].context, engine_place(&e, "b"));
	assert_int_equal(s->states, 2); /* with c and without */
	expect_detectors(&e, 0, "explore");
	engine_free(&e);
}

/* Groups */

static struct ending b_needs_a_d_needs_c(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	if (pool_at(pool, 'b') && !pool_at(pool, 'a'))
		return FAKE_FAIL;
	return pool_at(pool, 'd') && !pool_at(pool, 'c') ? FAKE_KILLED : FAKE_PASS;
}

/* Two mistakes are two results, and each counts its own states. */
static void test_two_mistakes(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a b <b | e <e | <a | c d <d | f <f | <c | $");
	e.fake.recover = b_needs_a_d_needs_c;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 2);
	expect_lost(&e, sighting(&e, 0), "a");
	expect_lost(&e, sighting(&e, 1), "c");
	assert_int_equal(sighting(&e, 0)->kind, KIND_RECOVERY_ERROR);
	assert_int_equal(sighting(&e, 1)->kind, KIND_RECOVERY_CRASH);
	assert_int_equal(sighting(&e, 1)->ending.value, 11);
	assert_int_equal(sighting(&e, 0)->states, 2);
	assert_int_equal(sighting(&e, 1)->states, 2);
	assert_int_equal(e.campaign->found.failed, 4);
	/* The stack of the one that was killed, once. */
	assert_int_equal(e.fake.stacks, 1);
	assert_int_equal(sighting(&e, 1)->frame_count, 1);
	assert_string_equal(sighting(&e, 1)->frames[0].function, "check");
	assert_int_equal(sighting(&e, 0)->frame_count, 0);
	engine_free(&e);
}

/* What fails once, and not when it is run again alone, is no finding. */
static struct ending flaky(void *arg, const uint8_t *pool, unsigned patience)
{
	unsigned *times = arg;

	(void)patience;
	if (!pool_at(pool, 'b') || pool_at(pool, 'a'))
		return FAKE_PASS;
	return (*times)++ ? FAKE_PASS : FAKE_FAIL;
}

static void test_flaky(void **state)
{
	struct engine e;
	unsigned times = 0;

	engine_make(&e, *state, "a b <b | <a | $");
	e.fake.recover = flaky;
	e.fake.arg = &times;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_int_equal(e.campaign->results.flaky, 1);
	assert_in_range(times, 3, 10);
	engine_free(&e);
}

/* Prefixes */

static struct ending b_then_d(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !pool_at(pool, 'd') ? FAKE_FAIL : FAKE_PASS;
}

/* b is stored before d: if the power fails in between, it does not help that all is on media.  That d can be lost
 * afterwards, with b on media, is the other half of the story, which findings unite (test_crash.c). */
static void test_shortest_prefix(void **state)
{
	struct engine e;

	engine_make(&e, *state, "c <c | e f g h b i j k <b | d <d | $");
	e.fake.recover = b_then_d;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 2);
	expect_lost(&e, sighting_of(&e, CAUSE_UNFLUSHED), "d");
	const struct crash_sighting *s = sighting_of(&e, CAUSE_EARLY);
	assert_int_equal(s->blamed, engine_place(&e, "b"));
	assert_int_equal(s->persisted[0].context, engine_place(&e, "b"));
	assert_int_equal(s->lost_count, 0);
	assert_false(s->unfinished);
	engine_free(&e);
}

/* Of a long prefix it takes the logarithm. */
static void test_prefix_bisects(void **state)
{
	char program[2000] = "c <c | ";
	struct engine e;

	for (unsigned i = 0; i < 100; i++)
		strcat(program, i == 70 ? "b " : i % 2 ? "e " : "f ");
	strcat(program, "<b | d <d | $");
	engine_make(&e, *state, program);
	e.fake.recover = b_then_d;
	engine_run(&e);
	assert_int_equal(sighting_of(&e, CAUSE_EARLY)->blamed, engine_place(&e, "b"));
	assert_in_range(e.fake.runs.count, 8, 40);
	engine_free(&e);
}

/* The user asked for the crash at <d alone.  What failed before that point is not his question, but the search may not
 * go back behind it. */
static void test_prefix_within_points(void **state)
{
	struct engine e;

	engine_make(&e, *state, "b <b | c e <c | f g <f | d <d | $");
	e.fake.recover = b_then_d;
	e.options.points = "3";
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	const struct crash_sighting *s = sighting(&e, 0);
	assert_int_not_equal(s->blamed, engine_place(&e, "b"));
	assert_int_equal(s->cause, CAUSE_MOMENT);
	assert_int_equal(s->point, engine_place(&e, "<f"));
	assert_true(s->always);
	/* It goes back as far as the point before, where recovery fails already: not to b, but for the first point. */
	e.options.points = "2";
	engine_run(&e);
	assert_int_equal(sighting(&e, 0)->cause, CAUSE_MOMENT);
	e.options.points = "1";
	engine_run(&e);
	assert_int_equal(sighting(&e, 0)->cause, CAUSE_EARLY);
	assert_int_equal(sighting(&e, 0)->blamed, engine_place(&e, "b"));
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_fewest_lost),    scratch_test(test_two_lost),
		scratch_test(test_line),           scratch_test(test_causes),
		scratch_test(test_unordered),      scratch_test(test_two_mistakes),
		scratch_test(test_flaky),          scratch_test(test_shortest_prefix),
		scratch_test(test_prefix_bisects), scratch_test(test_prefix_within_points),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
