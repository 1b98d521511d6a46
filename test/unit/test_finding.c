/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sink, grouping and location.  test_finding_text.c has messages, sorting, and what makes a run fail. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "builder.h"
#include "finding/finding.h"
#include "finding/merge.h"
#include "finding/own.h"
#include "sample.h"
#include "scratch.h"
#include "self.h"

/* ---- places in this program that have lines ---- */

/* Each function is on a single line. */
/* clang-format off */
enum { LINE_STORE = __LINE__ + 2, LINE_FLUSH = __LINE__ + 3, LINE_CALLER = __LINE__ + 4 };

__attribute__((noinline)) static void place_store(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) static void place_flush(void) { __asm__ volatile("nop; nop"); }
__attribute__((noinline)) static void place_caller(void) { __asm__ volatile("nop; nop; nop"); }
/* clang-format on */

/* Contexts of the trace below, as they are defined. */
enum {
	CONTEXT_CALLER = 1,     /* place_caller */
	CONTEXT_STORE,          /* place_store, called by place_caller */
	CONTEXT_FLUSH,          /* place_flush, called by place_caller */
	CONTEXT_LIBRARY,        /* in libpmem, called by place_caller */
	CONTEXT_LIBRARY_DEEPER, /* elsewhere in libpmem, called by place_caller */
	CONTEXT_LIBC,           /* in libc, without a caller */
	CONTEXT_LIBRARY_ALONE,  /* in libpmem, called by CONTEXT_LIBC */
	CONTEXT_GENERATED,      /* code outside any file */
	CONTEXT_MANAGER,        /* in libpmemobj, called by place_caller */
	CONTEXT_TEMPLATE,       /* place_flush, as a caller */
	CONTEXT_MANAGER_INLINE, /* in libpmemobj, called by CONTEXT_TEMPLATE */
};

static struct trace *trace_make(const char *dir)
{
	struct builder b;

	builder_start(&b, 0, 0);
	self_define(&b);
	builder_put(&b, BO_OP_DEF_MODULE, 0x900000, 4096, 0, 1, 1, BUILDER_P("/nowhere/libpmem.so.1"));
	builder_put(&b, BO_OP_DEF_MODULE, 0xa00000, 4096, 0, 1, 1, BUILDER_P("/nowhere/libc.so.6"));
	builder_put(&b, BO_OP_DEF_MODULE, 0xb00000, 4096, 0, 1, 1, BUILDER_P("/nowhere/libpmemobj.so.1"));
	/* A return address is after the call. */
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, self_offset(place_caller) + 1);
	builder_put(&b, BO_OP_DEF_CONTEXT, 1, 1, self_offset(place_store));
	builder_put(&b, BO_OP_DEF_CONTEXT, 1, 1, self_offset(place_flush));
	builder_put(&b, BO_OP_DEF_CONTEXT, 1, 2, 0x10);
	builder_put(&b, BO_OP_DEF_CONTEXT, 1, 2, 0x20);
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 3, 0x30);
	builder_put(&b, BO_OP_DEF_CONTEXT, CONTEXT_LIBC, 2, 0x40);
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 0, 0x50);
	builder_put(&b, BO_OP_DEF_CONTEXT, CONTEXT_CALLER, 4, 0x60);
	builder_put(&b, BO_OP_DEF_CONTEXT, CONTEXT_CALLER, 1, self_offset(place_flush) + 1);
	builder_put(&b, BO_OP_DEF_CONTEXT, CONTEXT_TEMPLATE, 4, 0x60);
	builder_put(&b, BO_OP_DEF_FILE, 7, 8, 1 << 20, 0, BUILDER_P("/pm/pool"));
	builder_put(&b, BO_OP_MAP, 0, 1, 0x10000000, 1 << 20, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
	return scratch_read(dir);
}

/* Shared by the tests. */
struct setting {
	struct trace *trace;
	struct symbols *symbols;
	struct sink *sinks[2];
};

static struct setting setting_make(const char *dir)
{
	return (struct setting){trace_make(dir),
				symbols_open(NULL),
				{sink_new("patterns", "adr"), sink_new("patterns", "eadr")}};
}

static void setting_free(struct setting *s)
{
	sink_free(s->sinks[0]);
	sink_free(s->sinks[1]);
	symbols_close(s->symbols);
	trace_close(s->trace);
}

static struct findings *collect(struct setting *s, const struct findings_options *options)
{
	return findings_collect(s->sinks, 2, s->trace, s->symbols, options);
}

static void report(struct sink *sink, enum finding_form form, uint32_t context, uint32_t flush, uint64_t event)
{
	struct sighting sighting = {.kind = form_get(form)->kind,
				    .form = form,
				    .context = context,
				    .related_count = flush != 0,
				    .file = 1,
				    .offset = 64 * event,
				    .size = (uint32_t)event,
				    .event = event};

	sighting.related[0].role = ROLE_FLUSH;
	sighting.related[0].context = flush;
	sink_report(sink, &sighting);
}

/* ---- sink ---- */

static void test_sink(void **state)
{
	struct sink *sink = sink_new("patterns", "adr");

	(void)state;
	for (unsigned round = 0; round < 3; round++)
		for (uint32_t context = 1; context <= 5000; context++)
			report(sink, FORM_MISSING_FLUSH_LINE, context, context % 7, 10 * round + 1);
	report(sink, FORM_MISSING_FLUSH_SITE, 1, 1, 5);
	assert_int_equal(sink_count(sink), 5001);
	for (uint32_t i = 0; i < 5000; i++) {
		const struct sink_entry *entry = sink_at(sink, i);

		assert_int_equal(entry->first.context, i + 1);
		assert_int_equal(entry->count, 3);
		assert_int_equal(entry->first.event, 1);
		assert_int_equal(entry->last.event, 21);
		assert_int_equal(entry->largest.size, 21);
	}
	assert_int_equal(sink_at(sink, 5000)->count, 1);
	assert_null(sink_at(sink, 5001));
	assert_string_equal(sink_detector(sink), "patterns");
	sink_free(sink);
}

/* Different roles or a different sequence of related places make different keys. */
static void test_sink_related(void **state)
{
	struct sink *sink = sink_new("patterns", "adr");
	struct sighting s = {.kind = KIND_UNORDERED_FLUSHES,
			     .form = FORM_UNORDERED_FLUSHES_MANY,
			     .context = 1,
			     .related = {{ROLE_FLUSH, 1}, {ROLE_FLUSH, 2}},
			     .related_count = 2};

	(void)state;
	sink_report(sink, &s);
	s.related[0].context = 2;
	s.related[1].context = 1;
	sink_report(sink, &s);
	s.related[0].role = ROLE_STORE;
	sink_report(sink, &s);
	sink_report(sink, &s);
	assert_int_equal(sink_count(sink), 3);
	assert_int_equal(sink_at(sink, 2)->count, 2);
	sink_free(sink);
}

/* ---- grouping and location ---- */

static void test_location(void **state)
{
	char text[100];
	struct setting s = setting_make(*state);
	const struct finding_frame *frame;

	report(s.sinks[0], FORM_REDUNDANT_FLUSH_CLEAN, CONTEXT_LIBRARY, 0, 1);
	struct findings *f = collect(&s, NULL);
	assert_int_equal(f->count, 1);
	assert_int_equal(f->at[0].stack.count, 2);
	frame = stack_location(&f->at[0].stack);
	assert_string_equal(frame->function, "place_caller");
	assert_string_equal(frame->file, "test_finding.c");
	assert_int_equal(frame->line, LINE_CALLER);
	assert_true(frame->own);
	assert_false(f->at[0].stack.frames[0].own);
	snprintf(text, sizeof(text), "remove the flush at test_finding.c:%d", LINE_CALLER);
	assert_string_equal(f->at[0].fix, text);
	findings_free(f);
	setting_free(&s);
}

/* A caller cannot fix what a library stores for its own purposes; what the library flushes for these is not the
 * caller's concern either. */
static void test_location_of_library(void **state)
{
	struct setting s = setting_make(*state);

	report(s.sinks[0], FORM_MISSING_FENCE_DIRECT, CONTEXT_MANAGER, 0, 1);
	report(s.sinks[0], FORM_REDUNDANT_FLUSH_CLEAN, CONTEXT_MANAGER, 0, 1);
	struct findings *f = collect(&s, NULL);
	assert_int_equal(f->count, 1);
	assert_string_equal(stack_location(&f->at[0].stack)->function, "place_caller");
	assert_null(f->at[0].fix);
	findings_free(f);
	setting_free(&s);
}

/* Functions of the caller's own module in between, such as templates of the library, do not change that. */
static void test_location_of_templates(void **state)
{
	const char *const fold[] = {"place_flush"};
	const struct findings_options options = {.fold = fold, .fold_count = 1};
	struct setting s = setting_make(*state);

	report(s.sinks[0], FORM_MISSING_FENCE_DIRECT, CONTEXT_MANAGER_INLINE, 0, 1);
	report(s.sinks[0], FORM_REDUNDANT_FLUSH_CLEAN, CONTEXT_MANAGER_INLINE, 0, 1);
	struct findings *f = collect(&s, &options);
	assert_int_equal(f->count, 1);
	assert_string_equal(stack_location(&f->at[0].stack)->function, "place_caller");
	assert_null(f->at[0].fix);
	findings_free(f);
	setting_free(&s);
}

/* Headers of libraries belong to the library, no matter where they are. */
static void test_headers(void **state)
{
	static const struct {
		const char *path;
		bool own;
	} cases[] = {
		{"/usr/include/c++/12/atomic", false},
		{"/usr/local/include/queue.hpp", false},
		{"/home/me/work/libpmemobj-cpp/include/libpmemobj++/transaction.hpp", false},
		{"../include/libpmemobj++/container/vector.hpp", false},
		{"/home/me/work/include/queue.hpp", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct finding_frame frame = {.path = cases[i].path, .module = "app", .function = "f", .line = 7};

		assert_int_equal(own_frame(&frame, "/home/me/work/app", NULL), cases[i].own);
	}

	/* The library that compilers call for 16-byte atomics. */
	const struct finding_frame atomic = {.module = "libatomic.so.1.2.0", .offset = 0x42b8};

	assert_false(own_frame(&atomic, NULL, NULL));
}

/* As much of a path as is needed to distinguish it from the others, and no more. */
static void test_pool_names(void **state)
{
	struct findings *findings = findings_new();
	static const char *const paths[] = {"/pm/a/pool", "/pm/b/pool", "/pm/b/carpool",
					    "/x/b/pool",  "/pool",      "/pm/log"};
	static const char *const names[] = {"a/pool", "pm/b/pool", "carpool", "x/b/pool", "/pool", "log"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		vec_push(&findings->target.pm, paths[i]);
	vec_push(&findings->target.pm, "/pm/log"); /* created twice */
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_string_equal(findings_pool_name(findings, paths[i]), names[i]);
	assert_null(findings_pool_name(findings, NULL));
	findings_free(findings);
}

static void test_own_creates(void **state)
{
	(void)state;
	assert_true(own_creates("pmemobj_create"));
	assert_true(own_creates("pmemobj_createU"));
	assert_true(own_creates("pmemlog_create"));
	assert_true(own_creates("pmemblk_create"));
	assert_false(own_creates("pmemobj_open"));
	assert_false(own_creates("my_pmemobj_create"));
	assert_false(own_creates("pool_create"));
	assert_false(own_creates(NULL));
}

static void test_matches_function(void **state)
{
	static const struct {
		const char *pattern, *function;
		bool matches;
	} cases[] = {
		{"persist", "persist", true},
		{"persist", "pm::persist<Node>", true},
		{"pm::persist", "store::pm::persist<Node, std::less<int> >", true},
		{"persist<*>", "pm::persist<Node>", true},
		{"*flush*", "clflush_range", true},
		{"persist", "void pm::persist<Node>", true}, /* as a demangler prints it */
		{"persist", "(anonymous namespace)::persist", true},
		{"persist", "node_persist", false},
		{"persist", "persist::run", false},
		{"Node", "pm::persist<Node>", false},
		{"persist", NULL, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(own_matches_function(cases[i].pattern, cases[i].function), cases[i].matches);
}

/* Which frame of a library acted for itself?  Innermost first: modules, and '*' for the user's own. */
static void test_library(void **state)
{
	static const struct {
		const char *modules[5], *function; /* function: of the outermost frame of libpmemobj */
		size_t library;                    /* 9: none */
	} cases[] = {
		{{"*app"}, NULL, 9},
		{{"libc.so.6", "*app"}, NULL, 9},
		{{"libpmem.so.1", "*app"}, NULL, 9},
		{{"libpmemobj.so.1", "*app"}, "pmemobj_alloc", 0},
		{{"libc.so.6", "libpmemobj.so.1", "libpmemobj.so.1", "*app"}, "pmemobj_tx_alloc", 1},
		{{"libpmem.so.1", "libpmemobj.so.1", "*app"}, "pmemobj_memcpy_persist", 9},
		{{"*app", "libpmemobj.so.1", "*app"}, "pmemobj_list_insert_new", 9}, /* a constructor */
		{{"libpmemobj.so.1", "libc.so.6"}, "pmemobj_close", 9},              /* not called by the user's code */
		{{"liballoc.so", "*app"}, NULL, 0},                                  /* by --fold */
		{{"app", "*app"}, NULL, 9},                                          /* a function that is folded */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct finding_frame frames[5] = {0};
		struct finding_stack stack = {.frames = frames};

		for (; stack.count < 5 && cases[i].modules[stack.count]; stack.count++) {
			const char *module = cases[i].modules[stack.count];

			frames[stack.count].own = *module == '*';
			frames[stack.count].module = module + (*module == '*');
			if (!strncmp(module, "libpmemobj", 10)) {
				if (stack.count)
					frames[stack.count - 1].function = NULL;
				frames[stack.count].function = cases[i].function;
			}
		}
		stack.location = own_location(&stack);
		size_t library = own_library(&stack);
		assert_int_equal(library == stack.count ? 9 : library, cases[i].library);
	}
}

/* --own makes the library's frame the location. */
static void test_location_own(void **state)
{
	struct setting s = setting_make(*state);
	const char *const by_name[] = {"libpmem.so*"}, *const by_path[] = {"/nowhere/*"};

	report(s.sinks[0], FORM_REDUNDANT_FLUSH_CLEAN, CONTEXT_LIBRARY, 0, 1);
	for (unsigned i = 0; i < 2; i++) {
		struct findings_options options = {.own = i ? by_path : by_name, .own_count = 1};
		struct findings *f = collect(&s, &options);

		assert_int_equal(f->count, 1);
		assert_string_equal(stack_location(&f->at[0].stack)->module, "libpmem.so.1");
		findings_free(f);
	}
	setting_free(&s);
}

/* Without a frame of the user's own, the location is the outermost frame. */
static void test_location_folded(void **state)
{
	struct setting s = setting_make(*state);

	report(s.sinks[0], FORM_REDUNDANT_FLUSH_CLEAN, CONTEXT_LIBRARY_ALONE, 0, 1);
	report(s.sinks[0], FORM_FLUSH_VOLATILE_OUTSIDE, 0, 0, 1);
	struct findings *f = collect(&s, NULL);
	assert_int_equal(f->count, 2);
	for (size_t i = 0; i < 2; i++) {
		if (f->at[i].kind == KIND_FLUSH_VOLATILE)
			assert_null(stack_location(&f->at[i].stack));
		else
			assert_string_equal(stack_location(&f->at[i].stack)->module, "libc.so.6");
	}
	findings_free(f);
	setting_free(&s);
}

/* Two instructions of a library called from one line of the user are one finding; two kinds at one place are two. */
static void test_grouping(void **state)
{
	struct setting s = setting_make(*state);

	for (unsigned i = 1; i <= 10; i++)
		report(s.sinks[0], FORM_REDUNDANT_FLUSH_CLEAN, CONTEXT_LIBRARY, 0, i);
	for (unsigned i = 1; i <= 5; i++)
		report(s.sinks[0], FORM_REDUNDANT_FLUSH_AGAIN, CONTEXT_LIBRARY_DEEPER, CONTEXT_FLUSH, 100 + i);
	report(s.sinks[0], FORM_SHARED_LINE_FLUSH_NEIGHBOR, CONTEXT_LIBRARY, CONTEXT_FLUSH, 50);
	struct findings *f = collect(&s, NULL);
	assert_int_equal(f->count, 2);
	assert_int_equal(f->at[0].kind, KIND_REDUNDANT_FLUSH);
	assert_int_equal(f->at[0].count, 15);
	assert_int_equal(f->at[0].first.event, 1);
	assert_int_equal(f->at[0].largest.event, 105);
	assert_string_equal(f->at[0].message, form_get(FORM_REDUNDANT_FLUSH_CLEAN)->message);
	assert_string_equal(f->at[0].pool, "/pm/pool");
	assert_int_equal(f->at[1].kind, KIND_SHARED_LINE_FLUSH);
	findings_free(f);
	setting_free(&s);
}

/* The worst form determines sentence and severity, however rare it is. */
static void test_worst_leads(void **state)
{
	struct setting s = setting_make(*state);

	for (unsigned i = 1; i <= 10; i++)
		report(s.sinks[0], FORM_REDUNDANT_FENCE_THREADS, CONTEXT_FLUSH, 0, i);
	report(s.sinks[0], FORM_REDUNDANT_FENCE_NOTHING, CONTEXT_FLUSH, 0, 99);
	struct findings *f = collect(&s, NULL);
	assert_int_equal(f->count, 1);
	assert_int_equal(f->at[0].count, 11);
	assert_int_equal(f->at[0].severity, SEVERITY_PERFORMANCE);
	assert_int_equal(f->at[0].first.event, 99);
	findings_free(f);
	setting_free(&s);
}

/* The same mistake on two platforms is one finding; count and sentence are those of the platform named first. */
static void test_platforms(void **state)
{
	struct setting s = setting_make(*state);

	for (unsigned i = 1; i <= 4; i++)
		report(s.sinks[0], FORM_REDUNDANT_FLUSH_AGAIN, CONTEXT_FLUSH, CONTEXT_STORE, i);
	for (unsigned i = 1; i <= 9; i++)
		report(s.sinks[1], FORM_REDUNDANT_FLUSH_POINTLESS, CONTEXT_FLUSH, 0, i);
	report(s.sinks[1], FORM_MISSING_FENCE_DIRECT, CONTEXT_STORE, 0, 3);
	report(s.sinks[1], FORM_REDUNDANT_FLUSH_POINTLESS, CONTEXT_CALLER, 0, 3);
	struct findings *f = collect(&s, NULL);
	assert_int_equal(f->count, 3);
	assert_int_equal(f->target.platforms.count, 2);
	assert_int_equal(f->at[0].kind, KIND_MISSING_FENCE);
	assert_int_equal(f->at[0].platform_count, 1);
	assert_string_equal(f->at[0].platforms[0], "eadr");
	assert_int_equal(f->at[1].platform_count, 2);
	assert_int_equal(f->at[1].count, 4);
	assert_non_null(strstr(f->at[1].message, "the line was written back at "));
	assert_int_equal(f->at[2].platform_count, 1);
	assert_string_equal(f->at[2].message, "on eadr a store is persistent without a flush");
	findings_free(f);
	setting_free(&s);
}

/* A store that its transaction does not cover, and that was never written back, is one finding; the same line may have
 * leftovers of other calls. */
static void test_unlogged_leftovers(void **state)
{
	struct setting s = setting_make(*state);

	report(s.sinks[0], FORM_MISSING_FLUSH_LINE, CONTEXT_FLUSH, CONTEXT_STORE, 1);
	report(s.sinks[0], FORM_TRANSIENT_DATA_NEVER, CONTEXT_FLUSH, 0, 2);
	report(s.sinks[0], FORM_MISSING_FLUSH_LINE, CONTEXT_TEMPLATE, CONTEXT_STORE, 3); /* the same line */
	report(s.sinks[0], FORM_UNLOGGED_STORE_MISSING, CONTEXT_FLUSH, 0, 1);
	report(s.sinks[1], FORM_UNLOGGED_STORE_MISSING, CONTEXT_TEMPLATE, 0, 3); /* on another platform */
	report(s.sinks[0], FORM_UNLOGGED_STORE_PERSISTED, CONTEXT_STORE, 0, 4);
	report(s.sinks[0], FORM_MISSING_FLUSH_LINE, CONTEXT_STORE, CONTEXT_FLUSH, 5);
	struct findings *f = collect(&s, NULL);
	const struct finding *united = NULL;
	uint64_t left = 0;
	for (size_t i = 0; i < f->count; i++) {
		bool here = stack_location(&f->at[i].stack)->line == LINE_FLUSH;

		if (f->at[i].kind == KIND_UNLOGGED_STORE && here)
			united = &f->at[i];
		else
			assert_int_equal(f->at[i].also_count, 0);
		left += f->at[i].kind == KIND_MISSING_FLUSH && here ? f->at[i].count : 0;
	}
	assert_int_equal(f->count, 4);
	assert_int_equal(left, 1);
	assert_non_null(united);
	assert_int_equal(united->count, 1);
	assert_int_equal(united->also_count, 2);
	assert_int_equal(united->also[0].kind, KIND_MISSING_FLUSH);
	assert_int_equal(united->also[1].kind, KIND_TRANSIENT_DATA);
	findings_free(f);
	setting_free(&s);
}

/* A crash finding takes over what the finding that becomes a part of it has absorbed. */
static void test_merged_twice(void **state)
{
	static const enum finding_kind kinds[] = {KIND_UNLOGGED_STORE, KIND_MISSING_FLUSH, KIND_RECOVERY_ERROR};
	struct findings *f = sample_new();
	struct finding_crash crash = {.cause = CAUSE_UNFLUSHED};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct finding *finding = sample_add(f, kinds[i], SEVERITY_ERROR, 1);

		sample_frame(f, &finding->stack, "put", "/src/kv.c", 118, "kv");
		finding->message = kind_get(kinds[i])->name;
	}
	f->at[0].detector = "transactions";
	f->at[2].detector = "inject";
	f->at[2].crash = &crash;
	finding_absorb(f, &f->at[0], &f->at[1]);
	findings_drop_absorbed(f);
	assert_int_equal(f->count, 2);
	findings_merge(f);
	assert_int_equal(f->count, 1);
	assert_int_equal(f->at[0].kind, KIND_RECOVERY_ERROR);
	assert_int_equal(f->at[0].also_count, 2);
	assert_string_equal(f->at[0].also[0].message, "unlogged-store");
	assert_string_equal(f->at[0].also[1].message, "missing-flush");
	assert_int_equal(f->at[0].detector_count, 3);
	assert_string_equal(f->at[0].detectors[0], "inject");
	findings_free(f);
}

static void test_related(void **state)
{
	struct setting s = setting_make(*state);
	char text[200];

	report(s.sinks[0], FORM_MISSING_FENCE_FLUSHED, CONTEXT_STORE, CONTEXT_FLUSH, 8);
	struct findings *f = collect(&s, NULL);
	snprintf(text, sizeof(text), "fence after the flush at test_finding.c:%d", LINE_FLUSH);
	assert_string_equal(f->at[0].fix, text);
	snprintf(text, sizeof(text),
		 "8 bytes stored here are written back at test_finding.c:%d, but no fence of that thread follows",
		 LINE_FLUSH);
	assert_string_equal(f->at[0].message, text);
	assert_int_equal(f->at[0].related_count, 1);
	assert_int_equal(f->at[0].related[0].role, ROLE_FLUSH);
	assert_int_equal(stack_location(&f->at[0].stack)->line, LINE_STORE);
	findings_free(f);
	setting_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sink),
		cmocka_unit_test(test_sink_related),
		scratch_test(test_location),
		scratch_test(test_location_of_library),
		cmocka_unit_test(test_own_creates),
		cmocka_unit_test(test_pool_names),
		cmocka_unit_test(test_matches_function),
		cmocka_unit_test(test_library),
		scratch_test(test_location_own),
		scratch_test(test_location_folded),
		scratch_test(test_grouping),
		scratch_test(test_worst_leads),
		scratch_test(test_platforms),
		scratch_test(test_unlogged_leftovers),
		scratch_test(test_merged_twice),
		scratch_test(test_related),
		cmocka_unit_test(test_headers),
		scratch_test(test_location_of_templates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
