/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layer SYNC is read back: acts of synchronization, and what accesses are in the source; and what no recorder writes
 * is refused. */
#include <sys/mman.h>

#include "builder.h"
#include "scratch.h"
#include "trace/op.h"

#define A ((uint64_t)0x7f0000000000)
#define PAGE 0x1000u

/* Two contexts, and a file of 2 pages that is mapped at A. */
static void start_process(struct builder *b, uint32_t process)
{
	builder_start(b, process, BO_LAYER_SYNC | BO_LAYER_FOLLOW);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0, 1, 1, BUILDER_P("/bin/program"));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x100);
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x200);
	builder_put(b, BO_OP_DEF_FILE, 8, 77, 2 * PAGE, process ? BO_FILE_INHERITED : 0, BUILDER_P("/pm/pool"));
	builder_put(b, BO_OP_MAP, 1, 1, A, 2 * PAGE, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void start(struct builder *b)
{
	start_process(b, 0);
}

static struct trace *finish_after_map(struct builder *b, const char *dir)
{
	struct trace *t;

	builder_end(b, BO_CHUNK_RAW);
	builder_write(b, dir);
	t = scratch_open(dir);
	scratch_next(t, EVENT_FILE);
	scratch_next(t, EVENT_MAP);
	return t;
}

static void expect_access(const struct event *ev, enum bo_atomicity atomicity, uint64_t access, uint64_t addr,
			  uint64_t size)
{
	assert_int_equal(ev->atomicity, atomicity);
	assert_int_equal(ev->access, access);
	assert_int_equal(ev->access_addr, addr);
	assert_int_equal(ev->access_size, size);
}

/* An access is announced for one load or store of the same thread; numbers start again in each chunk. */
static void test_accesses(void **state)
{
	static const uint8_t bytes[16];
	const struct event store = {.context = 1, .addr = A + 0x48, .size = 8, .data = bytes};
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_THREAD_START, 2, 0);
	builder_put(&b, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_PLAIN, 0), bo_zigzag(7), 8, 24);
	builder_put(&b, BO_OP_CLWB, 1, A);
	builder_store(&b, &store);
	builder_store(&b, &store);
	builder_put(&b, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_ATOMIC, BO_ORDER_RELEASE), bo_zigzag(-(uint64_t)2), 0, 8);
	builder_put(&b, BO_OP_THREAD_SWITCH, 2);
	builder_store(&b, &store);
	builder_put(&b, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_VOLATILE, 0), 0, 0, 8);
	builder_load(&b, &store);
	builder_end(&b, BO_CHUNK_RAW);
	builder_put(&b, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_ATOMIC, BO_ORDER_SEQ_CST), bo_zigzag(9), 0, 8);
	builder_store(&b, &store);
	t = finish_after_map(&b, *state);
	scratch_next(t, EVENT_THREAD_START);
	assert_int_equal(scratch_next(t, EVENT_CLWB).access, 0);
	ev = scratch_next(t, EVENT_STORE);
	expect_access(&ev, BO_ATOMICITY_PLAIN, 7, A + 0x40, 24);
	ev = scratch_next(t, EVENT_STORE);
	expect_access(&ev, BO_ATOMICITY_UNKNOWN, 0, 0, 0);
	ev = scratch_next(t, EVENT_STORE); /* of another thread */
	expect_access(&ev, BO_ATOMICITY_UNKNOWN, 0, 0, 0);
	ev = scratch_next(t, EVENT_LOAD);
	expect_access(&ev, BO_ATOMICITY_VOLATILE, 5, A + 0x48, 8);
	ev = scratch_next(t, EVENT_STORE);
	expect_access(&ev, BO_ATOMICITY_ATOMIC, 9, A + 0x48, 8);
	assert_int_equal(ev.order, BO_ORDER_SEQ_CST);
	scratch_end(t);
	trace_close(t);
}

static void test_sync_events(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_THREAD_START, 40, 0);
	builder_put(&b, BO_OP_SYNC, 1, BO_ACT_ATOMIC_STORE, 0x1234, BO_ORDER_RELEASE);
	builder_put(&b, BO_OP_SYNC, 2, BO_ACT_ACQUIRE, A + 16, 0);
	builder_put(&b, BO_OP_SYNC, 0, BO_ACT_JOIN, 40, 0);
	t = finish_after_map(&b, *state);
	scratch_next(t, EVENT_THREAD_START);
	ev = scratch_next(t, EVENT_SYNC);
	assert_int_equal(ev.flags, BO_ACT_ATOMIC_STORE);
	assert_int_equal(ev.context, 1);
	assert_int_equal(ev.value, 0x1234);
	assert_int_equal(ev.order, BO_ORDER_RELEASE);
	assert_int_equal(ev.file, 0);
	ev = scratch_next(t, EVENT_SYNC);
	assert_int_equal(ev.flags, BO_ACT_ACQUIRE);
	assert_int_equal(ev.value, A + 16);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.offset, 16);
	assert_int_equal(op_of(&ev), OP_ACQUIRE);
	assert_int_equal(scratch_next(t, EVENT_SYNC).value, 2); /* the thread by its new number */
	scratch_end(t);
	trace_close(t);
}

/* Each process counts its own accesses. */
static void test_processes(void **state)
{
	static const uint8_t bytes[8];
	const struct event store = {.context = 1, .addr = A, .size = 8, .data = bytes};
	uint64_t seen[2] = {0};
	struct trace *t;
	struct event ev;
	struct err err;
	size_t n = 0;

	for (uint32_t process = 0; process < 2; process++) {
		struct builder b;

		start_process(&b, process);
		builder_put(&b, BO_OP_CLOCK, process + 1);
		builder_put(&b, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_PLAIN, 0), bo_zigzag(3), 0, 8);
		builder_store(&b, &store);
		builder_end(&b, BO_CHUNK_RAW);
		builder_write(&b, *state);
	}
	t = scratch_open(*state);
	while (trace_next(t, &ev, &err) > 0)
		if (ev.type == EVENT_STORE)
			seen[n++] = ev.access;
	assert_int_equal(n, 2);
	assert_int_equal(seen[0], 3);
	assert_int_not_equal(seen[1], 0);
	assert_int_not_equal(seen[1], 3);
	trace_close(t);
}

/* A store over two mappings is two events of one access. */
static void test_pieces(void **state)
{
	static const uint8_t bytes[16];
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_DEF_FILE, 8, 78, PAGE, 0, BUILDER_P("/pm/other"));
	builder_put(&b, BO_OP_MAP, 1, 2, A + 2 * PAGE, PAGE, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	builder_put(&b, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_PLAIN, 0), bo_zigzag(1), 4, 20);
	builder_store(&b, &(struct event){.context = 1, .addr = A + 2 * PAGE - 8, .size = 16, .data = bytes});
	t = finish_after_map(&b, *state);
	scratch_next(t, EVENT_FILE);
	scratch_next(t, EVENT_MAP);
	for (int piece = 0; piece < 2; piece++) {
		ev = scratch_next(t, EVENT_STORE);
		assert_int_equal(ev.size, 8);
		expect_access(&ev, BO_ATOMICITY_PLAIN, 1, A + 2 * PAGE - 12, 20);
	}
	scratch_end(t);
	trace_close(t);
}

static void refuse(const char *dir, const char *what, enum bo_opcode op, const uint64_t *fields)
{
	char sentence[200];
	struct builder b;

	start(&b);
	size_t at = b.size;
	builder_put_fields(&b, op, fields);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
	snprintf(sentence, sizeof(sentence), "trace/0000.bo is damaged at offset %zu: %s", at, what);
	scratch_expect_error(dir, sentence);
}

#define REFUSE(dir, what, op, ...) refuse(dir, what, op, (const uint64_t[]){__VA_ARGS__})

static void test_refused(void **state)
{
	const char *kind = "an access of a kind that does not exist", *act = "an unknown kind of synchronization";

	REFUSE(*state, kind, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_UNKNOWN, 0), 2, 0, 8);
	REFUSE(*state, kind, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_PLAIN, BO_ORDER_RELEASE), 2, 0, 8);
	REFUSE(*state, kind, BO_OP_ACCESS, BO_ACCESS(BO_ATOMICITY_ATOMIC, BO_ORDER_COUNT), 2, 0, 8);
	REFUSE(*state, "an access with an impossible number", BO_OP_ACCESS, BO_ATOMICITY_PLAIN, 0, 0, 8);
	REFUSE(*state, "an access with an impossible number", BO_OP_ACCESS, BO_ATOMICITY_PLAIN, 1, 0, 8);
	REFUSE(*state, "an access of an impossible range", BO_OP_ACCESS, BO_ATOMICITY_PLAIN, 2, 8, 8);
	REFUSE(*state, act, BO_OP_SYNC, 1, BO_ACT_COUNT, A, 0);
	REFUSE(*state, act, BO_OP_SYNC, 1, BO_ACT_ATOMIC_LOAD, A, BO_ORDER_COUNT);
	REFUSE(*state, "thread 9 was not defined before", BO_OP_SYNC, 1, BO_ACT_JOIN, 9, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_accesses), scratch_test(test_sync_events), scratch_test(test_processes),
		scratch_test(test_pieces),   scratch_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
