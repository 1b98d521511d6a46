/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_select.c - which visits of which failure points are chosen.  The end-to-end tests cover names on stacks, because
 * there is no trace here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "crash/select.h"

/* Points 1 to `count`, each visited `visits` times its number.  The last event is at the end of the last visit. */
static struct points *points_make(size_t count, unsigned visits)
{
	struct points *points = points_new(POINTS_PERSIST);
	uint64_t number = 0, visit;

	for (uint32_t point = 1; point <= count; point++)
		for (unsigned i = 0; i < visits; i++) {
			const struct event store = {.type = EVENT_STORE, .file = 1, .context = 1000};
			const struct event flush = {.type = EVENT_CLWB, .file = 1, .context = point};

			points_event(points, &store, ++number, &visit);
			assert_int_equal(points_event(points, &flush, ++number, &visit), point);
		}
	return points;
}

/* Check which visits of point 1 are chosen, as a list. */
static void expect_visits(unsigned visits, uint64_t limit, const char *expected)
{
	struct points *points = points_make(1, visits);
	const struct select_options options = {.visits = limit, .rounds = 1};
	struct select *select;
	struct err err;
	char text[256] = "";

	assert_int_equal(select_new(&select, &options, points, &err), 0);
	select_round(select, 0);
	for (unsigned visit = 1; visit <= visits; visit++)
		if (select_takes(select, NULL, 1, visit))
			sprintf(text + strlen(text), "%s%u", *text ? " " : "", visit);
	assert_string_equal(text, expected);
	assert_int_equal(select_last(select), limit > 1 ? 2 * visits : 2);
	select_free(select);
	points_free(points);
}

static void test_visits(void **state)
{
	(void)state;
	expect_visits(1, 1, "1");
	expect_visits(10, 1, "1");
	expect_visits(10, 2, "1 10"); /* first and last */
	expect_visits(10, 3, "1 5 10");
	expect_visits(10, 4, "1 4 7 10");
	expect_visits(3, 3, "1 2 3");
	expect_visits(3, 100, "1 2 3");
	expect_visits(11, 6, "1 3 5 7 9 11");
}

/* As many as requested, for every number. */
static void test_visits_count(void **state)
{
	(void)state;
	for (unsigned visits = 1; visits < 60; visits++)
		for (uint64_t limit = 1; limit <= visits; limit++) {
			struct points *points = points_make(1, visits);
			const struct select_options options = {.visits = limit, .rounds = 1};
			struct select *select;
			struct err err;
			uint64_t taken = 0;

			assert_int_equal(select_new(&select, &options, points, &err), 0);
			for (unsigned visit = 1; visit <= visits; visit++)
				taken += select_takes(select, NULL, 1, visit);
			assert_int_equal(taken, limit);
			assert_true(limit == 1 || select_takes(select, NULL, 1, visits));
			select_free(select);
			points_free(points);
		}
}

static void expect_points(const char *list, const char *expected)
{
	struct points *points = points_make(9, 1);
	const struct select_options options = {.visits = 1, .points = list, .rounds = 1};
	struct select *select;
	struct err err;
	char text[256] = "";

	if (select_new(&select, &options, points, &err) < 0) {
		assert_int_equal(err.status, ERR_USAGE);
		assert_string_equal("wrong", expected);
	} else {
		for (size_t point = 1; point <= 9; point++)
			if (select_takes(select, NULL, point, 1))
				sprintf(text + strlen(text), "%zu", point);
		assert_string_equal(text, expected);
		assert_int_equal(select_check(select, &err), 0);
		select_free(select);
	}
	points_free(points);
}

static void test_points(void **state)
{
	(void)state;
	expect_points("3", "3");
	expect_points("2-4,9", "2349");
	expect_points("8-99", "89");
	expect_points("10", "wrong");
	expect_points("0", "wrong");
	expect_points("4-2", "wrong");
	expect_points("3x", "wrong");
	expect_points("", "wrong");
	expect_points(",", "wrong");
}

/* Users count points without afterthoughts, as the figures of a report do; an afterthought belongs to the point before
 * it. */
static void test_points_afterthoughts(void **state)
{
	static const struct event store = {.type = EVENT_STORE, .file = 1, .context = 1};
	static const struct event fence = {.type = EVENT_SFENCE, .context = 8};
	struct points *points = points_new(POINTS_PERSIST);
	struct select_options options = {.visits = 1, .points = "2", .rounds = 1};
	uint64_t number = 0, visit;
	struct select *select;
	struct err err;

	(void)state;
	for (uint32_t context = 2; context <= 3; context++) {
		const struct event flush = {.type = EVENT_CLWB, .file = 1, .context = context};
		const struct event again = {.type = EVENT_CLWB, .file = 1, .context = context + 10};

		points_event(points, &store, ++number, &visit);
		points_event(points, &flush, ++number, &visit);
		points_event(points, &fence, ++number, &visit);
		points_event(points, &again, ++number, &visit); /* something was completed, but nothing stored */
	}
	assert_int_equal(points_count(points), 4);
	assert_int_equal(points_unique(points), 2);
	assert_int_equal(select_new(&select, &options, points, &err), 0);
	for (size_t point = 1; point <= 4; point++)
		assert_int_equal(select_takes(select, NULL, point, 1), point > 2);
	select_free(select);
	options.points = "3";
	assert_int_equal(select_new(&select, &options, points, &err), -1);
	assert_string_equal(err.sentence, "--points: '3' is none of the 2 failure points of this run");
	points_free(points);
}

/* With a budget every point gets one round, and only one. */
static void test_rounds(void **state)
{
	struct points *points = points_make(40, 1);
	const struct select_options options = {.visits = 1, .rounds = SELECT_ROUNDS};
	struct select *select;
	struct err err;
	unsigned taken[41] = {0}, first = 0;

	(void)state;
	assert_int_equal(select_new(&select, &options, points, &err), 0);
	for (unsigned round = 0; round < SELECT_ROUNDS; round++) {
		select_round(select, round);
		for (size_t point = 1; point <= 40; point++)
			taken[point] += select_takes(select, NULL, point, 1);
		if (round == 1)
			for (size_t point = 1; point <= 40; point++)
				first += taken[point];
	}
	for (size_t point = 1; point <= 40; point++)
		assert_int_equal(taken[point], 1);
	assert_int_equal(first, 5); /* an eighth */
	select_free(select);
	points_free(points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visits), cmocka_unit_test(test_visits_count),
		cmocka_unit_test(test_points), cmocka_unit_test(test_points_afterthoughts),
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
