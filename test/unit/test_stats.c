/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stats.c - counts of a small hand-made trace, by kind, thread, file, line and routine; and the stacks of its
 * contexts.
 *
 * The "target" is this test itself: contexts point to the two functions below, so that lines are known without
 * compiling anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "builder.h"
#include "self.h"
#include "trace/stats.h"

static volatile int sink;

/* Each on one line, because a compiler may assign any line of a short function to its first instruction. */
// clang-format off
enum { LINE_INNER = __LINE__ + 1 };
__attribute__((noinline)) static void place_inner(void) { sink = 1; }
enum { LINE_OUTER = __LINE__ + 1 };
__attribute__((noinline)) static void place_outer(void) { place_inner(); sink = 2; }
// clang-format on

enum { POOL = 0x100000, POOL_BYTES = 0x10000, CONTEXT_OUTER = 1, CONTEXT_CALL, CONTEXT_INNER, CONTEXT_GENERATED };

static char dir[] = "/tmp/blackout-stats.XXXXXX";

static void define(struct builder *b)
{
	self_define(b);
	builder_put(b, BO_OP_DEF_MODULE, 0x900000, 4096, 0, 0, 0, BUILDER_P(""));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, self_offset(place_outer));
	/* A return address: one past the first byte, so that the instruction before it is the function's first. */
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, self_offset(place_outer) + 1);
	builder_put(b, BO_OP_DEF_CONTEXT, CONTEXT_CALL, 1, self_offset(place_inner));
	builder_put(b, BO_OP_DEF_CONTEXT, CONTEXT_CALL, 2, 0x10);
	builder_put(b, BO_OP_DEF_FILE, 7, 8, POOL_BYTES, 0, BUILDER_P("/pm/pool"));
	builder_put(b, BO_OP_MAP, 0, 1, POOL, POOL_BYTES, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void store(struct builder *b, enum bo_store_kind kind, uint32_t context, uint64_t offset, uint64_t size,
		  uint32_t unit)
{
	static const uint8_t data[4096];
	struct event ev = {.type = EVENT_STORE,
			   .kind = kind,
			   .context = context,
			   .addr = POOL + offset,
			   .size = size,
			   .data = data,
			   .unit = unit};

	builder_store(b, &ev);
}

static void flush(struct builder *b, enum bo_opcode op, uint32_t context, uint64_t addr)
{
	builder_put(b, op, context, addr);
}

/* t1: 3 plain stores, 2 non-temporal ones, a string store, 3 flushes (one outside PM), 2 fences, a locked instruction.
 * t2: a locked store. */
static void act(struct builder *b)
{
	for (uint64_t i = 0; i < 3; i++)
		store(b, BO_STORE_PLAIN, CONTEXT_OUTER, i * 64, 8, 0);
	store(b, BO_STORE_NONTEMPORAL, CONTEXT_INNER, 0x100, 32, 0);
	store(b, BO_STORE_NONTEMPORAL, CONTEXT_INNER, 0x120, 32, 0);
	store(b, BO_STORE_STRING, CONTEXT_GENERATED, 0x1000, 4096, 8);
	flush(b, BO_OP_CLWB, CONTEXT_INNER, POOL);
	flush(b, BO_OP_CLFLUSHOPT, CONTEXT_INNER, POOL + 64);
	flush(b, BO_OP_CLWB, CONTEXT_OUTER, 0x7000);
	builder_put(b, BO_OP_SFENCE, CONTEXT_INNER);
	builder_put(b, BO_OP_MFENCE, CONTEXT_GENERATED);
	builder_put(b, BO_OP_LOCKED, CONTEXT_OUTER);
	builder_put(b, BO_OP_FILE_WRITE, CONTEXT_OUTER, 1, 0, BUILDER_P("abc"), 3);
	builder_put(b, BO_OP_THREAD_START, 2, 1);
	builder_put(b, BO_OP_THREAD_SWITCH, 2);
	store(b, BO_STORE_LOCKED, CONTEXT_OUTER, 8, 4, 0);
}

static struct trace *trace_of(void (*fill)(struct builder *))
{
	struct builder b;
	struct trace *trace;
	struct err err;

	builder_start(&b, 0, 0);
	define(&b);
	fill(&b);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
	if (trace_open(&trace, dir, &err) < 0)
		fail_msg("%s", err.sentence);
	return trace;
}

struct counted {
	struct trace *trace;
	struct stats *stats;
	struct symbols *symbols;
};

static int count(void **state)
{
	struct counted *c = calloc(1, sizeof(*c));
	struct err err;

	c->trace = trace_of(act);
	c->stats = stats_open();
	c->symbols = symbols_open(NULL);
	if (stats_read(c->stats, c->trace, &err) != 0)
		fail_msg("%s", err.sentence);
	*state = c;
	return 0;
}

static int discard(void **state)
{
	struct counted *c = *state;

	symbols_close(c->symbols);
	stats_close(c->stats);
	trace_close(c->trace);
	free(c);
	return 0;
}

static void test_summary(void **state)
{
	struct counted *c = *state;
	struct stats_summary s;

	stats_summarize(c->stats, c->trace, &s);
	assert_int_equal(s.events, 2 /* file, map */ + 6 + 3 + 2 + 1 + 1 + 1 + 1);
	assert_int_equal(s.stores, 7);
	assert_int_equal(s.store_bytes, 3 * 8 + 2 * 32 + 4096 + 4);
	assert_int_equal(s.flushes, 3);
	assert_int_equal(s.flushes_volatile, 1);
	assert_int_equal(s.fences, 2);
	assert_int_equal(s.locked, 1);
	assert_int_equal(s.loads, 0);
	assert_int_equal(s.threads, 2);
	assert_int_equal(s.processes, 1);
	assert_int_equal(s.files, 1);
	assert_int_equal(s.modules, 2);
	assert_int_equal(s.contexts, 4);
}

static void test_ops(void **state)
{
	struct counted *c = *state;
	struct stats_file file = stats_file(c->stats, 1);

	assert_int_equal(stats_count(c->stats, OP_STORE), 3);
	assert_int_equal(stats_count(c->stats, OP_NTSTORE), 2);
	assert_int_equal(stats_bytes(c->stats, OP_REPSTORE), 4096);
	assert_int_equal(stats_bytes(c->stats, OP_WRITE), 3);
	assert_int_equal(stats_bytes(c->stats, OP_MAP), 0);
	assert_int_equal(stats_count(c->stats, OP_CLWB), 2);
	assert_int_equal(stats_count(c->stats, OP_CLFLUSHOPT), 1);
	assert_int_equal(stats_thread_count(c->stats, 1, OP_STORE), 3);
	assert_int_equal(stats_thread_count(c->stats, 1, OP_LOCKSTORE), 0);
	assert_int_equal(stats_thread_count(c->stats, 2, OP_LOCKSTORE), 1);
	assert_int_equal(stats_thread_count(c->stats, 99, OP_STORE), 0);
	assert_int_equal(file.stores, 7);
	assert_int_equal(file.store_bytes, 3 * 8 + 2 * 32 + 4096 + 4);
	assert_int_equal(file.flushes, 2);
	assert_int_equal(file.writes, 1);
	assert_int_equal(stats_file(c->stats, 99).stores, 0);
}

static void test_names(void **state)
{
	(void)state;
	for (unsigned op = 0; op < OP_COUNT; op++)
		assert_int_equal(op_find(op_name((enum op)op), strlen(op_name((enum op)op))), op);
	assert_int_equal(op_find("sync_file", 9), OP_COUNT);
	assert_int_equal(op_find("", 0), OP_COUNT);
	assert_int_equal(op_of(&(struct event){.type = EVENT_STORE, .kind = BO_STORE_KERNEL}), OP_SYSSTORE);
	assert_int_equal(op_of(&(struct event){.type = EVENT_FILE_SYNC, .flags = BO_SYNC_SYNCFS}), OP_SYNCFS);
	assert_int_equal(op_of(&(struct event){.type = EVENT_SIGNAL}), OP_SIGNAL);
}

static void expect_line(const struct stats_line *line, const char *function, unsigned number, unsigned stores,
			unsigned flushes, unsigned fences)
{
	assert_string_equal(line->frame->function, function);
	assert_string_equal(line->frame->file, "test_stats.c");
	assert_int_equal(line->frame->line, number);
	assert_int_equal(line->counts[OP_STORES], stores);
	assert_int_equal(line->counts[OP_FLUSHES], flushes);
	assert_int_equal(line->counts[OP_FENCES], fences);
}

/* Generated code counts for the line that called it. */
static void test_lines(void **state)
{
	struct counted *c = *state;
	size_t count;
	struct stats_line *lines = stats_lines(c->stats, c->trace, c->symbols, &count);

	assert_int_equal(count, 2);
	expect_line(&lines[0], "place_outer", LINE_OUTER, 3 + 1 + 1, 1, 1);
	expect_line(&lines[1], "place_inner", LINE_INNER, 2, 2, 1);
	assert_int_equal(lines[0].counts[OP_LOCKEDS], 1);
	assert_int_equal(lines[0].store_bytes, 3 * 8 + 4096 + 4);
	free(lines);
}

static void test_routines(void **state)
{
	struct counted *c = *state;
	size_t count;
	struct stats_routine *routines = stats_routines(c->stats, c->trace, c->symbols, &count);

	assert_int_equal(count, 2);
	assert_int_equal(routines[0].op, OP_REPSTORE);
	assert_int_equal(routines[0].width, 8);
	assert_int_equal(routines[0].stores, 1);
	assert_int_equal(routines[0].bytes, 4096);
	assert_null(routines[0].frame->function);
	assert_string_equal(routines[0].frame->module, "[no file]");
	assert_int_equal(routines[1].op, OP_NTSTORE);
	assert_int_equal(routines[1].width, 32);
	assert_int_equal(routines[1].stores, 2);
	assert_string_equal(routines[1].frame->function, "place_inner");
	free(routines);
}

static void test_stacks(void **state)
{
	struct counted *c = *state;
	const struct symbols_frame *const *frames;

	assert_int_equal(symbols_stack(c->symbols, c->trace, 0, &frames), 0);
	assert_null(symbols_innermost(c->symbols, c->trace, 0));
	assert_int_equal(symbols_stack(c->symbols, c->trace, CONTEXT_INNER, &frames), 2);
	assert_string_equal(frames[0]->function, "place_inner");
	assert_int_equal(frames[0]->line, LINE_INNER);
	assert_string_equal(frames[1]->function, "place_outer");
	assert_int_equal(frames[1]->line, LINE_OUTER);
	assert_ptr_equal(symbols_innermost(c->symbols, c->trace, CONTEXT_INNER), frames[0]);
	assert_int_equal(symbols_stack(c->symbols, c->trace, CONTEXT_GENERATED, &frames), 2);
	assert_string_equal(frames[0]->module, "[no file]");
	assert_int_equal(frames[0]->offset, 0x10);
	assert_string_equal(frames[1]->function, "place_outer");
}

static void act_then_rubbish(struct builder *b)
{
	store(b, BO_STORE_PLAIN, CONTEXT_OUTER, 0, 8, 0);
	store(b, BO_STORE_PLAIN, CONTEXT_OUTER, 8, 8, 0);
	builder_raw(b, "\x7f", 1);
}

static void test_damage(void **state)
{
	struct trace *trace = trace_of(act_then_rubbish);
	struct stats *stats = stats_open();
	struct err err;

	(void)state;
	assert_int_equal(stats_read(stats, trace, &err), -1);
	assert_int_equal(err.status, ERR_CANNOT);
	assert_int_equal(stats_count(stats, OP_STORE), 2);
	stats_close(stats);
	trace_close(trace);
}

static int prepare(void **state)
{
	(void)state;
	place_outer();
	return mkdtemp(dir) ? 0 : -1;
}

static int tidy(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_summary, count, discard),
		cmocka_unit_test_setup_teardown(test_ops, count, discard),
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_lines, count, discard),
		cmocka_unit_test_setup_teardown(test_routines, count, discard),
		cmocka_unit_test_setup_teardown(test_stacks, count, discard),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, prepare, tidy);
}
