/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sink, grouping, location, messages, sorting, and what makes a run fail. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "builder.h"
#include "finding/finding.h"
#include "finding/message.h"
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

/* ---- tables ---- */

/* Every sentence can be filled in, and names only places that exist. */
static void test_messages(void **state)
{
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);
	char text[4096];

	(void)state;
	sample_frame(f, &finding->stack, "put", "/src/kv.c", 118, "kv");
	for (unsigned i = 0; i < SIGHTING_RELATED_MAX; i++) {
		struct finding_related *related = sample_relate(f, finding, i == 1 ? ROLE_FENCE : ROLE_FLUSH);

		sample_frame(f, &related->stack, "there", "/src/there.c", 10 + i, "kv");
	}
	for (unsigned v = 0; v < FORM_COUNT; v++) {
		const struct form *form = form_get((enum finding_form)v);

		message_fill(finding, form->message, text, sizeof(text));
		assert_null(strpbrk(text, "{}"));
		assert_true(*text && text[strlen(text) - 1] != '.');
		message_fill(finding, form->fix, text, sizeof(text));
		assert_null(strpbrk(text, "{}"));
	}
	message_fill(finding, "{here} {flush} {fence} {flush2} {{x}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 there.c:10 there.c:11 there.c:12 {x}");
	assert_true(message_distinct(finding, "{here} {flush} {fence} {flush2} {bytes} {bytes} {are} {are} {{"));
	assert_false(message_distinct(finding, "{here}, {fence} or {fence}"));
	finding->first.size = 8;
	message_fill(finding, "{bytes} {are} stored, {their} line", text, sizeof(text));
	assert_string_equal(text, "8 bytes are stored, their line");
	finding->first.size = 1;
	message_fill(finding, "{bytes} {are} stored, {their} line", text, sizeof(text));
	assert_string_equal(text, "1 byte is stored, its line");
	message_fill(finding, "{here} {flush}", text, 12);
	assert_string_equal(text, "kv.c:118 th");
	findings_free(f);
}

/* A library may flush or fence twice in one call.  Then the sentence says where in the library; the fix cannot. */
static void test_message_inside(void **state)
{
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_REDUNDANT_FENCE, SEVERITY_PERFORMANCE, 1);
	char text[4096];

	(void)state;
	sample_frame(f, &finding->stack, "drain", "/lib/drain.c", 7, "libpmemobj.so.1");
	sample_frame(f, &finding->stack, "pmemobj_tx_commit", "/lib/tx.c", 20, "libpmemobj.so.1");
	sample_frame(f, &finding->stack, "put", "/src/kv.c", 118, "kv");
	struct finding_stack *other = &sample_relate(f, finding, ROLE_FENCE)->stack;
	sample_frame(f, other, "drain", "/lib/drain.c", 7, "libpmemobj.so.1");
	sample_frame(f, other, "pmemobj_tx_commit", "/lib/tx.c", 10, "libpmemobj.so.1");
	sample_frame(f, other, "put", "/src/kv.c", 118, "kv");
	message_fill(finding, "{here} after {fence}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 after kv.c:118 (tx.c:10 in pmemobj_tx_commit)");
	assert_false(message_distinct(finding, "{here} or {fence}"));
	other->frames[1].line = 20;
	message_fill(finding, "{here} after {fence}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 after kv.c:118");
	/* Without symbols, the function that the program calls is known, but those inside the library are not. */
	other->frames[1].line = finding->stack.frames[1].line = 0;
	other->frames[0] = (struct finding_frame){.module = "libpmemobj.so.1", .offset = 0x10};
	message_fill(finding, "{here} after {fence}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 after kv.c:118 (in pmemobj_tx_commit)");
	findings_free(f);
}

static void test_names(void **state)
{
	enum severity severity;
	enum related_role role;

	(void)state;
	for (unsigned k = 0; k < KIND_COUNT; k++) {
		const char *name = kind_get((enum finding_kind)k)->name;

		assert_int_equal(kind_find(name, strlen(name)), k);
	}
	assert_int_equal(kind_find("missing", 7), KIND_NONE);
	/* A registered kind is a kind like others; one that is known is not registered again. */
	char name[] = "custom:x";
	unsigned count = kind_count();
	enum finding_kind own = kind_register(&(struct kind){.name = name,
							     .class = CLASS_ORDERING,
							     .severity = SEVERITY_WARNING,
							     .line = "l",
							     .class_text = "mine"});
	name[0] = 'C';
	assert_int_equal(own, count);
	assert_int_equal(kind_count(), count + 1);
	assert_int_equal(kind_find("custom:x", 8), own);
	assert_string_equal(kind_get(own)->help, "l");
	assert_string_equal(kind_class(kind_get(own)), "mine");
	assert_string_equal(kind_class(kind_get(KIND_MISSING_FENCE)), "durability");
	assert_int_equal(kind_register(&(struct kind){.name = "missing-flush"}), KIND_MISSING_FLUSH);
	assert_int_equal(kind_count(), count + 1);
	assert_false(kind_name_is_valid("a b") || kind_name_is_valid(""));
	assert_true(severity_find("performance", &severity) && severity == SEVERITY_PERFORMANCE);
	assert_false(severity_find("", &severity));
	assert_true(role_find("guard", &role) && role == ROLE_GUARD);
	assert_false(role_find("other", &role));
}

/* ---- sorting and failure ---- */

static void test_order(void **state)
{
	struct findings *f = sample_new();
	static const struct {
		enum severity severity;
		uint64_t count;
		uint32_t line;
		enum finding_state state;
	} given[] = {
		{SEVERITY_WARNING, 9, 1, FINDING_ACTIVE}, {SEVERITY_ERROR, 1, 20, FINDING_ACTIVE},
		{SEVERITY_ERROR, 1, 3, FINDING_ACTIVE},   {SEVERITY_ERROR, 99, 4, FINDING_SUPPRESSED},
		{SEVERITY_ERROR, 2, 50, FINDING_ACTIVE},  {SEVERITY_PERFORMANCE, 1, 6, FINDING_ACTIVE},
	};
	static const uint32_t lines[] = {50, 3, 20, 6, 1, 4};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, given[i].severity, given[i].count);

		finding->state = given[i].state;
		sample_frame(f, &finding->stack, "put", "/src/kv.c", given[i].line, "kv");
	}
	findings_number(f);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(stack_location(&f->at[i].stack)->line, lines[i]);
	assert_string_equal(f->at[5].id, "F6");
	assert_string_equal(f->at[2].id, "F3");
	assert_int_equal(findings_count(f, SEVERITY_ERROR), 3);
	assert_int_equal(findings_silenced(f), 1);
	findings_free(f);
}

static void test_fail_on(void **state)
{
	struct findings *f = sample_new();
	enum severity lowest;
	bool never;

	(void)state;
	assert_true(fail_on_parse("error", &lowest, &never) && lowest == SEVERITY_ERROR && !never);
	assert_true(fail_on_parse("warning", &lowest, &never) && lowest == SEVERITY_WARNING && !never);
	assert_true(fail_on_parse("never", &lowest, &never) && never);
	assert_false(fail_on_parse("all", &lowest, &never));
	assert_false(findings_fail(f, SEVERITY_WARNING));
	struct finding *finding = sample_add(f, KIND_REDUNDANT_FLUSH, SEVERITY_PERFORMANCE, 1);
	assert_false(findings_fail(f, SEVERITY_ERROR));
	assert_true(findings_fail(f, SEVERITY_PERFORMANCE));
	assert_true(findings_fail(f, SEVERITY_WARNING));
	finding->state = FINDING_KNOWN;
	assert_false(findings_fail(f, SEVERITY_WARNING));
	findings_free(f);
}

static void test_frame_text(void **state)
{
	struct finding_frame frame = {.file = "kv.c", .line = 3, .function = "put", .module = "kv", .offset = 0x12};
	char text[64], small[8];

	(void)state;
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "kv.c:3 in put");
	frame_text(&frame, small, sizeof(small));
	assert_string_equal(small, "kv.c:3");
	frame.line = 0;
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "put (kv+0x12)");
	frame.function = NULL;
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "kv+0x12");
	frame.module = "k\x1b\nv";
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "k\\033\\012v+0x12");
	frame_text(NULL, text, sizeof(text));
	assert_string_equal(text, "an unknown place");
}

/* A function is identified by its name, not by template arguments; short names are unchanged. */
static void test_function_plain(void **state)
{
#define LONG "std::vector<std::pair<int, std::less<int> >, std::allocator<char> >"
	static const char *const cases[][2] = {
		{"put", "put"},
		{"map<int>::put<char>", "map<int>::put<char>"},
		{"map<" LONG " >::put<int>", "map<...>::put<...>"},
		{"map<" LONG " >::operator<< <int>", "map<...>::operator<< <...>"},
		{"map<" LONG ">::operator->", "map<...>::operator->"},
		{"map<" LONG ">::operator()", "map<...>::operator()"},
		{"map<&" LONG "::operator-> >::f", "map<...>::f"},
		{"map<" LONG "::put", "map<" LONG "::put"}, /* malformed: unchanged */
	};
#undef LONG
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		function_plain(text, sizeof(text), cases[i][0]);
		assert_string_equal(text, cases[i][1]);
	}
	function_plain(text, 4, "put_all");
	assert_string_equal(text, "put");
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
		scratch_test(test_related),
		cmocka_unit_test(test_headers),
		scratch_test(test_location_of_templates),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_message_inside),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_fail_on),
		cmocka_unit_test(test_frame_text),
		cmocka_unit_test(test_function_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
