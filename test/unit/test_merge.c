/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several processes in one recording: their sequence, and what they share. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "builder.h"
#include "scratch.h"

#define A ((uint64_t)0x7f0000000000)

static void mark(struct builder *b, uint64_t number)
{
	builder_put(b, BO_OP_EXIT, number);
}

static void expect_mark(struct trace *t, uint32_t process, uint64_t number)
{
	struct event ev = scratch_next(t, EVENT_EXIT);

	assert_int_equal(ev.value, number);
	assert_int_equal(ev.process, process);
}

static void save(struct builder *b, const char *dir)
{
	builder_end(b, BO_CHUNK_RAW);
	builder_write(b, dir);
}

/* Process 2 has no file: it never wrote one. */
static void test_order(void **state)
{
	struct builder b;
	struct trace *t;

	builder_start(&b, 0, BO_LAYER_FOLLOW);
	mark(&b, 1);
	builder_put(&b, BO_OP_CLOCK, 10);
	mark(&b, 2);
	mark(&b, 3);
	builder_put(&b, BO_OP_CLOCK, 40);
	mark(&b, 9);
	save(&b, *state);
	builder_start(&b, 1, BO_LAYER_FOLLOW);
	builder_put(&b, BO_OP_CLOCK, 20);
	mark(&b, 4);
	builder_end(&b, BO_CHUNK_ZSTD); /* a burst may continue in the next chunk */
	mark(&b, 5);
	builder_put(&b, BO_OP_CLOCK, 30);
	builder_put(&b, BO_OP_CLOCK, 35);
	mark(&b, 8);
	save(&b, *state);
	builder_start(&b, 3, BO_LAYER_FOLLOW);
	builder_put(&b, BO_OP_CLOCK, 25);
	mark(&b, 6);
	builder_put(&b, BO_OP_CLOCK, 30);
	mark(&b, 7);
	builder_put(&b, BO_OP_CLOCK, 50);
	mark(&b, 10);
	save(&b, *state);
	t = scratch_open(*state);
	assert_int_equal(trace_records(t), 6 + 6 + 6);
	for (uint64_t i = 1; i <= 10; i++)
		expect_mark(t, (uint32_t[]){0, 0, 0, 0, 1, 1, 3, 3, 1, 0, 3}[i], i);
	scratch_end(t);
	trace_close(t);
}

/* Definitions of a child before its first CLOCK belong to its first burst, not to the start of the recording. */
static void test_late_clock(void **state)
{
	struct builder b;
	struct trace *t;

	builder_start(&b, 0, BO_LAYER_FOLLOW);
	builder_put(&b, BO_OP_CLOCK, 1);
	mark(&b, 1);
	save(&b, *state);
	builder_start(&b, 1, BO_LAYER_FOLLOW);
	mark(&b, 2);
	builder_put(&b, BO_OP_CLOCK, 2);
	mark(&b, 3);
	save(&b, *state);
	t = scratch_open(*state);
	expect_mark(t, 0, 1);
	expect_mark(t, 1, 2);
	expect_mark(t, 1, 3);
	scratch_end(t);
	trace_close(t);
}

/* Many processes, random bursts: the numbers must be ascending. */
static void test_many(void **state)
{
	enum { PROCESSES = 40, BURSTS = 3000 };
	static struct builder b[PROCESSES];
	uint64_t seed = 7;
	struct trace *t;

	for (uint32_t p = 0; p < PROCESSES; p++)
		builder_start(&b[p], p, BO_LAYER_FOLLOW);
	for (uint64_t burst = 1; burst <= BURSTS; burst++) {
		struct builder *of = &b[random_next(&seed) % PROCESSES];

		builder_put(of, BO_OP_CLOCK, burst);
		mark(of, burst);
		if (random_next(&seed) % 8 == 0)
			builder_end(of, BO_CHUNK_RAW);
	}
	for (uint32_t p = 0; p < PROCESSES; p++)
		save(&b[p], *state);
	t = scratch_open(*state);
	for (uint64_t burst = 1; burst <= BURSTS; burst++)
		assert_int_equal(scratch_next(t, EVENT_EXIT).value, burst);
	scratch_end(t);
	trace_close(t);
}

/* Without the layer, a second file belongs to something else. */
static void test_no_follow(void **state)
{
	struct builder b;
	struct trace *t;

	builder_start(&b, 0, 0);
	mark(&b, 1);
	save(&b, *state);
	builder_start(&b, 1, 0);
	mark(&b, 2);
	save(&b, *state);
	t = scratch_open(*state);
	expect_mark(t, 0, 1);
	scratch_end(t);
	trace_close(t);
}

static void define(struct builder *b, const char *module, uint64_t ino, uint64_t flags, const char *path, uint64_t addr)
{
	builder_put(b, BO_OP_DEF_MODULE, 0, 0x1000, 0, 1, 1, BUILDER_P(module));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x10);
	builder_put(b, BO_OP_DEF_FILE, 1, ino, 0x1000, flags, BUILDER_P(path));
	builder_put(b, BO_OP_MAP, 0, 1, addr, 0x1000, 0, 3, MAP_SHARED);
}

/* A forked child repeats what it inherits; an executed one maps the file independently; a third maps another file. */
static void test_shared_definitions(void **state)
{
	uint8_t byte = 1;
	struct builder b;
	struct trace *t;
	struct event ev;

	builder_start(&b, 0, BO_LAYER_FOLLOW);
	builder_put(&b, BO_OP_CLOCK, 1);
	builder_put(&b, BO_OP_META, BUILDER_P("command.0"), BUILDER_P("zero"));
	define(&b, "/bin/zero", 5, BO_FILE_CREATED, "/pm/a", A);
	save(&b, *state);
	for (uint32_t p = 1; p <= 3; p++) {
		builder_start(&b, p, BO_LAYER_FOLLOW);
		b.thread = p * 100;
		builder_put(&b, BO_OP_CLOCK, p * 10);
		builder_put(&b, BO_OP_META, BUILDER_P("command.0"), BUILDER_P("child"));
		define(&b, "/bin/child", p == 3 ? 6 : 5, p == 1 ? BO_FILE_INHERITED : 0, "/pm/b", A + p * 0x10000);
		builder_store(&b, &(struct event){.context = 1, .addr = A + p * 0x10000, .size = 1, .data = &byte});
		save(&b, *state);
	}
	t = scratch_open(*state);
	assert_int_equal(scratch_next(t, EVENT_FILE).file, 1);
	scratch_next(t, EVENT_MAP);
	for (uint32_t p = 1; p <= 3; p++) {
		if (p > 1)
			assert_int_equal(scratch_next(t, EVENT_FILE).file, p - 1);
		assert_int_equal(scratch_next(t, EVENT_MAP).process, p);
		ev = scratch_next(t, EVENT_STORE);
		assert_int_equal(ev.file, p == 3 ? 2 : 1);
		assert_int_equal(ev.offset, 0);
		assert_int_equal(ev.context, p + 1);
		assert_int_equal(ev.thread, p + 1);
		assert_int_equal(trace_context(t, ev.context)->module, p + 1);
		assert_string_equal(trace_module(t, p + 1)->path, "/bin/child");
	}
	scratch_end(t);
	assert_int_equal(trace_file_count(t), 2);
	assert_string_equal(trace_file(t, 1)->path, "/pm/a");
	assert_int_equal(trace_thread_count(t), 4);
	assert_string_equal(trace_meta(t, "command.0"), "zero");
	assert_string_equal(trace_meta(t, "3/command.0"), "child");
	trace_close(t);
}

/* A new file with the inode number of a deleted one is a different file. */
static void test_inode_again(void **state)
{
	struct builder b;
	struct trace *t;

	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_DEF_FILE, 1, 5, 10, BO_FILE_CREATED, BUILDER_P("/pm/a"));
	builder_put(&b, BO_OP_FILE_UNLINK, 0, 1, 0);
	builder_put(&b, BO_OP_DEF_FILE, 1, 5, 20, BO_FILE_CREATED, BUILDER_P("/pm/b"));
	builder_put(&b, BO_OP_FILE_TRUNCATE, 0, 2, 30);
	save(&b, *state);
	t = scratch_open(*state);
	assert_int_equal(scratch_next(t, EVENT_FILE).file, 1);
	scratch_next(t, EVENT_FILE_UNLINK);
	assert_int_equal(scratch_next(t, EVENT_FILE).file, 2);
	assert_int_equal(scratch_next(t, EVENT_FILE_TRUNCATE).file, 2);
	scratch_end(t);
	trace_close(t);
}

/* A child that was killed before it wrote a byte. */
static void test_blank_child(void **state)
{
	struct builder b, blank = {.process = 1};
	struct trace *t;

	builder_start(&b, 0, BO_LAYER_FOLLOW);
	mark(&b, 1);
	save(&b, *state);
	for (int zeros = 0; zeros < 2; zeros++) {
		builder_zeros(&blank, zeros * 5000);
		builder_save(&blank, *state);
		t = scratch_open(*state);
		expect_mark(t, 0, 1);
		scratch_end(t);
		trace_close(t);
	}
	builder_free(&blank);
}

static void test_damage_in_child(void **state)
{
	struct builder b;

	builder_start(&b, 0, BO_LAYER_FOLLOW);
	mark(&b, 1);
	save(&b, *state);
	builder_start(&b, 1, BO_LAYER_FOLLOW);
	builder_put(&b, BO_OP_CLOCK, 5);
	builder_put(&b, BO_OP_CLOCK, 4);
	save(&b, *state);
	scratch_expect_error(*state, "trace/0001.bo is damaged at offset 114: the clock goes backwards");
	builder_start(&b, 2, BO_LAYER_FOLLOW);
	b.process = 1;
	save(&b, *state);
	scratch_expect_error(*state, "trace/0001.bo is damaged at offset 20: it is the trace of process 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_order),       scratch_test(test_late_clock),         scratch_test(test_many),
		scratch_test(test_no_follow),   scratch_test(test_shared_definitions), scratch_test(test_inode_again),
		scratch_test(test_blank_child), scratch_test(test_damage_in_child),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
