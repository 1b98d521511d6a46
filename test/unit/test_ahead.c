/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading ahead gives the same events as reading directly, no matter which side is faster, up to the end, up to damage,
 * or until the caller stops. */
#include "trace/ahead.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "builder.h"
#include "scratch.h"

#define A ((uint64_t)0x7f0000000000)
#define POOL ((uint64_t)1 << 20)

enum { CHUNKS = 40, CHUNK_EVENTS = 700, LONGEST = 300000 };

/* A chunk of stores of all sizes, including some larger than the usual amount read ahead. */
static void chunk_make(struct builder *b, const uint8_t *data, uint64_t *seed, enum bo_codec codec)
{
	for (int i = 0; i < CHUNK_EVENTS; i++) {
		uint64_t r = random_next(seed), size = r % 500 ? 1 + r / 500 % 80 : 1 + r / 500 % LONGEST;

		builder_store(b,
			      &(struct event){.addr = A + r / 7 % (POOL - size), .size = size, .data = data + r % 256});
		if (r % 5 == 0)
			builder_put(b, BO_OP_SFENCE, 0);
		if (size > 100)
			break;
	}
	builder_end(b, codec);
}

/* Compressed chunks are unpacked into one buffer, so data are not valid beyond their chunk. */
static void recording_make(struct builder *b, enum bo_codec codec)
{
	static uint8_t data[LONGEST + 256];
	uint64_t seed = 7;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)random_next(&seed);
	builder_start(b, 0, 0);
	builder_put(b, BO_OP_DEF_FILE, 8, 77, POOL, 0, BUILDER_P("/pm/pool"));
	builder_put(b, BO_OP_MAP, 0, 1, A, POOL, 0, 3, MAP_SHARED);
	for (int i = 0; i < CHUNKS; i++)
		chunk_make(b, data, &seed, codec);
}

static void expect_event(const struct event *ev, const struct event *plain)
{
	assert_int_equal(ev->type, plain->type);
	assert_int_equal(ev->file, plain->file);
	assert_int_equal(ev->offset, plain->offset);
	assert_int_equal(ev->size, plain->size);
	assert_int_equal(!ev->data, !plain->data);
	if (ev->data)
		assert_memory_equal(ev->data, plain->data, ev->size);
}

/* Read both ways.  Return the number of events, and what both return when there are no more, also if called again. */
static long compare(const char *dir, bool threaded, int *result, struct err *err)
{
	struct trace *plain = scratch_open(dir), *trace = scratch_open(dir);
	struct ahead *ahead = ahead_start(trace, threaded);
	struct err other = {0};
	const struct event *ev;
	struct event expected;
	long count = 0;

	for (; (*result = trace_next(plain, &expected, err)) > 0; count++) {
		assert_int_equal(ahead_next(ahead, &ev, &other), 1);
		expect_event(ev, &expected);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(ahead_next(ahead, &ev, &other), *result);
	if (*result < 0)
		assert_string_equal(other.sentence, err->sentence);
	ahead_stop(ahead);
	assert_int_equal(trace_file_count(trace), 1);
	trace_close(trace);
	trace_close(plain);
	return count;
}

static void test_same(void **state)
{
	for (int codec = BO_CHUNK_RAW; codec <= BO_CHUNK_ZSTD; codec++) {
		const char *dir = *state;
		struct builder b;
		struct err err;
		int result;

		recording_make(&b, codec);
		builder_write(&b, dir);
		assert_true(compare(dir, true, &result, &err) > 10000);
		assert_int_equal(result, 0);
		compare(dir, false, &result, &err);
		assert_int_equal(result, 0);
	}
}

static void test_damage(void **state)
{
	const char *dir = *state;
	struct builder b;
	struct err err;
	int result;

	recording_make(&b, BO_CHUNK_ZSTD);
	b.bytes[b.chunk + sizeof(struct bo_chunk_header)] ^= 1;
	builder_write(&b, dir);
	assert_true(compare(dir, true, &result, &err) > 10000);
	assert_int_equal(result, -1);
	assert_non_null(strstr(err.sentence, "chunk checksum does not match"));
}

static void test_empty(void **state)
{
	const char *dir = *state;
	struct builder b;
	struct trace *trace;
	struct ahead *ahead;
	const struct event *ev;
	struct err err;

	builder_start(&b, 0, 0);
	builder_write(&b, dir);
	trace = scratch_open(dir);
	ahead = ahead_start(trace, true);
	assert_int_equal(ahead_next(ahead, &ev, &err), 0);
	ahead_stop(ahead);
	trace_close(trace);
}

/* Stop in all situations of the thread: at the start, working, waiting for room, finished. */
static void test_stop(void **state)
{
	const char *dir = *state;
	struct builder b;

	recording_make(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
	for (int seen = 0; seen <= 8192; seen = seen ? seen * 2 : 1) {
		struct trace *trace = scratch_open(dir);
		struct ahead *ahead = ahead_start(trace, true);
		const struct event *ev;
		struct err err;

		for (int i = 0; i < seen; i++)
			assert_int_equal(ahead_next(ahead, &ev, &err), 1);
		usleep(seen % 3 ? 0 : 20000);
		ahead_stop(ahead);
		trace_close(trace);
	}
	ahead_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_same),
		scratch_test(test_damage),
		scratch_test(test_empty),
		scratch_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
