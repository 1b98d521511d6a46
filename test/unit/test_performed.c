/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which recordings show the operations of a list, and what is said about the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/performed.h"

static void expect(struct operations_summary summary, const char *marks, uint64_t listed, enum err_status status,
		   const char *words)
{
	struct err err = {0};
	int r = performed_check(&summary, marks, listed, &err);

	if (!words) {
		assert_int_equal(r, 0);
		return;
	}
	assert_int_equal(r, -1);
	assert_int_equal(err.status, status);
	assert_non_null(strstr(err.sentence, words));
	assert_true(*err.hint);
}

#define SUMMARY(...) ((struct operations_summary){__VA_ARGS__})

static void test_reads(void **state)
{
	(void)state;
	expect(SUMMARY(.begun = 8, .completed = 8, .changing = 4), "reads", 8, 0, NULL);
	expect(SUMMARY(.begun = 3, .completed = 3, .changing = 1), "reads", 8, 0, NULL); /* it stopped early */
	expect(SUMMARY(.begun = 8, .completed = 8), "reads", 8, 0, NULL);                /* nothing changes */
	expect(SUMMARY(.begun = 0), "reads", 8, ERR_TARGET, "reads none of its operations");
	expect(SUMMARY(.begun = 0, .notes[BO_NOTE_MAPPED] = 1), "reads", 8, ERR_USAGE, "maps its operations");
	expect(SUMMARY(.begun = 0, .notes[BO_NOTE_UNSEEN] = 1), "reads", 8, ERR_USAGE, "by a system call");
	expect(SUMMARY(.begun = 16, .changing = 4, .notes[BO_NOTE_AGAIN] = 1), "reads", 8, ERR_USAGE, "more than once");
}

static void test_slurped(void **state)
{
	(void)state;
	expect(SUMMARY(.begun = 8, .completed = 8, .outside = 5), "reads", 8, ERR_USAGE, "after the last operation");
	expect(SUMMARY(.begun = 8, .changing = 1, .last_changing = true), "reads", 8, ERR_USAGE,
	       "only the last operation");
	/* It printed something before it had read all: then what the operations did was kept elsewhere. */
	expect(SUMMARY(.begun = 8, .outside = 5, .notes[BO_NOTE_PRINTED] = 1), "reads", 8, 0, NULL);
	/* An operation in the middle changes something. */
	expect(SUMMARY(.begun = 8, .changing = 1), "reads", 8, 0, NULL);
	/* With so few, it is no surprise. */
	expect(SUMMARY(.begun = 2, .changing = 1, .last_changing = true), "reads", 2, 0, NULL);
}

static void test_counted(void **state)
{
	static const char *const marks[] = {"call:put", "annotated", "requests"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		expect(SUMMARY(.begun = 8, .completed = 8), marks[i], 8, 0, NULL);
		expect(SUMMARY(.begun = 7, .completed = 7), marks[i], 8, ERR_USAGE, "performs 7 operations");
		expect(SUMMARY(.begun = 1, .completed = 1), marks[i], 8, ERR_USAGE, "performs 1 operation,");
		expect(SUMMARY(.begun = 9, .completed = 9), marks[i], 8, ERR_USAGE, "8 are listed");
		expect(SUMMARY(.begun = 0), marks[i], 8, ERR_TARGET, "operation");
	}
	/* After the last line, one more is open. */
	expect(SUMMARY(.begun = 9, .completed = 8), "prints", 8, 0, NULL);
	expect(SUMMARY(.begun = 10, .completed = 9), "prints", 8, ERR_USAGE, "performs 9 operations");
	expect(SUMMARY(.begun = 1), "prints", 8, ERR_TARGET, "prints no line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_slurped),
		cmocka_unit_test(test_counted),
	};

	return cmocka_run_group_tests_name("performed", tests, NULL, NULL);
}
