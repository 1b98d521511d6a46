/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in a list of operations: inside, between, several at a time; and what the whole recording shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/operations.h"

static void add(struct operations *o, enum event_type type, uint64_t value)
{
	operations_add(o, &(struct event){.type = type, .value = value, .file = 1});
}

static void begin(struct operations *o, uint64_t index)
{
	add(o, EVENT_OPERATION_BEGIN, index);
}

static void end(struct operations *o, uint64_t index)
{
	add(o, EVENT_OPERATION_END, index);
}

static void store(struct operations *o)
{
	add(o, EVENT_STORE, 0);
}

static void expect(const struct operations *o, uint64_t event, bool inside, int64_t index, uint64_t completed)
{
	struct operations_place place = operations_at(o, event);

	assert_int_equal(place.inside, inside);
	assert_int_equal(place.index, index);
	assert_int_equal(place.completed, completed);
	assert_int_equal(place.open_count, inside);
	if (inside)
		assert_int_equal(place.open[0], index);
}

static void test_one_after_the_other(void **state)
{
	struct operations *o = operations_open();

	(void)state;
	expect(o, 0, false, -1, 0);
	store(o);    /* 1 */
	begin(o, 0); /* 2 */
	store(o);    /* 3 */
	store(o);    /* 4 */
	end(o, 0);   /* 5 */
	store(o);    /* 6 */
	begin(o, 1); /* 7 */
	expect(o, 7, true, 1, 1);
	end(o, 1);   /* 8 */
	begin(o, 2); /* 9 */
	store(o);    /* 10 */
	expect(o, 0, false, -1, 0);
	expect(o, 1, false, -1, 0);
	expect(o, 2, true, 0, 0);
	expect(o, 4, true, 0, 0);
	expect(o, 5, false, 0, 1);
	expect(o, 6, false, 0, 1);
	expect(o, 7, true, 1, 1);
	expect(o, 8, false, 1, 2);
	expect(o, 10, true, 2, 2);
	expect(o, 1000, true, 2, 2);
	assert_int_equal(operations_summary(o).begun, 3);
	assert_int_equal(operations_summary(o).completed, 2);
	assert_int_equal(operations_summary(o).changing, 2);
	assert_int_equal(operations_summary(o).outside, 1);
	operations_close(o);
}

static void test_overlapping(void **state)
{
	struct operations *o = operations_open();
	struct operations_place place;

	(void)state;
	begin(o, 0); /* 1 */
	begin(o, 1); /* 2 */
	store(o);    /* 3: counts for both */
	begin(o, 2); /* 4 */
	end(o, 1);   /* 5 */
	end(o, 0);   /* 6 */
	end(o, 2);   /* 7 */
	place = operations_at(o, 4);
	assert_true(place.inside);
	assert_int_equal(place.index, 0);
	assert_int_equal(place.open_count, 3);
	assert_int_equal(place.open[1], 1);
	assert_int_equal(place.open[2], 2);
	place = operations_at(o, 5);
	assert_int_equal(place.open_count, 2);
	assert_int_equal(place.open[0], 0);
	assert_int_equal(place.open[1], 2);
	assert_int_equal(place.completed, 1);
	expect(o, 6, true, 2, 2);
	expect(o, 7, false, 2, 3);
	assert_int_equal(operations_summary(o).changing, 2);
	operations_close(o);
}

/* All were read before any was performed. */
static void test_slurped(void **state)
{
	struct operations *o = operations_open();

	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		begin(o, i);
		end(o, i);
	}
	store(o);
	store(o);
	operations_add(o, &(struct event){.type = EVENT_OPERATION_NOTE, .flags = BO_NOTE_AGAIN});
	operations_add(o, &(struct event){.type = EVENT_STORE}); /* not to PM */
	assert_int_equal(operations_summary(o).begun, 5);
	assert_int_equal(operations_summary(o).changing, 0);
	assert_int_equal(operations_summary(o).outside, 2);
	assert_int_equal(operations_summary(o).notes[BO_NOTE_AGAIN], 1);
	assert_int_equal(operations_summary(o).notes[BO_NOTE_MAPPED], 0);
	operations_close(o);
}

static void test_end_without_begin(void **state)
{
	struct operations *o = operations_open();

	(void)state;
	end(o, 4);
	expect(o, 1, false, -1, 0);
	begin(o, 5);
	end(o, 4);
	expect(o, 3, true, 5, 0);
	operations_close(o);
	operations_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_overlapping),
		cmocka_unit_test(test_slurped),
		cmocka_unit_test(test_end_without_begin),
	};

	return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
