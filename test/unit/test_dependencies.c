/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layer DEPENDENCIES is read back: reads with their places, labels, and which accesses have them; and what no
 * recorder writes is refused. */
#include <string.h>
#include <sys/mman.h>

#include "builder.h"
#include "scratch.h"

#define A ((uint64_t)0x7f0000000000)
#define PAGE 0x1000u

static const uint8_t value[64];

/* Two contexts, and a file of 2 pages that is mapped at A. */
static void start(struct builder *b, uint32_t process)
{
	builder_start(b, process, BO_LAYER_LOADS | BO_LAYER_DEPENDENCIES | BO_LAYER_FOLLOW);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0, 1, 1, BUILDER_P("/bin/program"));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x100);
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x200);
	builder_put(b, BO_OP_DEF_FILE, 8, 77, 2 * PAGE, process ? BO_FILE_INHERITED : 0, BUILDER_P("/pm/pool"));
	builder_put(b, BO_OP_MAP, 1, 1, A, 2 * PAGE, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void put_label(struct builder *b, uint64_t flags, uint64_t count, const void *steps, size_t size)
{
	builder_put(b, BO_OP_DEF_LABEL, flags, count, BUILDER_P(steps), size);
}

static void put_store(struct builder *b, uint64_t at, uint64_t size)
{
	builder_store(b, &(struct event){.context = 1, .addr = A + at, .size = size, .data = value});
}

static struct trace *finish(struct builder *b, const char *dir)
{
	struct trace *t;

	builder_end(b, BO_CHUNK_RAW);
	builder_write(b, dir);
	t = scratch_open(dir);
	scratch_next(t, EVENT_FILE);
	scratch_next(t, EVENT_MAP);
	return t;
}

static void expect_label(const struct trace *t, uint32_t id, const uint32_t *reads, size_t count, bool many)
{
	struct trace_label label = trace_label(t, id);

	assert_int_equal(label.count, count);
	assert_int_equal(label.many, many);
	if (count)
		assert_memory_equal(label.reads, reads, count * sizeof(*reads));
}

static void expect_read(const struct trace *t, uint32_t id, struct trace_read read)
{
	const struct trace_read *got = trace_read(t, id);

	assert_int_equal(got->file, 1);
	assert_int_equal(got->offset, read.offset);
	assert_int_equal(got->size, read.size);
	assert_int_equal(got->context, read.context);
	assert_int_equal(got->branch, read.branch);
}

static void test_labels(void **state)
{
	struct builder b;
	struct event ev;

	start(&b, 0);
	builder_put(&b, BO_OP_DEF_READ, 1, A + 8, 8);
	builder_put(&b, BO_OP_DEF_READ, 2, A + PAGE, 4);
	builder_put(&b, BO_OP_DEF_READ, 2, A + 8, 8);
	put_label(&b, 0, 1, "\2", 1);
	put_label(&b, BO_LABEL_MANY, 2, "\1\2", 2);
	builder_put(&b, BO_OP_DEPENDS, 1, 2);
	builder_put(&b, BO_OP_DEF_BRANCH, 1, 2); /* definitions may come between */
	builder_put(&b, BO_OP_DEF_BRANCH, 1, 1);
	put_store(&b, 0x40, 8);
	put_store(&b, 0x48, 8);
	builder_put(&b, BO_OP_DEPENDS, 0, 1);
	builder_put(&b, BO_OP_CLWB, 1, A);
	builder_load(&b, &(struct event){.context = 2, .addr = A + 8, .size = 8});
	struct trace *t = finish(&b, *state);

	ev = scratch_next(t, EVENT_STORE);
	assert_int_equal(ev.data_label, 1);
	assert_int_equal(ev.control_label, 2);
	expect_label(t, 1, (uint32_t[]){2}, 1, false);
	expect_label(t, 2, (uint32_t[]){1, 3}, 2, true);
	expect_label(t, 0, NULL, 0, false);
	expect_label(t, 3, NULL, 0, false);
	ev = scratch_next(t, EVENT_STORE); /* labels are for one access */
	assert_int_equal(ev.data_label, 0);
	assert_int_equal(ev.control_label, 0);
	assert_int_equal(scratch_next(t, EVENT_CLWB).control_label, 0);
	ev = scratch_next(t, EVENT_LOAD);
	assert_int_equal(ev.data_label, 0);
	assert_int_equal(ev.control_label, 1);
	scratch_end(t);
	assert_int_equal(trace_read_count(t), 3);
	assert_int_equal(trace_label_count(t), 2);
	expect_read(t, 1, (struct trace_read){.offset = 8, .size = 8, .context = 1, .branch = 2});
	expect_read(t, 2, (struct trace_read){.offset = PAGE, .size = 4, .context = 2});
	assert_null(trace_read(t, 4));
	trace_close(t);
}

/* The recorder forgets reads.  One that is defined again is the same, and labels stay sorted. */
static void test_defined_again(void **state)
{
	struct builder b;

	start(&b, 0);
	builder_put(&b, BO_OP_DEF_READ, 1, A + 8, 8);
	builder_put(&b, BO_OP_DEF_READ, 2, A + 8, 8);
	builder_put(&b, BO_OP_DEF_READ, 1, A + 8, 8);
	builder_put(&b, BO_OP_DEF_READ, 1, A + 8, 4);
	builder_put(&b, BO_OP_DEF_BRANCH, 3, 2);
	put_label(&b, 0, 3, "\2\1\1", 3);
	put_label(&b, 0, 2, "\1\2", 2);
	put_store(&b, 0x40, 8);
	struct trace *t = finish(&b, *state);

	scratch_next(t, EVENT_STORE);
	scratch_end(t);
	assert_int_equal(trace_read_count(t), 3);
	expect_label(t, 1, (uint32_t[]){1, 2, 3}, 3, false);
	expect_label(t, 2, (uint32_t[]){1}, 1, false);
	expect_read(t, 1, (struct trace_read){.offset = 8, .size = 8, .context = 1, .branch = 2});
	trace_close(t);
}

/* The address of a read is that of the moment of its definition; it ends with its mapping. */
static void test_places(void **state)
{
	struct builder b;
	struct trace *t;

	start(&b, 0);
	builder_put(&b, BO_OP_DEF_READ, 1, A + 2 * PAGE - 4, 8);
	builder_put(&b, BO_OP_REMAP, 1, A, 2 * PAGE, A + 16 * PAGE, 2 * PAGE);
	builder_put(&b, BO_OP_DEF_READ, 1, A + 16 * PAGE, 8);
	builder_put(&b, BO_OP_DEF_READ, 1, A, 8);
	t = finish(&b, *state);
	scratch_next(t, EVENT_REMAP);
	scratch_end(t);
	assert_int_equal(trace_read(t, 1)->offset, 2 * PAGE - 4);
	assert_int_equal(trace_read(t, 1)->size, 4);
	assert_int_equal(trace_read(t, 2)->file, 1);
	assert_int_equal(trace_read(t, 2)->offset, 0);
	assert_int_equal(trace_read(t, 3)->file, 0);
	trace_close(t);
}

/* Labels belong to the thread that ran when they were announced, and to all pieces of a store. */
static void test_threads_and_pieces(void **state)
{
	struct builder b;
	struct event ev;
	struct trace *t;

	start(&b, 0);
	builder_put(&b, BO_OP_THREAD_START, 2, 1);
	builder_put(&b, BO_OP_MAP, 1, 1, A + 2 * PAGE, PAGE, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	builder_put(&b, BO_OP_DEF_READ, 1, A + 8, 8);
	put_label(&b, 0, 1, "\1", 1);
	builder_put(&b, BO_OP_DEPENDS, 1, 0);
	builder_put(&b, BO_OP_THREAD_SWITCH, 2);
	put_store(&b, 0x40, 8);
	builder_put(&b, BO_OP_THREAD_SWITCH, 1);
	put_store(&b, 2 * PAGE - 8, 16);
	t = finish(&b, *state);
	scratch_next(t, EVENT_THREAD_START);
	scratch_next(t, EVENT_MAP);
	assert_int_equal(scratch_next(t, EVENT_STORE).data_label, 0);
	for (int piece = 0; piece < 2; piece++) {
		ev = scratch_next(t, EVENT_STORE);
		assert_int_equal(ev.size, 8);
		assert_int_equal(ev.data_label, 1);
	}
	scratch_end(t);
	trace_close(t);
}

/* Each process counts its reads and labels from 1; the reader renumbers them. */
static void test_processes(void **state)
{
	struct builder b;
	struct trace *t;

	for (uint32_t process = 0; process < 2; process++) {
		start(&b, process);
		builder_put(&b, BO_OP_CLOCK, process + 1);
		builder_put(&b, BO_OP_DEF_READ, 1, A + 8 * process, 8);
		builder_put(&b, BO_OP_DEF_READ, 2, A + 8 * process, 8);
		put_label(&b, 0, 1, "\2", 1);
		builder_put(&b, BO_OP_DEPENDS, 1, 1);
		put_store(&b, 0x40, 8);
		builder_end(&b, BO_CHUNK_RAW);
		builder_write(&b, *state);
	}
	t = scratch_open(*state);
	scratch_next(t, EVENT_FILE);
	for (uint32_t process = 0; process < 2; process++) {
		scratch_next(t, EVENT_MAP);
		assert_int_equal(scratch_next(t, EVENT_STORE).data_label, process + 1);
	}
	scratch_end(t);
	expect_label(t, 2, (uint32_t[]){4}, 1, false);
	assert_int_equal(trace_read(t, 4)->offset, 8);
	trace_close(t);
}

#define REFUSE(dir, why, ...)                                             \
	do {                                                              \
		struct builder b;                                         \
                                                                          \
		start(&b, 0);                                             \
		builder_put(&b, BO_OP_DEF_READ, 1, A + 8, 8);             \
		builder_put(&b, BO_OP_DEF_LABEL, 0, 0, BUILDER_P(""), 0); \
		builder_put(&b, __VA_ARGS__);                             \
		builder_end(&b, BO_CHUNK_RAW);                            \
		builder_write(&b, dir);                                   \
		scratch_expect_damage(dir, why);                          \
	} while (0)

static void test_damage(void **state)
{
	REFUSE(*state, "a read of an impossible range", BO_OP_DEF_READ, 1, A, 0);
	REFUSE(*state, "a read of an impossible range", BO_OP_DEF_READ, 1, ~0ull - 3, 8);
	REFUSE(*state, "context 3 was not defined before", BO_OP_DEF_READ, 3, A, 8);
	REFUSE(*state, "read 0 was not defined before", BO_OP_DEF_BRANCH, 0, 1);
	REFUSE(*state, "read 2 was not defined before", BO_OP_DEF_BRANCH, 2, 1);
	REFUSE(*state, "a label with unknown flags", BO_OP_DEF_LABEL, 2, 0, BUILDER_P(""), 0);
	REFUSE(*state, "a label that is incomplete", BO_OP_DEF_LABEL, 0, 1, BUILDER_P(""), 0);
	REFUSE(*state, "a label that is incomplete", BO_OP_DEF_LABEL, 0, ~0ull, BUILDER_P("\1"), 1);
	REFUSE(*state, "read 0 was not defined before", BO_OP_DEF_LABEL, 0, 1, BUILDER_P("\0"), 1);
	REFUSE(*state, "read 1 was not defined before", BO_OP_DEF_LABEL, 0, 2, BUILDER_P("\1\0"), 2);
	REFUSE(*state, "read 2 was not defined before", BO_OP_DEF_LABEL, 0, 2, BUILDER_P("\1\1"), 2);
	REFUSE(*state, "a label with more reads than it says", BO_OP_DEF_LABEL, 0, 0, BUILDER_P("\1"), 1);
	REFUSE(*state, "label 2 was not defined before", BO_OP_DEPENDS, 0, 2);
	REFUSE(*state, "label 9 was not defined before", BO_OP_DEPENDS, 9, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_labels),    scratch_test(test_defined_again),
		scratch_test(test_places),    scratch_test(test_threads_and_pieces),
		scratch_test(test_processes), scratch_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
