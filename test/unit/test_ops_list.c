/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of operations: reading them, files with some of them, excerpts, and the orders of operations under way. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/excerpt.h"
#include "ops/opfiles.h"
#include "ops/orders.h"
#include "scratch.h"

static void file_write(const char *path, const char *bytes, size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static struct oplist *list_of(const char *dir, const char *bytes, size_t size)
{
	char path[PATH_MAX];
	struct oplist *list;
	struct err err;

	snprintf(path, sizeof(path), "%s/list", dir);
	file_write(path, bytes, size);
	if (oplist_read(&list, path, &err) < 0)
		fail_msg("%s", err.sentence);
	unlink(path);
	return list;
}

#define LIST_OF(dir, text) list_of(dir, text, sizeof(text) - 1)

static void expect_bytes(struct oplist_bytes bytes, const char *expected, size_t size)
{
	assert_int_equal(bytes.size, size);
	if (size)
		assert_memory_equal(bytes.at, expected, size);
}

#define EXPECT_BYTES(bytes, text) expect_bytes(bytes, text, sizeof(text) - 1)

static void test_lines(void **state)
{
	struct oplist *list = LIST_OF(*state, "put a\r\n\n# comment\nx\0y\nlast");

	assert_int_equal(oplist_count(list), 5);
	EXPECT_BYTES(oplist_bytes(list, 0, 1), "put a\r\n");
	EXPECT_BYTES(oplist_bytes(list, 1, 1), "\n");
	EXPECT_BYTES(oplist_bytes(list, 2, 2), "# comment\nx\0y\n");
	EXPECT_BYTES(oplist_bytes(list, 3, SIZE_MAX), "x\0y\nlast");
	EXPECT_BYTES(oplist_bytes(list, 3, 0), "");
	EXPECT_BYTES(oplist_bytes(list, 5, SIZE_MAX), "");
	oplist_free(list);

	list = LIST_OF(*state, "\n");
	assert_int_equal(oplist_count(list), 1);
	oplist_free(list);
	list = LIST_OF(*state, "a");
	assert_int_equal(oplist_count(list), 1);
	oplist_free(list);
}

static void test_many(void **state)
{
	enum { COUNT = 1000000 };
	char *text = malloc(COUNT * 8), expected[16];

	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(expected, sizeof(expected), "%07u\n", i);
		memcpy(text + i * 8, expected, 8);
	}
	struct oplist *list = list_of(*state, text, COUNT * 8);
	free(text);
	assert_int_equal(oplist_count(list), COUNT);
	for (unsigned i = 0; i < COUNT; i += 9973) {
		snprintf(expected, sizeof(expected), "%07u\n", i);
		expect_bytes(oplist_bytes(list, i, 1), expected, 8);
	}
	oplist_free(list);
}

static void test_refused(void **state)
{
	char path[PATH_MAX], sentence[PATH_MAX + 100];
	struct oplist *list = NULL;
	struct err err;

	snprintf(path, sizeof(path), "%s/none", (char *)*state);
	assert_int_equal(oplist_read(&list, path, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	snprintf(sentence, sizeof(sentence), "cannot read the operations in %s: No such file or directory", path);
	assert_string_equal(err.sentence, sentence);

	assert_int_equal(oplist_read(&list, *state, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	snprintf(sentence, sizeof(sentence), "cannot read the operations in %s: Is a directory", (char *)*state);
	assert_string_equal(err.sentence, sentence);

	file_write(path, "", 0);
	assert_int_equal(oplist_read(&list, path, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	snprintf(sentence, sizeof(sentence), "there are no operations in %s", path);
	assert_string_equal(err.sentence, sentence);
	assert_null(list);
}

/* ---- files ---- */

static void expect_file(const char *path, const char *expected)
{
	char text[200];
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	assert_string_equal(text, expected);
	fclose(in);
}

static unsigned count_files(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned count = 0;

	while (readdir(d))
		count++;
	closedir(d);
	return count - 2;
}

static const char *get(struct opfiles *files, struct opfiles_part part)
{
	struct err err;
	const char *path = opfiles_get(files, &part, &err);

	if (!path)
		fail_msg("%s", err.sentence);
	return path;
}

static void test_files(void **state)
{
	struct oplist *list = LIST_OF(*state, "a\nb\nc\nd");
	struct opfiles *files = opfiles_new(list, *state);

	const char *all = get(files, (struct opfiles_part){.max = SIZE_MAX});
	expect_file(all, "a\nb\nc\nd");
	const char *left = get(files, (struct opfiles_part){.first = 2, .max = SIZE_MAX});
	expect_file(left, "c\nd");
	const char *some = get(files, (struct opfiles_part){.first = 1, .max = 2});
	expect_file(some, "b\nc\n");
	const char *none = get(files, (struct opfiles_part){.first = 4, .max = SIZE_MAX});
	expect_file(none, "");
	const char *under_way =
		get(files, (struct opfiles_part){.before = {3, 0}, .before_count = 2, .first = 2, .max = 1});
	expect_file(under_way, "d\na\nc\n");
	const char *alone = get(files, (struct opfiles_part){.before = {3}, .before_count = 1, .first = 4});
	expect_file(alone, "d");
	assert_int_equal(count_files(*state), 6);

	/* One file for all who need the same at the same time. */
	assert_ptr_equal(get(files, (struct opfiles_part){.first = 2, .max = SIZE_MAX}), left);
	assert_int_equal(count_files(*state), 6);
	opfiles_drop(files, left);
	expect_file(left, "c\nd");
	opfiles_drop(files, left);
	assert_int_equal(count_files(*state), 5);
	expect_file(get(files, (struct opfiles_part){.first = 2, .max = SIZE_MAX}), "c\nd");
	expect_file(some, "b\nc\n");
	opfiles_free(files);
	assert_int_equal(count_files(*state), 0);
	oplist_free(list);
}

static void test_files_refused(void **state)
{
	struct oplist *list = LIST_OF(*state, "a\n");
	struct opfiles *files = opfiles_new(list, "/nonexistent");
	struct err err;

	assert_null(opfiles_get(files, &(struct opfiles_part){0}, &err));
	assert_string_equal(err.sentence, "cannot create /nonexistent/ops-0: No such file or directory");
	opfiles_free(files);
	oplist_free(list);
}

/* ---- excerpts ---- */

static void test_excerpt(void **state)
{
	static const struct {
		const char *bytes;
		size_t size, room;
		const char *text;
	} cases[] = {
		{"", 0, 4, ""},
		{"put a\n", 6, 20, "put a"},
		{"\n", 1, 4, ""},
		{"a\r\n", 3, 20, "a\\015"},
		{"a\0\x7f\tb", 5, 20, "a\\000\\177\\011b"},
		{"abcdefgh", 8, 9, "abcdefgh"},
		{"abcdefgh", 8, 8, "abcd..."},
		{"abcdefgh", 8, 4, "..."},
		{"abcd\001", 5, 8, "abcd..."},
		{"abcd\001", 5, 9, "abcd\\001"},
		{"abc\001def", 7, 10, "abc..."},
		{"\001\001", 2, 7, "..."},
		{"\001\001", 2, 8, "\\001..."},
		{"abc\xc3\xbc"
		 "defgh",
		 10, 8, "abc..."},
		{"abc\xc3\xbc"
		 "defgh",
		 10, 9, "abc\xc3\xbc..."},
		{"\xff\xfe", 2, 20, "\xff\xfe"},
	};
	char text[100];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(text, 'x', sizeof(text));
		excerpt(text, cases[i].room, cases[i].bytes, cases[i].size);
		assert_string_equal(text, cases[i].text);
	}

	struct oplist *list = LIST_OF(*state, "a\nput k\033\n");
	oplist_excerpt(list, 1, text, sizeof(text));
	assert_string_equal(text, "put k\\033");
	oplist_free(list);
}

/* ---- orders ---- */

static void test_orders(void **state)
{
	static const unsigned counts[] = {1, 2, 5, 16, 65};

	for (unsigned n = 0; n <= ORDERS_OPERATIONS_MAX; n++) {
		bool seen[5 * 5 * 5 * 5] = {0};
		struct order order = {0};
		unsigned count = 0, length = 0;

		do {
			unsigned code = 0, used = 0;

			for (unsigned i = 0; i < order.count; i++) {
				assert_true(order.at[i] < n);
				assert_false(used & 1u << order.at[i]);
				used |= 1u << order.at[i];
				code = code * 5 + order.at[i] + 1;
			}
			assert_true(order.count >= length);
			length = order.count;
			assert_false(seen[code]);
			seen[code] = true;
			count++;
		} while (order_next(&order, n));
		assert_int_equal(count, counts[n]);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_lines),      scratch_test(test_many),          scratch_test(test_refused),
		scratch_test(test_files),      scratch_test(test_files_refused), scratch_test(test_excerpt),
		cmocka_unit_test(test_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
