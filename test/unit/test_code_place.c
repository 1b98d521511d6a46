/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_code_place.c - the same code in two recordings (trace/code_place.h). */
#include "trace/code_place.h"

#include <stdio.h>
#include <sys/stat.h>

#include "builder.h"
#include "scratch.h"

struct module {
	const char *path;
	uint64_t start, mtime;
};

/* A recording with these modules and, in each of them, two contexts: the instructions at 0x10 and at 0x30. */
static struct trace *trace_with(const char *dir, const char *name, const struct module *modules, size_t count)
{
	struct builder b;
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0777), 0);
	builder_start(&b, 0, 0);
	for (size_t i = 0; i < count; i++)
		builder_put(&b, BO_OP_DEF_MODULE, modules[i].start, 4096, 0, 8192, modules[i].mtime,
			    BUILDER_P(modules[i].path));
	for (size_t i = 1; i <= count; i++) {
		builder_put(&b, BO_OP_DEF_CONTEXT, 0, i, 0x10);
		builder_put(&b, BO_OP_DEF_CONTEXT, 0, i, 0x30);
	}
	builder_put(&b, BO_OP_EXIT, 0);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, path);
	return scratch_read(path);
}

/* The contexts of the module with this number. */
static uint32_t low(uint32_t module)
{
	return 2 * module - 1;
}

static uint32_t high(uint32_t module)
{
	return 2 * module;
}

static void test_two_recordings(void **state)
{
	static const struct module before[] = {{"/bin/kv", 0x400000, 7}, {"/lib/pm.so", 0x900000, 7}};
	static const struct module after[] = {{"/lib/other.so", 0x100000, 7},
					      {"/lib/pm.so", 0x7f0000000000, 7},
					      {"/bin/kv", 0x550000000000, 7}};
	struct trace *a = trace_with(*state, "a", before, 2), *b = trace_with(*state, "b", after, 3);

	/* Other addresses, other numbers, the same code. */
	assert_true(code_place_same(code_place(a, low(1)), code_place(b, low(3))));
	assert_true(code_place_same(code_place(a, high(1)), code_place(b, high(3))));
	assert_true(code_place_same(code_place(a, low(2)), code_place(b, low(2))));
	/* The same number, or the same offset, of other code. */
	assert_false(code_place_same(code_place(a, low(1)), code_place(b, low(1))));
	assert_false(code_place_same(code_place(a, low(1)), code_place(b, low(2))));
	assert_false(code_place_same(code_place(a, low(1)), code_place(b, high(3))));
	assert_false(code_place_same(code_place(a, low(1)), code_place(a, low(2))));
	trace_close(a);
	trace_close(b);
}

/* A program that was built again has other code at the same offsets. */
static void test_changed_file(void **state)
{
	struct trace *a = trace_with(*state, "a", &(struct module){"/bin/kv", 0x400000, 7}, 1);
	struct trace *b = trace_with(*state, "b", &(struct module){"/bin/kv", 0x400000, 8}, 1);

	assert_false(code_place_same(code_place(a, low(1)), code_place(b, low(1))));
	trace_close(a);
	trace_close(b);
}

static void test_outside_files(void **state)
{
	static const struct module modules[] = {{"", 0, 0}, {"/bin/kv", 0x400000, 7}};
	struct trace *a = trace_with(*state, "a", modules, 2);

	assert_int_equal(code_place(a, low(1)).module, 0);
	assert_int_equal(code_place(a, low(1)).offset, 0x10);
	assert_false(code_place_same(code_place(a, low(1)), code_place(a, low(2))));
	assert_true(code_place_same(code_place(a, 0), (struct code_place){0, 0}));
	trace_close(a);
}

static void test_numbers(void **state)
{
	static const struct module modules[] = {{"/bin/kv", 0x400000, 7},
						{"/bin/kv", 0x500000, 7},
						{"/lib/pm.so", 0x900000, 7}};
	struct trace *a = trace_with(*state, "a", modules, 3);
	struct code_places places = {0};

	assert_int_equal(code_places_add(&places, code_place(a, low(1))), 1);
	assert_int_equal(code_places_add(&places, code_place(a, low(3))), 2);
	assert_int_equal(code_places_add(&places, code_place(a, high(1))), 3);
	assert_int_equal(code_places_add(&places, code_place(a, low(2))), 1); /* loaded twice */
	assert_int_equal(code_places_add(&places, code_place(a, high(2))), 3);
	assert_int_equal(code_places_add(&places, code_place(a, high(3))), 4);
	code_places_free(&places);
	trace_close(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_two_recordings),
		scratch_test(test_changed_file),
		scratch_test(test_outside_files),
		scratch_test(test_numbers),
	};

	return cmocka_run_group_tests_name("code_place", tests, NULL, NULL);
}
