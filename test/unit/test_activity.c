/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_activity.c - activity.h: what contexts did, and for which stores they flushed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "detect/activity.h"

enum { STORE = 1, OTHER_STORE, FLUSH, FLUSH_AGAIN, FENCE, LOCK, WRITE };

static void event(struct activity *a, enum event_type type, uint32_t context, uint64_t offset, uint64_t size)
{
	const struct event ev = {
		.type = type, .context = context, .thread = 1, .file = 1, .offset = offset, .size = size};

	activity_event(a, &ev);
}

static void test_what(void **state)
{
	struct activity *a = activity_new();

	(void)state;
	event(a, EVENT_STORE, STORE, 0, 8);
	event(a, EVENT_CLWB, FLUSH, 0, 0);
	event(a, EVENT_SFENCE, FENCE, 0, 0);
	event(a, EVENT_LOCKED, LOCK, 0, 0);
	event(a, EVENT_FILE_WRITE, WRITE, 0, 8);
	assert_true(activity_at(a, STORE)->changes && !activity_at(a, STORE)->flushes);
	assert_true(activity_at(a, FLUSH)->flushes && !activity_at(a, FLUSH)->changes);
	assert_true(activity_at(a, FENCE)->fences && !activity_at(a, FENCE)->flushes);
	assert_true(activity_at(a, WRITE)->changes);
	assert_null(activity_at(a, LOCK));
	assert_null(activity_at(a, 100000));
	activity_free(a);
}

/* A store outside PM changes nothing; a flush there counts as a flush. */
static void test_volatile(void **state)
{
	const struct event store = {.type = EVENT_STORE, .context = STORE, .addr = 0x1000, .size = 8};
	const struct event flush = {.type = EVENT_CLFLUSH, .context = FLUSH, .addr = 0x1000};
	struct activity *a = activity_new();

	(void)state;
	activity_event(a, &store);
	activity_event(a, &flush);
	assert_null(activity_at(a, STORE));
	assert_true(activity_at(a, FLUSH)->flushes);
	activity_free(a);
}

/* The stores that a flush was the first to write back, by line.  A store that spans two lines counts in both. */
static void test_covered(void **state)
{
	struct activity *a = activity_new();

	(void)state;
	event(a, EVENT_STORE, STORE, 60, 8);
	event(a, EVENT_STORE, OTHER_STORE, 256, 8);
	event(a, EVENT_CLWB, FLUSH, 64, 0);
	assert_int_equal(activity_at(a, FLUSH)->covered[0], STORE);
	event(a, EVENT_CLWB, FLUSH, 260, 0);
	assert_int_equal(activity_at(a, FLUSH)->covered[1], OTHER_STORE);
	event(a, EVENT_CLWB, FLUSH_AGAIN, 64, 0);
	assert_int_equal(activity_at(a, FLUSH_AGAIN)->covered[0], 0);
	assert_true(activity_at(a, FLUSH)->first_line + 3 == activity_at(a, FLUSH)->last_line);
	activity_free(a);
}

/* Flushing the same range repeatedly does not vary; flushing another range does, even if it follows the first. */
static void test_varies(void **state)
{
	struct activity *a = activity_new();

	(void)state;
	for (int i = 0; i < 3; i++) {
		event(a, EVENT_CLWB, FLUSH, 0, 0);
		event(a, EVENT_CLWB, FLUSH, 64, 0);
		event(a, EVENT_SFENCE, FENCE, 0, 0);
	}
	assert_false(activity_at(a, FLUSH)->varies);
	event(a, EVENT_CLWB, FLUSH, 0, 0);
	event(a, EVENT_SFENCE, FENCE, 0, 0);
	event(a, EVENT_CLWB, FLUSH, 64, 0);
	assert_true(activity_at(a, FLUSH)->varies);
	activity_free(a);
}

/* A store of another thread is not attributed to the flush. */
static void test_thread(void **state)
{
	const struct event flush = {.type = EVENT_CLWB, .context = FLUSH, .thread = 2, .file = 1};
	struct activity *a = activity_new();

	(void)state;
	event(a, EVENT_STORE, STORE, 0, 8);
	activity_event(a, &flush);
	assert_int_equal(activity_at(a, FLUSH)->covered[0], 0);
	activity_free(a);
}

/* The earlier flush is named only if it came first each time, from the same context. */
static void test_again(void **state)
{
	struct activity *a = activity_new();

	(void)state;
	for (uint64_t offset = 0; offset < 256; offset += 64) {
		event(a, EVENT_STORE, STORE, offset, 8);
		event(a, EVENT_CLWB, FLUSH, offset, 0);
		event(a, EVENT_CLWB, FLUSH_AGAIN, offset, 0);
		assert_int_equal(activity_at(a, FLUSH)->again, 0);
		assert_int_equal(activity_at(a, FLUSH_AGAIN)->again, FLUSH);
	}
	event(a, EVENT_STORE, STORE, 0, 8);
	event(a, EVENT_CLWB, FLUSH_AGAIN, 0, 0);
	assert_int_equal(activity_at(a, FLUSH_AGAIN)->again, 0);
	event(a, EVENT_CLWB, FLUSH, 64, 0);
	event(a, EVENT_CLWB, FLUSH_AGAIN, 64, 0);
	assert_int_equal(activity_at(a, FLUSH_AGAIN)->again, 0);
	activity_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what),   cmocka_unit_test(test_volatile), cmocka_unit_test(test_covered),
		cmocka_unit_test(test_thread), cmocka_unit_test(test_again),    cmocka_unit_test(test_varies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
