/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/path.h"
#include "base/slab.h"
#include "base/spans.h"
#include "base/vec.h"
#include "scratch.h"

static void test_err(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, "no %s", "space"), -1);
	assert_string_equal(err.sentence, "no space");
	assert_string_equal(err.hint, "");
	assert_int_equal(err.status, ERR_CANNOT);
	assert_int_equal(err_hint(&err, "make %d", 2), -1);
	assert_int_equal(err_status(&err, ERR_USAGE), -1);
	assert_string_equal(err.sentence, "no space");
	assert_string_equal(err.hint, "make 2");
	assert_int_equal(err.status, ERR_USAGE);
	errno = ENOENT;
	assert_int_equal(err_sys(&err, "cannot open %s", "x"), -1);
	assert_string_equal(err.sentence, "cannot open x: No such file or directory");
	assert_string_equal(err.hint, "");
}

static void test_err_too_long(void **state)
{
	char text[2000];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	errno = EIO;
	err_sys(&err, "%s", text);
	assert_int_equal(strlen(err.sentence), sizeof(err.sentence) - 1);
	err_hint(&err, "%s", text);
	assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);
}

/* A path is complete or empty. */
static void test_path(void **state)
{
	char path[8] = "before";
	struct err err;

	(void)state;
	assert_true(path_format(path, sizeof(path), "%s/%d", "dir", 123));
	assert_string_equal(path, "dir/123");
	errno = 0;
	assert_false(path_format(path, sizeof(path), "%s/%d", "dir", 1234));
	assert_string_equal(path, "");
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(path_make(path, sizeof(path), &err, "/%s", "abcdef"), 0);
	assert_string_equal(path, "/abcdef");
	assert_int_equal(path_make(path, sizeof(path), &err, "/%s/nested", "abcdef"), -1);
	assert_string_equal(path, "");
	assert_string_equal(err.sentence, "the path /abcdef... is too long");
	assert_string_equal(err.hint, "use a directory with a shorter name");
}

static void test_vec(void **state)
{
	VEC_OF(uint32_t) v = {0};

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		vec_push(&v, i * 3);
	assert_int_equal(v.count, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(v.at[i], i * 3);
	vec_free(&v);
	assert_null(v.at);
}

static void test_slab_does_not_move(void **state)
{
	struct slab slab = SLAB_OF(uint64_t);
	uint64_t *items[3000];

	(void)state;
	assert_null(slab_at(&slab, 0));
	for (size_t i = 0; i < 3000; i++) {
		items[i] = slab_push(&slab);
		assert_int_equal(*items[i], 0);
		*items[i] = i;
	}
	for (size_t i = 0; i < 3000; i++) {
		assert_ptr_equal(slab_at(&slab, i), items[i]);
		assert_int_equal(*items[i], i);
	}
	assert_null(slab_at(&slab, 3000));
	assert_null(slab_at(&slab, SIZE_MAX));
	slab_free(&slab);
}

static void test_arena(void **state)
{
	struct arena arena = {0};
	const char *strings[2000];
	char big[40000], text[32];

	(void)state;
	memset(big, 'b', sizeof(big));
	for (int i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		strings[i] = arena_copy(&arena, text, strlen(text));
	}
	assert_int_equal(strlen(arena_copy(&arena, big, sizeof(big))), sizeof(big));
	assert_string_equal(arena_copy(&arena, NULL, 0), "");
	for (int i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		assert_string_equal(strings[i], text);
	}
	arena_free(&arena);
}

static void test_map(void **state)
{
	struct map map = {0};

	(void)state;
	assert_null(map_get(&map, 0, 0));
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t *value = map_put(&map, i % 70, i / 70);

		assert_int_equal(*value, 0);
		*value = i + 1;
	}
	assert_int_equal(map.count, 5000);
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(*map_get(&map, i % 70, i / 70), i + 1);
		assert_int_equal(*map_put(&map, i % 70, i / 70), i + 1);
	}
	assert_int_equal(map.count, 5000);
	assert_null(map_get(&map, 70, 0));
	map_free(&map);
	assert_null(map_get(&map, 0, 0));
}

/* The innermost of nested ranges wins; among those with the same start, the higher rank, then the shorter one. */
static void test_spans(void **state)
{
	static const struct {
		uint64_t low, high;
		uint32_t rank, id;
	} ranges[] = {{40, 50, 0, 5}, {10, 100, 0, 1}, {20, 60, 0, 2},  {20, 30, 0, 3},
		      {20, 90, 1, 4}, {70, 70, 0, 6},  {200, 210, 0, 7}};
	static const struct {
		uint64_t addr;
		uint32_t id; /* 0: none */
		uint64_t next;
	} answers[] = {{9, 0, 10},   {10, 1, 20},   {19, 1, 20},          {20, 4, 40},
		       {45, 5, 200}, {50, 4, 200},  {89, 4, 200},         {90, 1, 200},
		       {99, 1, 200}, {100, 0, 200}, {209, 7, UINT64_MAX}, {210, 0, UINT64_MAX}};
	struct spans spans = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		spans_add(&spans, ranges[i].low, ranges[i].high, ranges[i].rank, ranges[i].id);
	assert_int_equal(spans.count, 6); /* the empty one was ignored */
	spans_sort(&spans);
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		const struct span *span = spans_find(&spans, answers[i].addr);

		assert_int_equal(span ? span->id : 0, answers[i].id);
		assert_int_equal(spans_next(&spans, answers[i].addr), answers[i].next);
	}
	spans_free(&spans);
	/* With equal ranks the shorter wins. */
	spans_add(&spans, 20, 30, 0, 1);
	spans_add(&spans, 20, 60, 0, 2);
	spans_sort(&spans);
	assert_int_equal(spans_find(&spans, 25)->id, 1);
	assert_int_equal(spans_find(&spans, 30)->id, 2);
	spans_free(&spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err),   cmocka_unit_test(test_err_too_long),
		cmocka_unit_test(test_vec),   cmocka_unit_test(test_slab_does_not_move),
		cmocka_unit_test(test_arena), cmocka_unit_test(test_map),
		cmocka_unit_test(test_spans), cmocka_unit_test(test_path),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
