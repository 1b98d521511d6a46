/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_extent.c - how much is tested where the user does not say (analysis/extent.h). */
#include "analysis/extent.h"
#include "engine.h"

/* Six visits of one point, two of another, one of the end. */
static const char program[] = "a <a | a <a | a <a | b <b | a <a | a <a | b <b | a <a | $";

static uint64_t tested(const struct points *points, uint64_t each)
{
	uint64_t sum = 0;

	for (size_t i = 1; i <= points_count(points); i++)
		sum += points_get(points, i)->visits < each ? points_get(points, i)->visits : each;
	return sum;
}

/* As many as there is room for, and one more of each point would be too many. */
static void test_visits(void **state)
{
	struct engine e;

	engine_make(&e, *state, program);
	const struct points *points = e.survey->points;
	assert_true(tested(points, 6) > tested(points, 3));
	for (uint64_t all = 0; all < 40; all++) {
		uint64_t each = extent_visits(points, 6, all);

		assert_in_range(each, 1, 6);
		assert_true(each == 1 || tested(points, each) <= all);
		assert_true(each == 6 || tested(points, each + 1) > all);
	}
	engine_free(&e);
}

static void test_choose(void **state)
{
	struct campaign_options o = {0};
	struct engine e;

	engine_make(&e, *state, program);
	extent_choose(&o, false, e.survey->points);
	assert_int_equal(o.visits, 1);
	assert_int_equal(o.representatives, 1);
	o = (struct campaign_options){0};
	extent_choose(&o, true, e.survey->points);
	assert_int_equal(o.visits, EXTENT_EACH);
	assert_int_equal(o.representatives, EXTENT_EACH);
	/* not of recovery, which performs no operation while it is crashed */
	assert_int_equal(o.nested_visits, 1);
	assert_int_equal(o.nested_representatives, 1);
	/* what the user says */
	o = (struct campaign_options){.visits = 3, .representatives = 2};
	extent_choose(&o, true, e.survey->points);
	assert_int_equal(o.visits, 3);
	assert_int_equal(o.nested_visits, 3);
	assert_int_equal(o.representatives, 2);
	assert_int_equal(o.nested_representatives, 2);
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {scratch_test(test_visits), scratch_test(test_choose)};

	return cmocka_run_group_tests_name("extent", tests, NULL, NULL);
}
