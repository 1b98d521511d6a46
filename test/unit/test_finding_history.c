/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events on a finding's line and what is pending after each, on hand-made traces. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "builder.h"
#include "finding/history.h"
#include "sample.h"
#include "scratch.h"

#define POOL ((uint64_t)0x10000000)
#define POOL_BYTES (1u << 20)
#define LINE 0x1040u /* of the finding */

static void start(struct builder *b)
{
	builder_start(b, 0, 0);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, 4096, 0, 1, 1, BUILDER_P("/nowhere/kv"));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x10);
	builder_put(b, BO_OP_DEF_FILE, 7, 8, POOL_BYTES, 0, BUILDER_P("/pm/pool"));
	builder_put(b, BO_OP_MAP, 0, 1, POOL, POOL_BYTES, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void store(struct builder *b, enum bo_store_kind kind, uint64_t offset, uint64_t size, uint8_t value)
{
	uint8_t data[256];
	struct event ev = {
		.type = EVENT_STORE, .kind = kind, .context = 1, .addr = POOL + offset, .size = size, .data = data};

	memset(data, value, sizeof(data));
	builder_store(b, &ev);
}

/* The history of a finding at LINE whose example is event `number`; the caller frees it. */
static struct findings *history(struct builder *b, const char *dir, uint64_t number)
{
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);
	struct symbols *symbols = symbols_open(NULL);
	struct err err;

	builder_end(b, BO_CHUNK_RAW);
	builder_write(b, dir);
	finding->first = (struct sighting_example){.file = 1, .size = 8, .offset = LINE + 8, .event = number};
	if (history_collect(f, dir, symbols, NULL, &err) < 0)
		fail_msg("%s", err.sentence);
	symbols_close(symbols);
	return f;
}

static void expect(const struct finding *finding, size_t index, uint64_t number, const char *op, unsigned dirty,
		   unsigned awaiting, unsigned ordered)
{
	assert_true(index < finding->event_count);
	const struct finding_event *event = &finding->events[index];

	assert_int_equal(event->number, number);
	assert_string_equal(event->op, op);
	assert_int_equal(event->dirty, dirty);
	assert_int_equal(event->awaiting, awaiting);
	assert_int_equal(event->ordered, ordered);
	assert_int_equal(event->example, number == finding->first.event);
}

/* Event numbers: 1 is the file, 2 the mapping. */
static void test_states(void **state)
{
	struct builder b;

	start(&b);
	store(&b, BO_STORE_PLAIN, LINE + 8, 8, 1);         /* 3 */
	store(&b, BO_STORE_PLAIN, 0x5000, 8, 1);           /* 4: another line */
	store(&b, BO_STORE_PLAIN, LINE - 8, 16, 2);        /* 5: half of it in the line before */
	builder_put(&b, BO_OP_CLWB, 1, POOL + LINE + 63);  /* 6 */
	store(&b, BO_STORE_PLAIN, LINE + 56, 8, 3);        /* 7: not covered by it */
	builder_put(&b, BO_OP_SFENCE, 1);                  /* 8 */
	builder_put(&b, BO_OP_SFENCE, 1);                  /* 9: does not affect the line */
	store(&b, BO_STORE_NONTEMPORAL, LINE + 16, 16, 4); /* 10 */
	builder_put(&b, BO_OP_CLFLUSH, 1, POOL + LINE);    /* 11 */
	builder_put(&b, BO_OP_MFENCE, 1);                  /* 12 */
	store(&b, BO_STORE_PLAIN, LINE, 1, 9);             /* 13 */
	builder_put(&b, BO_OP_EXIT, 0);                    /* 14 */
	struct findings *f = history(&b, *state, 7);
	const struct finding *finding = &f->at[0];
	assert_int_equal(finding->line_start, LINE);
	expect(finding, 0, 3, "store", 0x02, 0, 0);
	expect(finding, 1, 5, "store", 0x03, 0, 0);
	expect(finding, 2, 6, "clwb", 0, 0x03, 0);
	expect(finding, 3, 7, "store", 0x80, 0x03, 0);
	expect(finding, 4, 8, "sfence", 0x80, 0, 0);
	expect(finding, 5, 10, "ntstore", 0x80, 0x0c, 0);
	expect(finding, 6, 11, "clflush", 0, 0x0c, 0x80);
	expect(finding, 7, 12, "mfence", 0, 0, 0);
	expect(finding, 8, 13, "store", 0x01, 0, 0);
	expect(finding, 9, 14, "exit", 0x01, 0, 0);
	assert_int_equal(finding->event_count, 10);
	/* Only the part of a store that lies in the line is shown. */
	assert_int_equal(finding->events[1].line_offset, 0);
	assert_int_equal(finding->events[1].size, 8);
	assert_string_equal(finding->events[1].value, "0x202020202020202");
	assert_string_equal(finding->events[5].value, "16 bytes");
	assert_string_equal(finding->events[8].value, "0x9");
	assert_int_equal(finding->events[2].line_offset, 63);
	assert_null(finding->events[2].value);
	assert_string_equal(finding->events[0].where, "kv+0x10");
	findings_free(f);
}

/* Storing what is already there leaves nothing pending; the content of the file when it was mapped counts. */
static void test_silent(void **state)
{
	struct builder b;
	uint8_t content[4096] = {0};

	memset(content, 5, sizeof(content));
	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 0, 0x10);
	builder_put(&b, BO_OP_DEF_FILE, 7, 8, POOL_BYTES, 0, BUILDER_P("/pm/pool"));
	builder_put(&b, BO_OP_CONTENT, 1, 0x1000, BUILDER_P(content), sizeof(content));
	builder_put(&b, BO_OP_MAP, 0, 1, POOL, POOL_BYTES, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	store(&b, BO_STORE_PLAIN, LINE + 8, 8, 5); /* 4 */
	store(&b, BO_STORE_PLAIN, LINE + 8, 8, 6); /* 5 */
	struct findings *f = history(&b, *state, 5);
	assert_int_equal(f->at[0].event_count, 2);
	expect(&f->at[0], 0, 4, "store", 0, 0, 0);
	expect(&f->at[0], 1, 5, "store", 0x02, 0, 0);
	findings_free(f);
}

/* The window around the example. */
static void test_window(void **state)
{
	struct builder b;

	start(&b);
	for (unsigned i = 0; i < 100; i++)
		store(&b, BO_STORE_PLAIN, LINE + 8, 8, (uint8_t)(i + 1)); /* 3 to 102 */
	struct findings *f = history(&b, *state, 50);
	assert_int_equal(f->at[0].event_count, HISTORY_BEFORE + 1 + HISTORY_AFTER);
	for (unsigned i = 0; i < f->at[0].event_count; i++)
		expect(&f->at[0], i, 50 - HISTORY_BEFORE + i, "store", 0x02, 0, 0);
	findings_free(f);
}

/* A fence of another thread completes nothing; a locked store is a fence first and then a store. */
static void test_threads(void **state)
{
	struct builder b;

	start(&b);
	store(&b, BO_STORE_PLAIN, LINE, 8, 1);       /* 3 */
	builder_put(&b, BO_OP_CLWB, 1, POOL + LINE); /* 4 */
	builder_put(&b, BO_OP_THREAD_START, 2, 1);   /* 5 */
	builder_put(&b, BO_OP_THREAD_SWITCH, 2);
	builder_put(&b, BO_OP_SFENCE, 1); /* 6: by thread 2 */
	builder_put(&b, BO_OP_THREAD_SWITCH, 1);
	store(&b, BO_STORE_LOCKED, LINE + 32, 8, 2); /* 7 */
	struct findings *f = history(&b, *state, 7);
	expect(&f->at[0], 0, 3, "store", 0x01, 0, 0);
	expect(&f->at[0], 1, 4, "clwb", 0, 0x01, 0);
	expect(&f->at[0], 2, 7, "locked", 0, 0, 0);
	expect(&f->at[0], 3, 7, "lockstore", 0x10, 0, 0);
	assert_int_equal(f->at[0].event_count, 4);
	findings_free(f);
}

/* Findings without a place have no history.  Suppressed ones do, because a page shows them too.  A missing recording is
 * an error. */
static void test_none(void **state)
{
	struct findings *f = sample_all();
	struct builder b;
	struct err err;
	struct symbols *symbols = symbols_open(NULL);

	start(&b);
	store(&b, BO_STORE_PLAIN, LINE, 8, 1);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, *state);
	f->at[f->count - 1].first = (struct sighting_example){.file = 1, .offset = LINE, .size = 8, .event = 3};
	assert_int_equal(f->at[f->count - 1].state, FINDING_SUPPRESSED);
	assert_int_equal(history_collect(f, *state, symbols, NULL, &err), 0);
	for (size_t i = 0; i + 1 < f->count; i++)
		assert_int_equal(f->at[i].event_count, 0);
	assert_int_equal(f->at[f->count - 1].event_count, 1);
	assert_int_equal(history_collect(f, "/nowhere", symbols, NULL, &err), -1);
	symbols_close(symbols);
	findings_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_states),  scratch_test(test_silent), scratch_test(test_window),
		scratch_test(test_threads), scratch_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
