/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of intervals against a naive model: an array with the facts of each address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "detect/intervals.h"

enum { ADDRESSES = 3000, BASE = 1000 };

struct naive {
	uint32_t context[ADDRESSES]; /* 0: not in the set */
};

static void naive_add(struct naive *n, const struct interval *i)
{
	for (uint64_t a = i->start; a < i->end; a++)
		if (!n->context[a - BASE])
			n->context[a - BASE] = i->context;
}

static void naive_remove(struct naive *n, uint64_t start, uint64_t end)
{
	for (uint64_t a = start; a < end; a++)
		n->context[a - BASE] = 0;
}

static uint64_t naive_covered(const struct naive *n, uint64_t start, uint64_t end)
{
	uint64_t covered = 0;

	for (uint64_t a = start; a < end; a++)
		covered += n->context[a - BASE] != 0;
	return covered;
}

/* The set has exactly these addresses, in order, and neighbors with equal facts are joined. */
static void expect_equal(const struct intervals *set, const struct naive *n)
{
	uint64_t from = BASE;
	const struct interval *last = NULL;

	for (const struct interval *i = intervals_next(set, 0); i; i = intervals_next(set, i->end)) {
		assert_true(i->start >= from && i->start < i->end);
		assert_false(last && last->end == i->start && last->context == i->context);
		assert_int_equal(naive_covered(n, from, i->start), 0);
		for (uint64_t a = i->start; a < i->end; a++)
			assert_int_equal(n->context[a - BASE], i->context);
		from = i->end;
		last = i;
	}
	assert_int_equal(naive_covered(n, from, BASE + ADDRESSES), 0);
}

static void random_range(uint64_t *random, uint64_t longest, uint64_t *start, uint64_t *end)
{
	*start = BASE + random_below(random, ADDRESSES);
	*end = *start + random_below(random, longest + 1);
	*end = *end < BASE + ADDRESSES ? *end : BASE + ADDRESSES;
}

static void run_random(uint64_t seed, uint64_t longest, uint32_t contexts)
{
	uint64_t random = random_seed(seed, longest);
	struct intervals set = {0};
	struct naive naive = {0};
	uint64_t start, end;

	for (unsigned step = 0; step < 1500; step++) {
		random_range(&random, longest, &start, &end);
		switch (random_below(&random, 8)) {
		case 0:
		case 1:
			intervals_remove(&set, start, end);
			naive_remove(&naive, start, end);
			break;
		case 2: assert_int_equal(intervals_covered(&set, start, end), naive_covered(&naive, start, end)); break;
		default: {
			struct interval i = {start, end, 1 + (uint32_t)random_below(&random, contexts), 0};

			intervals_add(&set, &i);
			naive_add(&naive, &i);
		}
		}
		if (step % 500 == 499 && random_below(&random, 2)) {
			intervals_clear(&set);
			naive_remove(&naive, BASE, BASE + ADDRESSES);
		}
		if (step % 50 == 0)
			expect_equal(&set, &naive);
	}
	expect_equal(&set, &naive);
	intervals_free(&set);
}

/* Short ones are many, and need several blocks; long ones overlap many others. */
static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		run_random(seed, 3, 50);
		run_random(seed, 40, 3);
		run_random(seed, 1000, 2);
	}
}

static void test_first_facts_stay(void **state)
{
	struct intervals set = {0};
	const struct interval *i;

	(void)state;
	intervals_add(&set, &(struct interval){100, 108, 1, 7});
	intervals_add(&set, &(struct interval){96, 120, 2, 0});
	i = intervals_next(&set, 0);
	assert_int_equal(i->start, 96);
	assert_int_equal(i->end, 100);
	assert_int_equal(i->context, 2);
	i = intervals_next(&set, 100);
	assert_int_equal(i->end, 108);
	assert_int_equal(i->flags, 7);
	i = intervals_next(&set, 108);
	assert_int_equal(i->end, 120);
	assert_null(intervals_next(&set, 120));
	assert_int_equal(intervals_covered(&set, 0, ~0ull), 24);
	intervals_free(&set);
}

static void test_empty(void **state)
{
	struct intervals set = {0};

	(void)state;
	assert_null(intervals_next(&set, 0));
	assert_int_equal(intervals_covered(&set, 0, ~0ull), 0);
	intervals_remove(&set, 0, ~0ull);
	intervals_add(&set, &(struct interval){5, 5, 1, 0});
	assert_null(intervals_next(&set, 0));
	intervals_clear(&set);
	intervals_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_first_facts_stay),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("intervals", tests, NULL, NULL);
}
