/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Likely invariants from small programs: each rule by bytes and by store sites, what lifts and what does not, and the
 * reasons.  A program is a few loads and stores by numbered code: code n is an instruction of the program. */
#include <string.h>
#include <sys/mman.h>

#include "builder.h"
#include "invariants/invariants.h"
#include "scratch.h"

#define A ((uint64_t)0x7f0000000000)
#define CODES 32u
#define COPY CODES     /* code COPY + n: memcpy, called by code n; code 2 * COPY + n: an allocator's store for it */
#define SET (3 * COPY) /* code SET + n: a function of the program that stores, called by code n */
#define POOL_BYTES 0x100000u

static struct builder b;
static const char *dir;
static uint32_t reads, labels;

/* ---- a recording ---- */

/* The contexts 1 to CODES - 1 are the program's; in the library COPY + n is called from n. */
static void start(void **state, const char *program)
{
	dir = *state;
	reads = labels = 0;
	builder_start(&b, 0, BO_LAYER_LOADS | BO_LAYER_DEPENDENCIES);
	builder_put(&b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0, 1, 1, BUILDER_P(program));
	builder_put(&b, BO_OP_DEF_MODULE, 0x800000, 0x2000, 0, 1, 1, BUILDER_P("/lib/libc.so.6"));
	builder_put(&b, BO_OP_DEF_MODULE, 0xc00000, 0x2000, 0, 1, 1, BUILDER_P("/lib/libpmemobj.so.1"));
	for (uint64_t code = 1; code < CODES; code++)
		builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0x10 * code);
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0xfff0);
	for (uint64_t code = 1; code < CODES; code++)
		builder_put(&b, BO_OP_DEF_CONTEXT, code, 2, 0x77 + code % 2);
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0xfff8);
	for (uint64_t code = 1; code < CODES; code++)
		builder_put(&b, BO_OP_DEF_CONTEXT, code, 3, 0x88);
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0xfffc);
	for (uint64_t code = 1; code < CODES; code++)
		builder_put(&b, BO_OP_DEF_CONTEXT, code, 1, 0x999);
	builder_put(&b, BO_OP_DEF_FILE, 8, 77, POOL_BYTES, 0, BUILDER_P("/pm/pool"));
	builder_put(&b, BO_OP_MAP, 1, 1, A, POOL_BYTES, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
}

/* A read by `code`, and if `branch` is not 0, a branch there on what was read. */
static uint32_t read_of(uint32_t code, uint64_t at, uint64_t size, uint32_t branch)
{
	builder_put(&b, BO_OP_DEF_READ, code, A + at, size);
	reads++;
	if (branch)
		builder_put(&b, BO_OP_DEF_BRANCH, reads, branch);
	return reads;
}

static uint32_t label_flags(uint64_t flags, const uint32_t *of, size_t count)
{
	uint8_t bytes[64], *p = bytes;
	uint32_t last = 0;

	for (size_t i = 0; i < count; i++) {
		p = bo_put_v(p, of[i] - last);
		last = of[i];
	}
	builder_put(&b, BO_OP_DEF_LABEL, flags, count, BUILDER_P(bytes), (uint64_t)(p - bytes));
	return ++labels;
}

static uint32_t label(uint32_t read)
{
	return label_flags(0, &read, 1);
}

static void store(uint32_t code, uint64_t at, uint64_t size, uint32_t data, uint32_t control)
{
	static const uint8_t value[64];

	if (data || control)
		builder_put(&b, BO_OP_DEPENDS, data, control);
	builder_store(&b, &(struct event){.context = code, .addr = A + at, .size = size, .data = value});
}

static void load(uint32_t code, uint64_t at, uint64_t size, uint32_t data, uint32_t control)
{
	if (data || control)
		builder_put(&b, BO_OP_DEPENDS, data, control);
	builder_load(&b, &(struct event){.context = code, .addr = A + at, .size = size});
}

/* ---- questions ---- */

static struct trace *trace;
static struct invariants *inv;

static void feed(void)
{
	struct event ev;
	struct err err;
	int more;

	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
	trace = scratch_open(dir);
	invariants_begin(inv, trace);
	while ((more = trace_next(trace, &ev, &err)) > 0)
		invariants_event(inv, &ev);
	assert_int_equal(more, 0);
}

static void infer(void)
{
	inv = invariants_new();
	feed();
}

static void done(void)
{
	invariants_free(inv);
	trace_close(trace);
}

static struct store_place place(uint32_t code, uint64_t at, uint64_t size)
{
	return invariants_place(
		inv, &(struct event){.type = EVENT_STORE, .context = code, .file = 1, .offset = at, .size = size});
}

/* Is the one invariant between the two stores of this rule and scope, and seen so often? */
static struct invariant_match ordered(struct store_place a, struct store_place c, enum invariant_rule rule,
				      enum invariant_scope scope, uint64_t seen)
{
	struct invariant_match matches[INVARIANT_ORDERINGS];

	assert_int_equal(invariants_orders(inv, &a, &c, matches), 1);
	assert_int_equal(matches[0].rule, rule);
	assert_int_equal(matches[0].scope, scope);
	assert_int_equal(matches[0].seen, seen);
	return matches[0];
}

static void unordered(struct store_place a, struct store_place c)
{
	struct invariant_match matches[INVARIANT_ORDERINGS];

	assert_int_equal(invariants_orders(inv, &a, &c, matches), 0);
}

static void expect_reason(const struct invariant_reason *reason, enum invariant_role role, uint32_t code)
{
	assert_int_equal(reason->role, role);
	assert_int_equal(reason->code.context, code);
	assert_int_equal(reason->code.offset, 0x10 * code);
	assert_string_equal(reason->code.module->path, "/bin/program");
}

/* ---- rules ---- */

/* x = ...; y = x + 3 */
static void test_data(void **state)
{
	struct invariant_match match;

	start(state, "/bin/program");
	store(1, 0x0, 8, 0, 0);
	store(2, 0x40, 8, label(read_of(3, 0x0, 8, 0)), 0);
	infer();
	match = ordered(place(9, 0x0, 8), place(9, 0x40, 8), INVARIANT_RO1, INVARIANT_ADDRESS, 1);
	assert_null(match.lifted);
	assert_int_equal(match.because_count, 2);
	expect_reason(&match.because[0], INVARIANT_LOAD, 3);
	expect_reason(&match.because[1], INVARIANT_STORE, 2);
	unordered(place(9, 0x40, 8), place(9, 0x0, 8));
	unordered(place(9, 0x0, 8), place(9, 0x48, 8));
	/* Elsewhere, the code and the distance count. */
	match = ordered(place(1, 0x800, 8), place(2, 0x840, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	assert_int_equal(match.lifted->first.offset, 0x10);
	assert_int_equal(match.lifted->second.offset, 0x20);
	unordered(place(1, 0x800, 8), place(2, 0x848, 8));
	unordered(place(2, 0x800, 8), place(1, 0x840, 8));
	unordered(place(1, 0x800, 8), place(4, 0x840, 8));
	assert_int_equal(invariants_count(inv), 1);
	done();
}

/* x = ...; if (x) y = 1 */
static void test_control(void **state)
{
	struct invariant_match match;

	start(state, "/bin/program");
	store(1, 0x0, 8, 0, 0);
	store(2, 0x40, 8, 0, label(read_of(3, 0x0, 8, 4)));
	store(2, 0x140, 8, 0, label(read_of(3, 0x100, 8, 4))); /* nobody has stored what was read */
	infer();
	assert_int_equal(invariants_count(inv), 1);
	for (uint64_t at = 0; at <= 0x100; at += 0x100) {
		match = ordered(place(9, at, 8), place(9, at + 0x40, 8), INVARIANT_RO2, INVARIANT_ADDRESS, 1);
		assert_int_equal(match.because_count, 3);
		expect_reason(&match.because[1], INVARIANT_BRANCH, 4);
	}
	ordered(place(1, 0x800, 8), place(2, 0x840, 8), INVARIANT_RO2, INVARIANT_DISTANCE, 1);
	expect_reason(&invariants_at(inv, 0)->because[0], INVARIANT_LOAD, 3);
	expect_reason(&invariants_at(inv, 0)->because[1], INVARIANT_BRANCH, 4);
	expect_reason(&invariants_at(inv, 0)->because[2], INVARIANT_STORE, 2);
	done();
}

/* key = ...; token = 1; if (token) use(key): the key persists first. */
static void test_guarded_read(void **state)
{
	struct invariant_match match;
	struct store_place key, token;

	start(state, "/bin/program");
	store(1, 0x8, 8, 0, 0);
	store(2, 0x0, 1, 0, 0);
	uint32_t token_read = label(read_of(3, 0x0, 1, 4));
	for (int i = 0; i < 3; i++)
		load(5, 0x8, 8, 0, token_read);
	infer();
	ordered(place(9, 0x8, 8), place(9, 0x0, 8), INVARIANT_RO3, INVARIANT_ADDRESS, 3);
	match = ordered(place(1, 0x88, 8), place(2, 0x80, 1), INVARIANT_RO3, INVARIANT_DISTANCE, 3);
	assert_int_equal(match.because_count, 3);
	expect_reason(&match.because[0], INVARIANT_LOAD, 3);
	expect_reason(&match.because[1], INVARIANT_BRANCH, 4);
	expect_reason(&match.because[2], INVARIANT_GUARDED, 5);
	unordered(place(2, 0x80, 1), place(1, 0x88, 8));
	/* RA1: by bytes, and by the code that stores tokens */
	key = place(1, 0x8, 8);
	assert_false(invariants_guardian(inv, &key, &match));
	token = place(9, 0x0, 1);
	assert_true(invariants_guardian(inv, &token, &match));
	assert_int_equal(match.scope, INVARIANT_ADDRESS);
	assert_int_equal(match.seen, 3);
	expect_reason(&match.because[1], INVARIANT_BRANCH, 4);
	token = place(2, 0x4000, 1);
	assert_true(invariants_guardian(inv, &token, &match));
	assert_int_equal(match.scope, INVARIANT_SITES);
	assert_int_equal(match.rule, INVARIANT_RA1);
	assert_int_equal(match.seen, 3);
	assert_int_equal(invariants_figures(inv).ordering, 1);
	assert_int_equal(invariants_figures(inv).atomicity, 1);
	done();
}

/* A store that depends on the same place in two ways has two invariants, the more frequent first. */
static void test_two_rules(void **state)
{
	struct invariant_match matches[INVARIANT_ORDERINGS];

	start(state, "/bin/program");
	store(1, 0x0, 8, 0, 0);
	uint32_t x = label(read_of(3, 0x0, 8, 4));
	store(2, 0x40, 8, x, x);
	store(2, 0x40, 8, 0, x);
	infer();
	struct store_place a = place(9, 0x0, 8), c = place(9, 0x40, 8);
	assert_int_equal(invariants_orders(inv, &a, &c, matches), 2);
	assert_int_equal(matches[0].rule, INVARIANT_RO2);
	assert_int_equal(matches[0].seen, 2);
	assert_int_equal(matches[1].rule, INVARIANT_RO1);
	assert_int_equal(matches[1].seen, 1);
	done();
}

/* ---- bytes ---- */

/* Any common byte counts, and only common bytes. */
static void test_overlap(void **state)
{
	start(state, "/bin/program");
	store(1, 0x4, 4, 0, 0);
	store(2, 0x42, 2, label(read_of(3, 0x6, 2, 0)), 0);
	store(2, 0x1000, 64, label(read_of(3, 0xffc, 8, 0)), 0); /* it depends on itself, in part */
	infer();
	ordered(place(9, 0x0, 7), place(9, 0x43, 5), INVARIANT_RO1, INVARIANT_ADDRESS, 1);
	unordered(place(9, 0x0, 6), place(9, 0x43, 5));
	unordered(place(9, 0x8, 8), place(9, 0x43, 5));
	unordered(place(9, 0x0, 7), place(9, 0x44, 4));
	unordered(place(9, 0x0, 7), place(9, 0x40, 2));
	unordered(place(9, 0x0, 0x50), place(9, 0x40, 8)); /* one store, or two of the same bytes: no order */
	ordered(place(9, 0xff8, 8), place(9, 0x1038, 8), INVARIANT_RO1, INVARIANT_ADDRESS, 1);
	assert_int_equal(invariants_count(inv), 1);
	assert_int_equal(invariants_at(inv, 0)->distances[0], 0x3e); /* from the start of the stores */
	done();
}

/* Bytes of one word may have different writers, and a read all of them. */
static void test_writers(void **state)
{
	start(state, "/bin/program");
	store(1, 0x0, 8, 0, 0);
	store(2, 0x2, 2, 0, 0);
	store(3, 0x80, 8, label(read_of(9, 0x2, 1, 0)), 0);
	store(4, 0x80, 8, label(read_of(9, 0x0, 8, 0)), 0);
	store(5, 0x80, 8, label(read_of(9, 0x4, 4, 0)), 0);
	infer();
	assert_int_equal(invariants_count(inv), 4);
	unordered(place(1, 0x400, 8), place(3, 0x480, 8));
	ordered(place(2, 0x402, 2), place(3, 0x480, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	ordered(place(1, 0x400, 8), place(4, 0x480, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	ordered(place(2, 0x402, 2), place(4, 0x480, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	ordered(place(1, 0x400, 8), place(5, 0x480, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	unordered(place(2, 0x402, 2), place(5, 0x480, 8));
	done();
}

/* The writer is the one at the time of the access, though the access repeats. */
static void test_writer_changes(void **state)
{
	start(state, "/bin/program");
	uint32_t x = label(read_of(9, 0x0, 8, 0));

	store(3, 0x80, 8, x, 0); /* nobody has stored x yet */
	store(1, 0x0, 8, 0, 0);
	store(3, 0x80, 8, x, 0);
	store(3, 0x80, 8, x, 0);
	store(2, 0x0, 8, 0, 0);
	store(3, 0x80, 8, x, 0);
	builder_put(&b, BO_OP_FILE_WRITE, 1, 1, 0, BUILDER_P("12345678"), 8);
	store(3, 0x80, 8, x, 0); /* the kernel has */
	infer();
	ordered(place(9, 0x0, 8), place(9, 0x80, 8), INVARIANT_RO1, INVARIANT_ADDRESS, 5);
	ordered(place(1, 0x400, 8), place(3, 0x480, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 2);
	ordered(place(2, 0x400, 8), place(3, 0x480, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	assert_int_equal(invariants_count(inv), 2);
	done();
}

/* ---- lifting ---- */

/* A store never has to persist before itself, but an element of an array before the next. */
static void test_same_site(void **state)
{
	start(state, "/bin/program");
	store(1, 0x0, 8, 0, 0);
	store(1, 0x0, 8, label(read_of(2, 0x0, 8, 0)), 0);
	store(1, 0x40, 8, label(read_of(2, 0x0, 8, 0)), 0);
	store(3, 0x1000, 64, 0, 0);
	store(4, 0x1008, 8, label(read_of(2, 0x1000, 8, 0)), 0); /* into what the first of them has stored */
	infer();
	assert_int_equal(invariants_count(inv), 1);
	ordered(place(1, 0x400, 8), place(1, 0x440, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	unordered(place(1, 0x440, 8), place(1, 0x400, 8));
	done();
}

/* Different objects: the distance says nothing. */
static void test_anywhere(void **state)
{
	start(state, "/bin/program");
	store(1, 0x0, 8, 0, 0);
	store(2, 0x8000, 8, label(read_of(9, 0x0, 8, 0)), 0);
	for (uint32_t i = 0; i < INVARIANT_DISTANCES + 1; i++)
		store(3, 0x100 + 8 * i, 8, label(read_of(9, 0x0, 8, 0)), 0);
	for (uint32_t i = 0; i < INVARIANT_DISTANCES; i++)
		store(4, 0x200 + 8 * i, 8, label(read_of(9, 0x0, 8, 0)), 0);
	infer();
	ordered(place(1, 0x10000, 8), place(2, 0x40, 8), INVARIANT_RO1, INVARIANT_SITES, 1);
	ordered(place(1, 0x10000, 8), place(3, 0x40, 8), INVARIANT_RO1, INVARIANT_SITES, 9);
	ordered(place(1, 0x10000, 8), place(3, 0x10100, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 9);
	unordered(place(1, 0x10000, 8), place(4, 0x40, 8));
	ordered(place(1, 0x10000, 8), place(4, 0x10238, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 8);
	done();
}

/* memcpy stores for its caller, whichever of its instructions does; an allocator is told apart from its caller. */
static void test_libraries(void **state)
{
	start(state, "/bin/program");
	store(COPY + 1, 0x0, 8, 0, 0);
	store(2, 0x40, 8, label(read_of(COPY + 3, 0x0, 8, 0)), 0);
	store(2 * COPY + 5, 0x100, 8, 0, 0);
	store(2, 0x140, 8, label(read_of(3, 0x100, 8, 0)), 0);
	infer();
	ordered(place(1, 0x400, 8), place(2, 0x440, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	unordered(place(COPY + 2, 0x400, 8), place(2, 0x440, 8));
	ordered(place(2 * COPY + 5, 0x400, 8), place(2, 0x440, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	unordered(place(2 * COPY + 4, 0x400, 8), place(2, 0x440, 8));
	unordered(place(5, 0x400, 8), place(2, 0x440, 8));
	const struct invariant *copied = invariants_at(inv, 0);
	assert_true(copied->first.caller);
	assert_int_equal(copied->first.offset, 0x10);
	assert_int_equal(copied->first.context, COPY + 1);
	assert_false(copied->second.caller);
	done();
}

/* A small function stores for its callers: they are told apart.  But if nobody has read what one of them stored, the
 * function is what counts. */
static void test_helper(void **state)
{
	struct invariant_match match;

	start(state, "/bin/program");
	store(SET + 1, 0x0, 8, 0, 0);
	store(SET + 2, 0x40, 8, label(read_of(3, 0x0, 8, 0)), 0);
	store(SET + 4, 0x80, 1, 0, 0);
	load(5, 0x0, 8, 0, label(read_of(3, 0x80, 1, 6)));
	infer();
	match = ordered(place(SET + 1, 0x400, 8), place(SET + 2, 0x440, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	assert_int_equal(match.lifted->first.offset, 0x999);
	assert_int_equal(match.lifted->first.from_offset, 0x10);
	assert_ptr_equal(match.lifted->first.from, match.lifted->first.module);
	ordered(place(SET + 1, 0x400, 8), place(SET + 4, 0x480, 1), INVARIANT_RO3, INVARIANT_DISTANCE, 1);
	unordered(place(SET + 2, 0x400, 8), place(SET + 1, 0x440, 8));
	unordered(place(SET + 1, 0x400, 8), place(SET + 4, 0x440, 8));
	ordered(place(SET + 8, 0x400, 8), place(SET + 9, 0x440, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	ordered(place(SET + 1, 0x400, 8), place(SET + 9, 0x440, 8), INVARIANT_RO1, INVARIANT_DISTANCE, 1);
	unordered(place(SET + 8, 0x400, 8), place(SET + 9, 0x448, 8));
	struct store_place token = place(SET + 4, 0x4000, 8), other = place(SET + 1, 0x4000, 8);
	struct store_place unread = place(SET + 9, 0x4000, 8);
	assert_true(invariants_guardian(inv, &token, &match));
	assert_false(invariants_guardian(inv, &other, &match));
	assert_true(invariants_guardian(inv, &unread, &match));
	assert_int_equal(invariants_count(inv), 3);
	done();
}

/* Of a label that is not complete, the reads that are listed count. */
static void test_many(void **state)
{
	uint32_t of[2];

	start(state, "/bin/program");
	of[0] = read_of(3, 0x0, 8, 0);
	read_of(3, 0x8, 8, 0);
	of[1] = read_of(3, 0x10, 8, 0);
	store(2, 0x40, 8, label_flags(BO_LABEL_MANY, of, 2), 0);
	infer();
	ordered(place(9, 0x0, 8), place(9, 0x40, 8), INVARIANT_RO1, INVARIANT_ADDRESS, 1);
	unordered(place(9, 0x8, 8), place(9, 0x40, 8));
	ordered(place(9, 0x10, 8), place(9, 0x40, 8), INVARIANT_RO1, INVARIANT_ADDRESS, 1);
	assert_int_equal(invariants_figures(inv).many, 1);
	assert_int_equal(invariants_figures(inv).labels, 1);
	assert_int_equal(invariants_figures(inv).reads, 2);
	done();
}

/* More different accesses than are remembered at a time: nothing is lost, and nothing is counted twice. */
static void test_counts(void **state)
{
	enum { PLACES = 40000 };

	start(state, "/bin/program");
	for (uint32_t i = 0; i < PLACES; i++) {
		store(1 + i % 2, 8 * i, 8, 0, 0);
		label(read_of(9, 8 * i, 8, 0));
		if (i % 1000 == 999)
			builder_end(&b, BO_CHUNK_RAW);
	}
	for (uint32_t i = 0; i < 2 * PLACES; i++)
		store(3, POOL_BYTES - 8, 8, 1 + i % PLACES, 0);
	infer();
	assert_int_equal(invariants_count(inv), 2);
	assert_int_equal(invariants_at(inv, 0)->seen, PLACES);
	assert_int_equal(invariants_at(inv, 1)->seen, PLACES);
	done();
}

/* ---- recordings ---- */

/* Recovery is recorded apart: its loads guard what the program has stored; the same code is the same site. */
static void test_recovery(void **state)
{
	struct invariant_match match;
	struct trace *first;

	start(state, "/bin/program");
	store(1, 0x8, 8, 0, 0);
	store(2, 0x0, 1, 0, 0);
	infer();
	unordered(place(1, 0x8, 8), place(2, 0x0, 1));
	first = trace;
	start(state, "/bin/check");
	load(5, 0x8, 8, 0, label(read_of(3, 0x0, 1, 4)));
	feed();
	trace_close(trace);
	trace = first;
	invariants_begin(inv, trace);
	ordered(place(9, 0x8, 8), place(9, 0x0, 1), INVARIANT_RO3, INVARIANT_ADDRESS, 1);
	match = ordered(place(1, 0x408, 8), place(2, 0x400, 1), INVARIANT_RO3, INVARIANT_DISTANCE, 1);
	assert_int_equal(match.lifted->first.recording, 0);
	assert_string_equal(match.lifted->first.module->path, "/bin/program");
	assert_int_equal(match.because[0].code.recording, 1);
	assert_string_equal(match.because[0].code.module->path, "/bin/check");
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_data),           scratch_test(test_control),   scratch_test(test_guarded_read),
		scratch_test(test_two_rules),      scratch_test(test_overlap),   scratch_test(test_writers),
		scratch_test(test_writer_changes), scratch_test(test_same_site), scratch_test(test_anywhere),
		scratch_test(test_libraries),      scratch_test(test_helper),    scratch_test(test_many),
		scratch_test(test_counts),         scratch_test(test_recovery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
