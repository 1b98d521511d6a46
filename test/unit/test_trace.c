/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything written is read back: every event, every shape of a store, chunk boundaries, accesses that span several
 * mappings. */
#include <string.h>
#include <sys/mman.h>

#include "builder.h"
#include "scratch.h"
#include "trace/decode.h"

#define A ((uint64_t)0x7f0000000000)

static const uint8_t pattern[256] = {
	[0] = 0x11, [1] = 0x22, [3] = 0x44, [7] = 0x88, [16] = 1, [31] = 2, [99] = 3, [255] = 4,
};

/* A module, two contexts (the second called by the first), a file of 4 pages, mapped at A. */
static void start(struct builder *b)
{
	builder_start(b, 0, BO_LAYER_LOADS | BO_LAYER_CODE);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0x1000, 99999, 1700000000, BUILDER_P("/bin/program"));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x1234);
	builder_put(b, BO_OP_DEF_CONTEXT, 1, 1, 0x1300);
	builder_put(b, BO_OP_DEF_FILE, 8, 77, 0x4000, BO_FILE_CREATED, BUILDER_P("/pm/pool"));
	builder_put(b, BO_OP_MAP, 2, 1, A, 0x4000, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static struct trace *finish(struct builder *b, const char *dir)
{
	struct trace *trace;

	builder_end(b, BO_CHUNK_RAW);
	builder_write(b, dir);
	trace = scratch_open(dir);
	return trace;
}

static struct trace *finish_after_map(struct builder *b, const char *dir)
{
	struct trace *trace = finish(b, dir);

	scratch_next(trace, EVENT_FILE);
	scratch_next(trace, EVENT_MAP);
	return trace;
}

static void test_definitions(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_META, BUILDER_P("cwd"), BUILDER_P("/home"));
	builder_put(&b, BO_OP_META, BUILDER_P("cwd"), BUILDER_P("/tmp"));
	builder_put(&b, BO_OP_META, BUILDER_P("empty"), BUILDER_P(""));
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 0, 5);
	t = finish(&b, *state);
	assert_int_equal(trace_records(t), 9);
	assert_int_equal(trace_layers(t), BO_LAYER_LOADS | BO_LAYER_CODE);
	ev = scratch_next(t, EVENT_FILE);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.size, 0x4000);
	assert_int_equal(ev.flags, BO_FILE_CREATED);
	assert_string_equal(ev.path, "/pm/pool");
	scratch_next(t, EVENT_MAP);
	scratch_end(t);
	assert_int_equal(trace_module_count(t), 1);
	assert_string_equal(trace_module(t, 1)->path, "/bin/program");
	assert_int_equal(trace_module(t, 1)->start, 0x400000);
	assert_int_equal(trace_module(t, 1)->size, 0x2000);
	assert_int_equal(trace_module(t, 1)->offset, 0x1000);
	assert_int_equal(trace_module(t, 1)->file_size, 99999);
	assert_int_equal(trace_module(t, 1)->mtime, 1700000000);
	assert_int_equal(trace_context_count(t), 3);
	assert_int_equal(trace_context(t, 2)->parent, 1);
	assert_int_equal(trace_context(t, 2)->module, 1);
	assert_int_equal(trace_context(t, 2)->offset, 0x1300);
	assert_int_equal(trace_context(t, 3)->module, 0);
	assert_int_equal(trace_file_count(t), 1);
	assert_string_equal(trace_file(t, 1)->path, "/pm/pool");
	assert_int_equal(trace_file(t, 1)->dev, 8);
	assert_int_equal(trace_file(t, 1)->ino, 77);
	assert_int_equal(trace_file(t, 1)->size, 0x4000);
	assert_true(trace_file(t, 1)->created);
	assert_string_equal(trace_meta(t, "cwd"), "/tmp");
	assert_string_equal(trace_meta(t, "empty"), "");
	assert_null(trace_meta(t, "outcome"));
	assert_null(trace_module(t, 0));
	assert_null(trace_module(t, 2));
	assert_null(trace_context(t, 4));
	assert_null(trace_file(t, 2));
	trace_close(t);
}

/* A newer recorder wrote a layer that this reader does not know: its events are skipped, the others are read. */
static void test_unknown_layer(void **state)
{
	enum { FREE = 0x6c }; /* no layer has this opcode, or the one before it */
	static const uint8_t empty[] = {FREE - 1, 0}, last[] = {FREE, 3, BO_OP_SFENCE, 0xff, 0xff};
	static const uint8_t cut[] = {FREE, 3, 0};
	uint32_t unknown = 1u << 31;
	struct builder b;
	struct trace *t;
	struct event ev;
	struct err err;

	builder_start(&b, 0, BO_LAYER_LOADS | unknown);
	builder_raw(&b, empty, sizeof(empty));
	builder_put(&b, BO_OP_MFENCE, 0);
	builder_raw(&b, last, sizeof(last));
	builder_put(&b, BO_OP_LOCKED, 0);
	t = finish(&b, *state);
	assert_int_equal(trace_layers(t), BO_LAYER_LOADS | unknown);
	assert_int_equal(trace_layers_unknown(t), unknown);
	assert_int_equal(trace_records(t), 4);
	scratch_next(t, EVENT_MFENCE);
	scratch_next(t, EVENT_LOCKED);
	scratch_end(t);
	trace_close(t);

	builder_start(&b, 0, unknown);
	builder_raw(&b, cut, sizeof(cut));
	t = finish(&b, *state);
	assert_int_equal(trace_next(t, &ev, &err), -1);
	trace_close(t);
}

/* All sizes and kinds of store, with all leading-zero and zero-word packings of the pattern and of zero. */
static void test_stores(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 4, 5, 8, 16, 24, 32, 64, 200};
	static const uint8_t zeros[256];
	const uint8_t *values[] = {pattern, zeros, pattern + 1, pattern + 24};
	struct builder b;
	struct trace *t;

	start(&b);
	for (unsigned kind = 0; kind < BO_STORE_KIND_COUNT; kind++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			for (size_t v = 0; v < 4; v++)
				builder_store(&b, &(struct event){.kind = kind,
								  .context = 2,
								  .addr = A + 0x100 * i + v,
								  .size = sizes[i],
								  .data = values[v],
								  .unit = kind == BO_STORE_STRING ? 1u << v : 0});
	t = finish_after_map(&b, *state);
	for (unsigned kind = 0; kind < BO_STORE_KIND_COUNT; kind++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			for (size_t v = 0; v < 4; v++) {
				struct event ev = scratch_next(t, EVENT_STORE);

				assert_int_equal(ev.kind, kind);
				assert_int_equal(ev.context, 2);
				assert_int_equal(ev.thread, 1);
				assert_int_equal(ev.process, 0);
				assert_int_equal(ev.file, 1);
				assert_int_equal(ev.addr, A + 0x100 * i + v);
				assert_int_equal(ev.offset, 0x100 * i + v);
				assert_int_equal(ev.size, sizes[i]);
				assert_int_equal(ev.unit, kind == BO_STORE_STRING ? 1u << v : 0);
				assert_memory_equal(ev.data, values[v], sizes[i]);
			}
		}
	}
	scratch_end(t);
	trace_close(t);
}

static void test_loads(void **state)
{
	static const uint64_t sizes[] = {1, 2, 4, 8, 16, 32, 12345};
	struct builder b;
	struct trace *t;

	start(&b);
	for (size_t i = 0; i < 7; i++)
		builder_load(&b, &(struct event){.context = 1, .addr = A + 3 - i, .size = sizes[i]});
	t = finish_after_map(&b, *state);
	for (size_t i = 0; i < 7; i++) {
		struct event ev = scratch_next(t, EVENT_LOAD);

		assert_int_equal(ev.addr, A + 3 - i);
		assert_int_equal(ev.size, sizes[i]);
		assert_int_equal(ev.context, 1);
		assert_int_equal(ev.file, i <= 3);
		assert_int_equal(ev.offset, i <= 3 ? 3 - i : 0);
	}
	scratch_end(t);
	trace_close(t);
}

static void test_flushes_and_fences(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_CLFLUSH, 1, A + 1);
	builder_put(&b, BO_OP_CLFLUSHOPT, 2, A + 0x3fff);
	builder_put(&b, BO_OP_CLWB, 0, A + 0x4000);
	builder_put(&b, BO_OP_CLWB, 0, UINT64_MAX);
	builder_put(&b, BO_OP_SFENCE, 1);
	builder_put(&b, BO_OP_MFENCE, 2);
	builder_put(&b, BO_OP_LOCKED, 0);
	builder_put(&b, BO_OP_CODE_HASH, 0xfedcba9876543210);
	t = finish_after_map(&b, *state);
	ev = scratch_next(t, EVENT_CLFLUSH);
	assert_int_equal(ev.addr, A + 1);
	assert_int_equal(ev.context, 1);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.offset, 1);
	ev = scratch_next(t, EVENT_CLFLUSHOPT);
	assert_int_equal(ev.offset, 0x3fff);
	ev = scratch_next(t, EVENT_CLWB);
	assert_int_equal(ev.addr, A + 0x4000);
	assert_int_equal(ev.file, 0);
	assert_int_equal(ev.context, 0);
	ev = scratch_next(t, EVENT_CLWB);
	assert_int_equal(ev.addr, UINT64_MAX);
	assert_int_equal(scratch_next(t, EVENT_SFENCE).context, 1);
	assert_int_equal(scratch_next(t, EVENT_MFENCE).context, 2);
	assert_int_equal(scratch_next(t, EVENT_LOCKED).context, 0);
	assert_int_equal(scratch_next(t, EVENT_CODE_HASH).value, 0xfedcba9876543210);
	scratch_end(t);
	trace_close(t);
}

static void test_file_events(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_CONTENT, 1, 0x1000, BUILDER_P(pattern), 100);
	builder_put(&b, BO_OP_FILE_WRITE, 1, 1, 0x123456789, BUILDER_P(pattern), 33);
	builder_put(&b, BO_OP_FILE_TRUNCATE, 2, 1, 0x9999);
	builder_put(&b, BO_OP_FILE_ALLOCATE, 1, 1, 3, 0x1000, 0x2000);
	builder_put(&b, BO_OP_FILE_RENAME, 1, 1, BUILDER_P("/pm/new"));
	builder_put(&b, BO_OP_FILE_UNLINK, 1, 1, 2);
	builder_put(&b, BO_OP_FILE_SYNC, 1, 1, BO_SYNC_SYNC_FILE_RANGE, 0x40, 0x80);
	builder_put(&b, BO_OP_FILE_SYNC, 1, 0, BO_SYNC_SYNC, 0, 0);
	builder_put(&b, BO_OP_MSYNC, 1, A + 0x1000, 0x2000, MS_SYNC);
	t = finish_after_map(&b, *state);
	ev = scratch_next(t, EVENT_CONTENT);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.offset, 0x1000);
	assert_int_equal(ev.size, 100);
	assert_memory_equal(ev.data, pattern, 100);
	ev = scratch_next(t, EVENT_FILE_WRITE);
	assert_int_equal(ev.context, 1);
	assert_int_equal(ev.offset, 0x123456789);
	assert_int_equal(ev.size, 33);
	assert_memory_equal(ev.data, pattern, 33);
	ev = scratch_next(t, EVENT_FILE_TRUNCATE);
	assert_int_equal(ev.context, 2);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.size, 0x9999);
	ev = scratch_next(t, EVENT_FILE_ALLOCATE);
	assert_int_equal(ev.flags, 3);
	assert_int_equal(ev.offset, 0x1000);
	assert_int_equal(ev.size, 0x2000);
	ev = scratch_next(t, EVENT_FILE_RENAME);
	assert_string_equal(ev.path, "/pm/new");
	ev = scratch_next(t, EVENT_FILE_UNLINK);
	assert_int_equal(ev.flags, 2);
	ev = scratch_next(t, EVENT_FILE_SYNC);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.flags, BO_SYNC_SYNC_FILE_RANGE);
	assert_int_equal(ev.offset, 0x40);
	assert_int_equal(ev.size, 0x80);
	ev = scratch_next(t, EVENT_FILE_SYNC);
	assert_int_equal(ev.file, 0);
	ev = scratch_next(t, EVENT_MSYNC);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.addr, A + 0x1000);
	assert_int_equal(ev.offset, 0x1000);
	assert_int_equal(ev.size, 0x2000);
	assert_int_equal(ev.flags, MS_SYNC);
	scratch_end(t);
	trace_close(t);
}

static void test_mapping_events(void **state)
{
	uint8_t byte = 7;
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_PROTECT, 1, A + 0x1000, 0x1000, PROT_READ);
	builder_put(&b, BO_OP_REMAP, 1, A, 0x4000, A + 0x100000, 0x6000);
	builder_store(&b, &(struct event){.addr = A + 0x105000, .size = 1, .data = &byte});
	builder_put(&b, BO_OP_UNMAP, 2, A + 0x104000, 0x1000);
	builder_store(&b, &(struct event){.addr = A + 0x104000, .size = 1, .data = &byte});
	builder_put(&b, BO_OP_MAP, 1, 1, A + 0x104000, 0x1000, 0x2000, PROT_READ, MAP_PRIVATE | MAP_FIXED);
	builder_store(&b, &(struct event){.addr = A + 0x104000, .size = 1, .data = &byte});
	t = finish(&b, *state);
	scratch_next(t, EVENT_FILE);
	ev = scratch_next(t, EVENT_MAP);
	assert_int_equal(ev.context, 2);
	assert_int_equal(ev.file, 1);
	assert_int_equal(ev.addr, A);
	assert_int_equal(ev.size, 0x4000);
	assert_int_equal(ev.offset, 0);
	assert_int_equal(ev.prot, PROT_READ | PROT_WRITE);
	assert_int_equal(ev.flags, MAP_SHARED);
	ev = scratch_next(t, EVENT_PROTECT);
	assert_int_equal(ev.addr, A + 0x1000);
	assert_int_equal(ev.size, 0x1000);
	assert_int_equal(ev.prot, PROT_READ);
	assert_int_equal(ev.file, 1);
	ev = scratch_next(t, EVENT_REMAP);
	assert_int_equal(ev.old_addr, A);
	assert_int_equal(ev.old_size, 0x4000);
	assert_int_equal(ev.addr, A + 0x100000);
	assert_int_equal(ev.size, 0x6000);
	assert_int_equal(scratch_next(t, EVENT_STORE).offset, 0x5000);
	ev = scratch_next(t, EVENT_UNMAP);
	assert_int_equal(ev.context, 2);
	assert_int_equal(ev.addr, A + 0x104000);
	assert_int_equal(ev.size, 0x1000);
	assert_int_equal(scratch_next(t, EVENT_STORE).file, 0);
	scratch_next(t, EVENT_MAP);
	assert_int_equal(scratch_next(t, EVENT_STORE).file, 0); /* private: never reaches the file */
	scratch_end(t);
	trace_close(t);
}

static void test_process_events(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_FORK, 1, 4321, 1);
	builder_put(&b, BO_OP_EXEC, 2, 0, BUILDER_P("/bin/sh"));
	builder_put(&b, BO_OP_SIGNAL, 11);
	builder_put(&b, BO_OP_EXIT, 3);
	t = finish_after_map(&b, *state);
	ev = scratch_next(t, EVENT_FORK);
	assert_int_equal(ev.context, 1);
	assert_int_equal(ev.value, 4321);
	assert_int_equal(ev.flags, 1);
	ev = scratch_next(t, EVENT_EXEC);
	assert_int_equal(ev.flags, 0);
	assert_string_equal(ev.path, "/bin/sh");
	assert_int_equal(scratch_next(t, EVENT_SIGNAL).value, 11);
	assert_int_equal(scratch_next(t, EVENT_EXIT).value, 3);
	scratch_end(t);
	trace_close(t);
}

/* Functions that the recorder chose by itself, and results of two words. */
static void test_calls_watched(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_DEF_WATCHED, 1, 0x1234, BUILDER_P("pmemobj_tx_alloc"), BUILDER_P("pmemobj_tx_alloc"));
	builder_put(&b, BO_OP_DEF_FUNCTION, 1, 0x4000, BUILDER_P("pmemobj_reserve"), BUILDER_P("pmemobj_reserve"));
	builder_put(&b, BO_OP_CALL, 1, 1, 64, 0, 0, 0, 0, 0);
	builder_put(&b, BO_OP_RETURN_PAIR, 1, 1, ~0ull, 0x3c0550);
	builder_put(&b, BO_OP_CALL, 1, 2, 64, 0, 0, 0, 0, 0);
	builder_put(&b, BO_OP_RETURN_PAIR, 1, 2, 7, 8);
	builder_put(&b, BO_OP_RETURN, 1, 1, 9);
	t = finish_after_map(&b, *state);
	ev = scratch_next(t, EVENT_CALL);
	assert_true(event_is_watched(&ev));
	assert_true(trace_function(t, 1)->watched);
	ev = scratch_next(t, EVENT_RETURN);
	assert_true(event_is_watched(&ev));
	assert_int_equal(ev.value, ~0ull);
	assert_int_equal(ev.second, 0x3c0550);
	ev = scratch_next(t, EVENT_CALL);
	assert_false(event_is_watched(&ev));
	ev = scratch_next(t, EVENT_RETURN);
	assert_int_equal(ev.function, 2);
	assert_int_equal(ev.second, 8);
	ev = scratch_next(t, EVENT_RETURN);
	assert_int_equal(ev.value, 9);
	assert_int_equal(ev.second, 0);
	scratch_end(t);
	trace_close(t);
}

static void test_calls(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_DEF_FUNCTION, 1, 0x1234, BUILDER_P("_Z3putl"), BUILDER_P("put(long)"));
	builder_put(&b, BO_OP_DEF_FUNCTION, 0, 0x4000, BUILDER_P("jit"), BUILDER_P("jit"));
	builder_put(&b, BO_OP_CALL, 2, 1, 10, 0, ~0ull, 13, 1ull << 63, 15);
	builder_put(&b, BO_OP_CALL_LIKE, 1, 2, bo_zigzag(-3ull), 0, bo_zigzag(2), 0, bo_zigzag(1ull << 63), 0);
	builder_put(&b, BO_OP_LEFT, 1, 2);
	builder_put(&b, BO_OP_RETURN, 2, 1, ~0ull - 1);
	builder_end(&b, BO_CHUNK_RAW);
	builder_put(&b, BO_OP_CALL_LIKE, 1, 2, bo_zigzag(5), 0, 0, 0, 0, 0);
	t = finish_after_map(&b, *state);
	ev = scratch_next(t, EVENT_CALL);
	assert_int_equal(ev.context, 2);
	assert_int_equal(ev.function, 1);
	assert_int_equal(event_argument(&ev, 0), 10);
	assert_int_equal(event_argument(&ev, 2), ~0ull);
	assert_int_equal(event_argument(&ev, 4), 1ull << 63);
	assert_int_equal(event_argument(&ev, 5), 15);
	assert_string_equal(trace_function(t, 1)->symbol, "_Z3putl");
	assert_string_equal(trace_function(t, 1)->name, "put(long)");
	assert_int_equal(trace_function(t, 1)->module, 1);
	assert_int_equal(trace_function(t, 1)->offset, 0x1234);
	assert_int_equal(trace_function(t, 2)->module, 0);
	ev = scratch_next(t, EVENT_CALL);
	assert_int_equal(ev.function, 2);
	assert_int_equal(event_argument(&ev, 0), 7);
	assert_int_equal(event_argument(&ev, 1), 0);
	assert_int_equal(event_argument(&ev, 2), 1);
	assert_int_equal(event_argument(&ev, 4), 0);
	assert_int_equal(event_argument(&ev, 5), 15);
	assert_int_equal(scratch_next(t, EVENT_LEFT).function, 2);
	ev = scratch_next(t, EVENT_RETURN);
	assert_int_equal(ev.function, 1);
	assert_int_equal(ev.value, ~0ull - 1);
	ev = scratch_next(t, EVENT_CALL);
	assert_int_equal(event_argument(&ev, 0), 5);
	assert_int_equal(event_argument(&ev, 5), 0);
	assert_null(trace_function(t, 3));
	scratch_end(t);
	trace_close(t);
}

static void test_operation_events(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_OPERATION_BEGIN, 1, 7, BUILDER_P("put k7"));
	builder_put(&b, BO_OP_OPERATION_END, 2, 7);
	builder_put(&b, BO_OP_OPERATION_NOTE, 0, BO_NOTE_UNSEEN, 40);
	t = finish_after_map(&b, *state);
	ev = scratch_next(t, EVENT_OPERATION_BEGIN);
	assert_int_equal(ev.context, 1);
	assert_int_equal(ev.value, 7);
	assert_string_equal(ev.path, "put k7");
	ev = scratch_next(t, EVENT_OPERATION_END);
	assert_int_equal(ev.context, 2);
	assert_int_equal(ev.value, 7);
	ev = scratch_next(t, EVENT_OPERATION_NOTE);
	assert_int_equal(ev.flags, BO_NOTE_UNSEEN);
	assert_int_equal(ev.value, 40);
	scratch_end(t);
	trace_close(t);
}

/* Thread numbers in the file may be sparse and may be reused; ours are dense and unique. */
static void test_threads(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b);
	builder_put(&b, BO_OP_THREAD_START, 1, 0); /* the thread that was running at the start is named late */
	builder_put(&b, BO_OP_THREAD_START, 40, 1);
	builder_put(&b, BO_OP_THREAD_SWITCH, 40);
	builder_put(&b, BO_OP_SFENCE, 0);
	builder_end(&b, BO_CHUNK_RAW);
	builder_put(&b, BO_OP_MFENCE, 0);
	builder_put(&b, BO_OP_THREAD_EXIT, 40);
	builder_put(&b, BO_OP_THREAD_SWITCH, 1);
	builder_put(&b, BO_OP_SFENCE, 0);
	builder_put(&b, BO_OP_THREAD_START, 40, 1);
	builder_put(&b, BO_OP_THREAD_SWITCH, 40);
	builder_put(&b, BO_OP_SFENCE, 0);
	t = finish_after_map(&b, *state);
	ev = scratch_next(t, EVENT_THREAD_START);
	assert_int_equal(ev.thread, 1);
	assert_int_equal(ev.value, 0);
	ev = scratch_next(t, EVENT_THREAD_START);
	assert_int_equal(ev.thread, 2);
	assert_int_equal(ev.value, 1);
	assert_int_equal(scratch_next(t, EVENT_SFENCE).thread, 2);
	assert_int_equal(scratch_next(t, EVENT_MFENCE).thread, 2);
	assert_int_equal(scratch_next(t, EVENT_THREAD_EXIT).thread, 2);
	assert_int_equal(scratch_next(t, EVENT_SFENCE).thread, 1);
	assert_int_equal(scratch_next(t, EVENT_THREAD_START).thread, 3);
	assert_int_equal(scratch_next(t, EVENT_SFENCE).thread, 3);
	scratch_end(t);
	assert_int_equal(trace_thread_count(t), 3);
	trace_close(t);
}

/* Addresses restart at 0 in each chunk, whatever its codec. */
static void test_chunk_borders(void **state)
{
	static const enum bo_codec codecs[] = {BO_CHUNK_RAW, BO_CHUNK_ZSTD, BO_CHUNK_RAW, BO_CHUNK_OPEN};
	struct builder b;
	struct trace *t;
	uint64_t i = 0;

	start(&b);
	for (int chunk = 0; chunk < 4; chunk++) {
		for (int n = 0; n < 100; n++, i++)
			builder_store(&b, &(struct event){.addr = A + i * 8, .size = 8, .data = (const uint8_t *)&i});
		builder_end(&b, codecs[chunk]);
		if (chunk == 1)
			builder_end(&b, BO_CHUNK_RAW); /* a chunk without events */
	}
	builder_zeros(&b, BO_CHUNK_BYTES);
	builder_write(&b, *state);
	t = scratch_open(*state);
	assert_false(trace_sealed(t));
	assert_int_equal(trace_records(t), 405);
	scratch_next(t, EVENT_FILE);
	scratch_next(t, EVENT_MAP);
	for (i = 0; i < 400; i++) {
		struct event ev = scratch_next(t, EVENT_STORE);

		assert_int_equal(ev.addr, A + i * 8);
		assert_memory_equal(ev.data, &i, 8);
	}
	scratch_end(t);
	scratch_end(t);
	trace_close(t);
}

static void expect_piece(struct trace *t, enum event_type type, uint32_t file, uint64_t offset, uint64_t addr,
			 uint64_t size)
{
	struct event ev = scratch_next(t, type);

	assert_int_equal(ev.file, file);
	assert_int_equal(ev.offset, offset);
	assert_int_equal(ev.addr, addr);
	assert_int_equal(ev.size, size);
	if (ev.data)
		assert_memory_equal(ev.data, pattern + (addr - (A + 0x4000 - 8)), size);
}

/* Two files side by side, as the parts of a pool set are, a gap, and the first file again. */
static void test_pieces(void **state)
{
	static uint8_t big[0x4000];
	struct builder b;
	struct trace *t;

	start(&b);
	builder_put(&b, BO_OP_DEF_FILE, 8, 78, 0x2000, 0, BUILDER_P("/pm/part2"));
	builder_put(&b, BO_OP_MAP, 0, 2, A + 0x4000, 0x1000, 0x1000, 3, MAP_SHARED);
	builder_put(&b, BO_OP_MAP, 0, 1, A + 0x6000, 0x1000, 0, 3, MAP_SHARED);
	builder_store(&b,
		      &(struct event){
			      .kind = BO_STORE_STRING, .unit = 8, .addr = A + 0x4000 - 8, .size = 24, .data = pattern});
	builder_store(&b, &(struct event){.addr = A + 0x4000 - 8, .size = 16, .data = pattern});
	builder_put(&b, BO_OP_MSYNC, 0, A + 0x3000, 0x100000, MS_SYNC);
	builder_store(&b, &(struct event){.addr = A - 0x1000, .size = 0x1000 + 8, .data = big});
	builder_store(&b, &(struct event){.addr = A - 0x1000, .size = 0x1000, .data = big});
	builder_store(&b, &(struct event){.addr = A + 0x7000 - 4, .size = 8, .data = big});
	t = finish_after_map(&b, *state);
	scratch_next(t, EVENT_FILE);
	scratch_next(t, EVENT_MAP);
	scratch_next(t, EVENT_MAP);
	expect_piece(t, EVENT_STORE, 1, 0x3ff8, A + 0x3ff8, 8);
	expect_piece(t, EVENT_STORE, 2, 0x1000, A + 0x4000, 16);
	expect_piece(t, EVENT_STORE, 1, 0x3ff8, A + 0x3ff8, 8);
	expect_piece(t, EVENT_STORE, 2, 0x1000, A + 0x4000, 8);
	expect_piece(t, EVENT_MSYNC, 1, 0x3000, A + 0x3000, 0x1000);
	expect_piece(t, EVENT_MSYNC, 2, 0x1000, A + 0x4000, 0x1000);
	expect_piece(t, EVENT_MSYNC, 1, 0, A + 0x6000, 0x1000);
	assert_int_equal(scratch_next(t, EVENT_STORE).addr, A); /* the bytes before it are not PM */
	assert_int_equal(scratch_next(t, EVENT_STORE).file, 0);
	assert_int_equal(scratch_next(t, EVENT_STORE).size, 4);
	scratch_end(t);
	trace_close(t);
}

/* Numbers of every length, also at the very end of a payload. */
static void test_numbers(void **state)
{
	struct builder b;
	struct trace *t;

	builder_start(&b, 0, 0);
	for (unsigned bits = 0; bits <= 64; bits++) {
		uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;

		builder_put(&b, BO_OP_EXIT, most);
		builder_put(&b, BO_OP_CLWB, 0, most);
		if (bits % 3 == 0)
			builder_end(&b, BO_CHUNK_RAW);
	}
	t = finish(&b, *state);
	for (unsigned bits = 0; bits <= 64; bits++) {
		uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;

		assert_int_equal(scratch_next(t, EVENT_EXIT).value, most);
		assert_int_equal(scratch_next(t, EVENT_CLWB).addr, most);
	}
	scratch_end(t);
	trace_close(t);
}

/* The example in doc/TRACE_FORMAT.md. */
static void test_documented(void **state)
{
	static const uint8_t payload[] = {0xb1, 0x07, 0x10, 0x05, 0x2a, 0x08, 0x00, 0x20, 0x09};
	struct decoder d = decoder_at(payload, sizeof(payload));
	struct record r;

	(void)state;
	assert_int_equal(decode_next(&d, &r), 1);
	assert_int_equal(r.op, BO_OP_STORE);
	assert_int_equal(r.kind, BO_STORE_PLAIN);
	assert_int_equal(r.context, 7);
	assert_int_equal(r.addr, 8);
	assert_int_equal(r.size, 8);
	assert_memory_equal(r.data, "\x05\0\0\0\0\0\0", 8);
	assert_int_equal(decode_next(&d, &r), 1);
	assert_int_equal(r.op, BO_OP_CLWB);
	assert_int_equal(r.context, 8);
	assert_int_equal(r.addr, 8);
	assert_int_equal(decode_next(&d, &r), 1);
	assert_int_equal(r.op, BO_OP_SFENCE);
	assert_int_equal(r.context, 9);
	assert_int_equal(decode_next(&d, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_definitions),
		scratch_test(test_unknown_layer),
		scratch_test(test_stores),
		scratch_test(test_loads),
		scratch_test(test_flushes_and_fences),
		scratch_test(test_file_events),
		scratch_test(test_mapping_events),
		scratch_test(test_process_events),
		scratch_test(test_calls),
		scratch_test(test_calls_watched),
		scratch_test(test_operation_events),
		scratch_test(test_threads),
		scratch_test(test_chunk_borders),
		scratch_test(test_pieces),
		scratch_test(test_numbers),
		cmocka_unit_test(test_documented),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
