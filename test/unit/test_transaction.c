/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls of libpmemobj mean: each test makes calls, and compares the steps that they are, as words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "blackout/pmemobj.h"
#include "trace/transaction.h"

enum { POOL = 0x10000, OTHER_POOL = 0x90000, ACTION = 0x500, OBJECT = 0x100, FAILURE = 12 };

struct world {
	struct transaction thread;
	uint32_t context; /* of the last call */
	char told[1000];
};

static void say(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct world *w, const char *format, ...)
{
	size_t used = strlen(w->told);
	va_list list;

	va_start(list, format);
	vsnprintf(w->told + used, sizeof(w->told) - used, format, list);
	va_end(list);
}

/* "add 16 8", "begin", "allocate 100 24 flags 2": offsets in the pool and flags are hexadecimal, sizes decimal. */
static void on_step(void *arg, const struct transaction *thread, const struct transaction_step *step)
{
	static const char *const words[] = {
		[TRANSACTION_COMES] = "comes",        [TRANSACTION_BEGINS] = "begin",
		[TRANSACTION_COMMITS] = "commit",     [TRANSACTION_ABORTS] = "abort",
		[TRANSACTION_ENDS] = "end",           [TRANSACTION_ADDS] = "add",
		[TRANSACTION_ALLOCATES] = "allocate", [TRANSACTION_FREES] = "free",
		[TRANSACTION_PUBLISHES] = "publish",  [OBJECT_ALLOCATED] = "object",
		[OBJECT_RESERVED] = "reserve",        [OBJECT_TO_BE_FREED] = "defer",
		[ACTIONS_SETTLED] = "settle",
	};
	struct world *w = arg;

	assert_ptr_equal(thread, &w->thread);
	say(w, "%s%s", *w->told ? ", " : "", words[step->what]);
	if (step->address > POOL && step->address < OTHER_POOL)
		say(w, " %llx", (unsigned long long)step->address - POOL);
	if (step->size)
		say(w, " %llu", (unsigned long long)step->size);
	if (step->action)
		say(w, " by %llx", (unsigned long long)step->action);
	if (step->action_count)
		say(w, " of %llu", (unsigned long long)step->action_count);
	if (step->flags)
		say(w, " flags %llx", (unsigned long long)step->flags);
}

static void send(struct world *w, const struct event *ev)
{
	transaction_event(&w->thread, ev, &(struct transaction_listener){on_step, w});
}

/* The call is made with up to five arguments; the rest is zero. */
static void enter(struct world *w, enum bo_pmemobj_function function, const uint64_t arguments[5])
{
	uint64_t registers[BO_CALL_ARGUMENTS] = {0};

	if (arguments)
		memcpy(registers, arguments, 5 * sizeof(*arguments));
	send(w, &(struct event){.type = EVENT_CALL,
				.unit = function,
				.context = ++w->context,
				.data = (const uint8_t *)registers,
				.size = sizeof(registers)});
}

static void leave(struct world *w, enum bo_pmemobj_function function, uint64_t value, uint64_t second)
{
	send(w, &(struct event){.type = EVENT_RETURN, .unit = function, .value = value, .second = second});
}

static void jump_out(struct world *w, enum bo_pmemobj_function function)
{
	send(w, &(struct event){.type = EVENT_LEFT, .unit = function});
}

#define ARGUMENTS(...) ((uint64_t[5]){__VA_ARGS__})

/* A call that returns a number, or stores an object. */
#define CALL(w, function, value, second, ...)                              \
	do {                                                               \
		enter((w), BO_PMEMOBJ_##function, ARGUMENTS(__VA_ARGS__)); \
		leave((w), BO_PMEMOBJ_##function, (value), (second));      \
	} while (0)

static void begin(struct world *w)
{
	CALL(w, tx_begin, 0, 0, POOL);
}

static void commit_and_end(struct world *w)
{
	CALL(w, tx_commit, 0, 0, 0);
	CALL(w, tx_end, 0, 0, 0);
}

/* What was told since the last time; the thread's transaction is as it should be. */
static void expect(struct world *w, const char *told, enum transaction_stage stage, size_t levels)
{
	assert_string_equal(w->told, told);
	assert_int_equal(w->thread.stage, stage);
	assert_int_equal(w->thread.levels.count, levels);
	w->told[0] = 0;
}

/* The end of a test. */
static void finish(struct world *w)
{
	assert_int_equal(w->thread.calls.count, 0);
	assert_int_equal(w->thread.inside, 0);
	transaction_free(&w->thread);
}

static void test_committed(void **state)
{
	struct world w = {0};

	(void)state;
	enter(&w, BO_PMEMOBJ_tx_begin, ARGUMENTS(POOL));
	expect(&w, "comes", TRANSACTION_NONE, 0);
	leave(&w, BO_PMEMOBJ_tx_begin, 0, 0);
	expect(&w, "begin", TRANSACTION_WORK, 1);
	assert_int_equal(transaction_innermost(&w.thread)->begin, 1);
	CALL(&w, tx_add_range, 0, 0, 1, OBJECT, 8, 24);
	CALL(&w, tx_xadd_range, 0, 0, 1, OBJECT, 0, 4, TRANSACTION_NO_SNAPSHOT);
	CALL(&w, tx_add_range_direct, 0, 0, POOL + 0x40, 2);
	CALL(&w, tx_add_range_direct, 0, 0, POOL + 0x40, 0);
	CALL(&w, tx_xadd_range_direct, 0, 0, POOL + 0x48, 2, TRANSACTION_NO_FLUSH);
	expect(&w, "add 108 24, add 100 4 flags 4, add 40 2, add 48 2 flags 2", TRANSACTION_WORK, 1);
	/* The commit takes effect when it is called. */
	enter(&w, BO_PMEMOBJ_tx_commit, NULL);
	expect(&w, "commit", TRANSACTION_DONE, 1);
	leave(&w, BO_PMEMOBJ_tx_commit, 0, 0);
	CALL(&w, tx_add_range_direct, 0, 0, POOL + 0x50, 8);
	CALL(&w, tx_end, 0, 0, 0);
	expect(&w, "end", TRANSACTION_NONE, 0);
	begin(&w);
	CALL(&w, tx_process, 0, 0, 0);
	CALL(&w, tx_process, 0, 0, 0);
	CALL(&w, tx_end, 0, 0, 0);
	expect(&w, "comes, begin, commit, end", TRANSACTION_NONE, 0);
	finish(&w);
}

static void test_nested(void **state)
{
	struct world w = {0};

	(void)state;
	begin(&w);
	begin(&w);
	expect(&w, "comes, begin, begin", TRANSACTION_WORK, 2);
	assert_int_equal(transaction_innermost(&w.thread)->serial, 1);
	commit_and_end(&w);
	expect(&w, "commit, end", TRANSACTION_WORK, 1);
	begin(&w);
	assert_int_equal(transaction_innermost(&w.thread)->serial, 2);
	/* The inner one is aborted, and its end aborts the outer one. */
	CALL(&w, tx_abort, 0, 0, 0);
	CALL(&w, tx_end, FAILURE, 0, 0);
	expect(&w, "begin, abort, end, abort", TRANSACTION_DONE, 1);
	CALL(&w, tx_end, FAILURE, 0, 0);
	expect(&w, "end", TRANSACTION_NONE, 0);
	/* An end of nothing. */
	CALL(&w, tx_end, 0, 0, 0);
	expect(&w, "", TRANSACTION_NONE, 0);
	finish(&w);
}

static void test_other_pool(void **state)
{
	struct world w = {0};

	(void)state;
	begin(&w);
	CALL(&w, tx_begin, FAILURE, 0, OTHER_POOL);
	expect(&w, "comes, begin, abort", TRANSACTION_DONE, 1);
	/* A transaction that is done has no other one inside. */
	CALL(&w, tx_begin, FAILURE, 0, POOL);
	expect(&w, "", TRANSACTION_DONE, 1);
	CALL(&w, tx_end, FAILURE, 0, 0);
	CALL(&w, tx_begin, 0, 0, OTHER_POOL);
	assert_int_equal(w.thread.pool, OTHER_POOL);
	commit_and_end(&w);
	expect(&w, "end, comes, begin, commit, end", TRANSACTION_NONE, 0);
	finish(&w);
}

/* Each function fails once without the flag, and once with it. */
static void test_failures(void **state)
{
	static const struct {
		enum bo_pmemobj_function function;
		int flags_at; /* -1: it has none */
	} functions[] = {
		{BO_PMEMOBJ_tx_add_range, -1},
		{BO_PMEMOBJ_tx_add_range_direct, -1},
		{BO_PMEMOBJ_tx_xadd_range, 4},
		{BO_PMEMOBJ_tx_xadd_range_direct, 2},
		{BO_PMEMOBJ_tx_alloc, -1},
		{BO_PMEMOBJ_tx_zalloc, -1},
		{BO_PMEMOBJ_tx_xalloc, 2},
		{BO_PMEMOBJ_tx_strdup, -1},
		{BO_PMEMOBJ_tx_xstrdup, 2},
		{BO_PMEMOBJ_tx_wcsdup, -1},
		{BO_PMEMOBJ_tx_xwcsdup, 2},
		{BO_PMEMOBJ_tx_free, -1},
		{BO_PMEMOBJ_tx_xfree, 2},
		{BO_PMEMOBJ_tx_publish, -1},
		{BO_PMEMOBJ_tx_xpublish, 2},
		{BO_PMEMOBJ_tx_xlock, 2},
		{BO_PMEMOBJ_tx_log_append_buffer, -1},
		{BO_PMEMOBJ_tx_xlog_append_buffer, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct world w = {0};
		uint64_t arguments[5] = {1, OBJECT};

		begin(&w);
		if (functions[i].flags_at >= 0) {
			arguments[functions[i].flags_at] = TRANSACTION_NO_ABORT;
			enter(&w, functions[i].function, arguments);
			leave(&w, functions[i].function, FAILURE, 0);
			expect(&w, "comes, begin", TRANSACTION_WORK, 1);
			arguments[functions[i].flags_at] = 0;
		}
		w.told[0] = 0;
		enter(&w, functions[i].function, arguments);
		leave(&w, functions[i].function, FAILURE, 0);
		expect(&w, "abort", TRANSACTION_DONE, 1);
		finish(&w);
	}
}

static void test_failures_returned(void **state)
{
	struct world w = {0};

	(void)state;
	begin(&w);
	CALL(&w, tx_lock, FAILURE, 0, 0); /* never aborts */
	CALL(&w, tx_set_failure_behavior, 0, 0, 1);
	CALL(&w, tx_alloc, 0, 0, 24);
	begin(&w); /* inherits it */
	CALL(&w, tx_add_range_direct, FAILURE, 0, POOL + 8, 8);
	CALL(&w, tx_set_failure_behavior, 0, 0, 0);
	expect(&w, "comes, begin, begin", TRANSACTION_WORK, 2);
	CALL(&w, tx_add_range_direct, FAILURE, 0, POOL + 8, 8);
	expect(&w, "abort", TRANSACTION_DONE, 2);
	finish(&w);
}

static void test_left_by_longjmp(void **state)
{
	struct world w = {0};

	(void)state;
	enter(&w, BO_PMEMOBJ_tx_begin, ARGUMENTS(POOL));
	jump_out(&w, BO_PMEMOBJ_tx_begin);
	expect(&w, "comes, begin, abort", TRANSACTION_DONE, 1);
	CALL(&w, tx_end, FAILURE, 0, 0);
	begin(&w);
	CALL(&w, tx_set_failure_behavior, 0, 0, 1);
	enter(&w, BO_PMEMOBJ_tx_free, ARGUMENTS(1, OBJECT));
	enter(&w, BO_PMEMOBJ_tx_xfree, ARGUMENTS(1, OBJECT));
	jump_out(&w, BO_PMEMOBJ_tx_xfree);
	jump_out(&w, BO_PMEMOBJ_tx_free);
	expect(&w, "end, comes, begin, abort", TRANSACTION_DONE, 1);
	CALL(&w, tx_end, FAILURE, 0, 0);
	begin(&w);
	begin(&w);
	CALL(&w, tx_commit, 0, 0, 0);
	w.told[0] = 0;
	enter(&w, BO_PMEMOBJ_tx_end, NULL);
	jump_out(&w, BO_PMEMOBJ_tx_end);
	expect(&w, "end, abort", TRANSACTION_DONE, 1);
	/* Calls of other functions abort nothing. */
	CALL(&w, tx_end, FAILURE, 0, 0);
	begin(&w);
	enter(&w, BO_PMEMOBJ_alloc, ARGUMENTS(POOL, 0, 24));
	jump_out(&w, BO_PMEMOBJ_alloc);
	expect(&w, "end, comes, begin", TRANSACTION_WORK, 1);
	finish(&w);
}

static void test_objects(void **state)
{
	struct world w = {0};

	(void)state;
	begin(&w);
	w.told[0] = 0;
	CALL(&w, tx_alloc, 1, OBJECT, 24);
	CALL(&w, tx_xalloc, 1, OBJECT, 24, 7, TRANSACTION_NO_FLUSH);
	CALL(&w, tx_strdup, 1, OBJECT, 0x7000, 7);
	CALL(&w, tx_free, 0, 0, 1, OBJECT);
	CALL(&w, tx_free, 0, 0, 0, 0); /* of a null object */
	expect(&w, "allocate 100 24, allocate 100 24 flags 2, allocate 100, free 100", TRANSACTION_WORK, 1);
	CALL(&w, tx_realloc, 1, OBJECT + 64, 1, OBJECT, 48);
	CALL(&w, tx_zrealloc, 1, OBJECT, 0, 0, 48);
	CALL(&w, tx_realloc, 1, OBJECT, 1, OBJECT, 24);
	CALL(&w, tx_realloc, 0, 0, 1, OBJECT, 0);
	expect(&w, "allocate 140 48, free 100, allocate 100 48, allocate 100 24, free 100", TRANSACTION_WORK, 1);
	CALL(&w, tx_realloc, 0, 0, 1, OBJECT, 48);
	expect(&w, "abort", TRANSACTION_DONE, 1);
	CALL(&w, tx_end, FAILURE, 0, 0);
	w.told[0] = 0;
	CALL(&w, zalloc, 0, OBJECT, POOL, 0, 24);
	CALL(&w, strdup, 0, OBJECT, POOL, 0, 0x7000);
	CALL(&w, alloc, (uint64_t)-1, OBJECT, POOL, 0, 24);
	CALL(&w, list_insert_new, 1, OBJECT, POOL, 0, 0x7000);
	expect(&w, "object 100 24, object 100, object 100", TRANSACTION_NONE, 0);
	finish(&w);
}

static void test_actions(void **state)
{
	struct world w = {0};

	(void)state;
	CALL(&w, reserve, 1, OBJECT, POOL, ACTION, 24);
	CALL(&w, xreserve, 1, OBJECT, POOL, ACTION, 24);
	CALL(&w, reserve, 0, 0, POOL, ACTION, 24);
	CALL(&w, defer_free, 0, 0, POOL, 1, OBJECT, ACTION);
	expect(&w, "reserve 100 24 by 500, reserve 100 24 by 500, defer 100 by 500", TRANSACTION_NONE, 0);
	CALL(&w, publish, 0, 0, POOL, ACTION, 2);
	CALL(&w, publish, (uint64_t)-1, 0, POOL, ACTION, 2);
	CALL(&w, cancel, 77, 0, POOL, ACTION, 2); /* returns nothing */
	expect(&w, "settle by 500 of 2, settle by 500 of 2", TRANSACTION_NONE, 0);
	begin(&w);
	CALL(&w, tx_publish, 0, 0, ACTION, 2);
	expect(&w, "comes, begin, publish by 500 of 2", TRANSACTION_WORK, 1);
	finish(&w);
}

/* Functions of the library call each other; and its copies store for their callers. */
static void test_inside(void **state)
{
	struct world w = {0};

	(void)state;
	begin(&w);
	w.told[0] = 0;
	enter(&w, BO_PMEMOBJ_tx_free, ARGUMENTS(1, OBJECT));
	assert_int_equal(w.thread.inside, 1);
	enter(&w, BO_PMEMOBJ_tx_xfree, ARGUMENTS(1, OBJECT));
	assert_int_equal(w.thread.inside, 2);
	leave(&w, BO_PMEMOBJ_tx_xfree, 0, 0);
	expect(&w, "", TRANSACTION_WORK, 1);
	leave(&w, BO_PMEMOBJ_tx_free, 0, 0);
	expect(&w, "free 100", TRANSACTION_WORK, 1);
	enter(&w, BO_PMEMOBJ_memcpy, ARGUMENTS(POOL));
	assert_int_equal(w.thread.inside, 0);
	leave(&w, BO_PMEMOBJ_memcpy, 0, 0);
	/* A constructor is no part of the library. */
	enter(&w, BO_PMEMOBJ_alloc, ARGUMENTS(POOL, 0, 24));
	CALL(&w, tx_add_range_direct, 0, 0, POOL + 8, 8);
	leave(&w, BO_PMEMOBJ_alloc, 0, OBJECT);
	expect(&w, "add 8 8, object 100 24", TRANSACTION_WORK, 1);
	/* The return of a call that was not seen, as in a child process. */
	leave(&w, BO_PMEMOBJ_tx_end, 0, 0);
	enter(&w, BO_PMEMOBJ_tx_commit, NULL);
	leave(&w, BO_PMEMOBJ_tx_end, 0, 0);
	leave(&w, BO_PMEMOBJ_tx_commit, 0, 0);
	expect(&w, "commit", TRANSACTION_DONE, 1);
	/* Functions of others. */
	enter(&w, BO_PMEMOBJ_NONE, NULL);
	leave(&w, BO_PMEMOBJ_NONE, 0, 0);
	expect(&w, "", TRANSACTION_DONE, 1);
	finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_committed),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_other_pool),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_failures_returned),
		cmocka_unit_test(test_left_by_longjmp),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_actions),
		cmocka_unit_test(test_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
