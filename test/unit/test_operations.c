/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording shows of its operations: one by one, several at a time, read ahead. */
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

static void expect(const struct operations *o, uint64_t begun, uint64_t completed, uint64_t changing)
{
	assert_int_equal(operations_summary(o).begun, begun);
	assert_int_equal(operations_summary(o).completed, completed);
	assert_int_equal(operations_summary(o).changing, changing);
}

static void test_one_after_the_other(void **state)
{
	struct operations *o = operations_open();

	(void)state;
	store(o);
	expect(o, 0, 0, 0);
	begin(o, 0);
	store(o);
	store(o);
	end(o, 0);
	expect(o, 1, 1, 1);
	store(o); /* outside */
	begin(o, 1);
	end(o, 1);
	begin(o, 2);
	assert_false(operations_summary(o).last_changing);
	store(o);
	expect(o, 3, 2, 2);
	assert_true(operations_summary(o).last_changing);
	assert_int_equal(operations_summary(o).outside, 1);
	operations_close(o);
}

static void test_overlapping(void **state)
{
	struct operations *o = operations_open();

	(void)state;
	begin(o, 0);
	begin(o, 1);
	store(o); /* counts for both */
	begin(o, 2);
	expect(o, 3, 0, 2);
	end(o, 1);
	end(o, 0);
	store(o); /* for the last one */
	end(o, 2);
	expect(o, 3, 3, 3);
	assert_int_equal(operations_summary(o).outside, 0);
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
	expect(o, 0, 0, 0);
	begin(o, 5);
	end(o, 4);
	expect(o, 1, 0, 0);
	store(o);
	end(o, 5);
	expect(o, 1, 1, 1);
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
