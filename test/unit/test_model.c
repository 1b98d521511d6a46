/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_model.c - the sets of units that may be on media, on programs whose answers were found by hand: their number
 * over all crash points, and after the last event.  The programs are texts: see model_text.h. */
#include "model_sets.h"
#include "model_text.h"

#include <string.h>

static void on_persist(void *arg, const struct event *by, const struct unit *unit)
{
	(void)by;
	run_certain(arg, unit);
}

/* Check the number of sets over all crash points, and after the last event. */
static void expect_sets(const char *platform, const char *layout, const char *text, size_t everywhere, size_t last)
{
	static const struct model_observer observer = {.persist = on_persist};
	struct run *r = run_start(platform, MODEL_STATES, layout, &observer);

	run_text(r, text, true);
	if (r->union_count != everywhere || r->point_count != last)
		fail_msg("%s, %s: %zu sets, not %zu; %zu at the end, not %zu", platform, text, r->union_count,
			 everywhere, r->point_count, last);
	run_free(r);
}

/* The table of the design, literally. */
static void table(void **state)
{
	(void)state;
	expect_sets("adr", "", "A B C clwb:A clwb:B clwb:C sfence", 8, 1);
	expect_sets("adr", "AB|C", "A B C clwb:A clwb:C sfence", 6, 1);
	expect_sets("adr", "ABC", "A B C clwb:A sfence", 4, 1);
	expect_sets("adr", "", "A clflush:A B clflush:B C clflush:C", 4, 4);
	expect_sets("adr", "", "A clwb:A B clwb:B C clwb:C sfence", 8, 1);
	expect_sets("adr", "", "A clwb:A sfence B clwb:B sfence C clwb:C sfence", 4, 1);
	expect_sets("adr", "", "A B clflush:A C clwb:B clwb:C sfence", 6, 1);
	expect_sets("adr", "", "A B clwb:B sfence C clwb:C sfence", 6, 2);
	expect_sets("adr", "", "nt:A nt:B sfence C clwb:C sfence", 5, 1);
	expect_sets("adr", "", "A clwb:A locked B clwb:B sfence", 3, 1);
	expect_sets("adr", "AD", "A clwb:A D sfence", 3, 2);
}

static void adr_lines(void **state)
{
	(void)state;
	/* Written back at any time without a flush; both versions of A are pending, in sequence. */
	expect_sets("adr", "", "A", 2, 2);
	expect_sets("adr", "", "A A", 3, 3);
	expect_sets("adr", "", "A A A clwb:A sfence", 4, 1);
	expect_sets("adr", "AB", "A B A B", 5, 5);
	/* A flush may name any byte of its line. */
	expect_sets("adr", "AB", "A clwb:B sfence", 2, 1);
	/* Flush, store, flush, fence: both; flush, store, fence: the first. */
	expect_sets("adr", "AB", "A clwb:A B clwb:A sfence", 3, 1);
	expect_sets("adr", "AB", "A clwb:A B sfence", 3, 2);
	/* A fence before the flush does nothing. */
	expect_sets("adr", "", "A sfence clwb:A", 2, 2);
	expect_sets("adr", "", "A sfence clwb:A mfence", 2, 1);
	/* Flushes of other lines do nothing. */
	expect_sets("adr", "A|B", "A clwb:B sfence", 2, 2);
	expect_sets("adr", "A", "A clwb:- sfence", 2, 2);
	expect_sets("adr", "", "A clflushopt:A sfence", 2, 1);
}

static void adr_threads(void **state)
{
	(void)state;
	/* Another thread's fence covers nothing. */
	expect_sets("adr", "", "A clwb:A @2 sfence", 2, 2);
	expect_sets("adr", "", "A clwb:A @2 sfence @1 sfence", 2, 1);
	/* Another thread's flush covers my stores; the fence must be that thread's. */
	expect_sets("adr", "", "A @2 clwb:A sfence", 2, 1);
	expect_sets("adr", "", "A @2 clwb:A @1 sfence", 2, 2);
	/* Both flush the line; each covers what was there at that time. */
	expect_sets("adr", "AB", "A clwb:A B @2 clwb:A @1 sfence", 3, 2);
	expect_sets("adr", "AB", "A clwb:A B @2 clwb:A sfence", 3, 1);
	expect_sets("adr", "AB", "A clwb:A @2 clwb:A @1 B sfence @2 sfence", 3, 2);
	/* A thread that ends has fenced nothing. */
	expect_sets("adr", "", "@2 A clwb:A exit:2 @1 sfence", 2, 2);
	expect_sets("adr", "", "@2 A clwb:A exit:2 sfence", 2, 2);
}

static void adr_clflush(void **state)
{
	(void)state;
	/* Nothing later: not certain.  The fence of its own thread completes it, another thread's does not. */
	expect_sets("adr", "", "A clflush:A", 2, 2);
	expect_sets("adr", "", "A clflush:A sfence", 2, 1);
	expect_sets("adr", "", "A clflush:A @2 sfence", 2, 2);
	/* Earlier stores are not affected. */
	expect_sets("adr", "", "A B clflush:A", 4, 4);
	/* Later stores of any kind: by another thread, non-temporal, written. */
	expect_sets("adr", "", "A clflush:A @2 B", 3, 3);
	expect_sets("adr", "", "A clflush:A nt:B", 3, 3);
	expect_sets("adr", "", "A clflush:A write:B", 3, 3);
	/* Later on its own line. */
	expect_sets("adr", "AB", "A clflush:A B", 3, 3);
	/* When the later store is certain, so is the earlier one, through any number of steps. */
	expect_sets("adr", "", "A clflush:A @2 B clwb:B sfence", 3, 1);
	expect_sets("adr", "", "A clflush:A B clflush:B @2 C clwb:C sfence", 4, 1);
	expect_sets("adr", "", "A clflush:A @2 nt:B sfence", 3, 1);
	expect_sets("adr", "A||B", "A clflush:A write:B msync:B", 3, 1);
	/* But not later stores on its line. */
	expect_sets("adr", "AC", "A clflush:A C @2 B clwb:B sfence", 5, 2);
	/* It completes no other flush. */
	expect_sets("adr", "", "A clwb:A B clflush:B", 4, 4);
	expect_sets("adr", "", "A clwb:A B clflush:B @2 C clwb:C sfence", 6, 2);
	/* Twice has the same effect as once; a second CLFLUSH covers the stores between. */
	expect_sets("adr", "", "A clflush:A clflush:A B", 3, 3);
	expect_sets("adr", "AB", "A clflush:A B clflush:A C", 4, 4);
	/* A CLFLUSH that covers nothing has no effect. */
	expect_sets("adr", "", "clflush:A A B", 4, 4);
}

static void adr_nontemporal(void **state)
{
	(void)state;
	expect_sets("adr", "", "nt:A", 2, 2);
	expect_sets("adr", "AB", "nt:A nt:B", 4, 4);
	expect_sets("adr", "", "nt:A nt:A", 4, 4);
	expect_sets("adr", "", "nt:A clwb:A", 2, 2);
	expect_sets("adr", "", "nt:A sfence", 2, 1);
	expect_sets("adr", "", "nt:A @2 sfence", 2, 2);
	/* On a line with cached stores it depends on none of them. */
	expect_sets("adr", "AB", "A nt:B", 4, 4);
	expect_sets("adr", "AB", "A nt:B sfence", 4, 2);
	expect_sets("adr", "AB", "nt:A B clwb:A", 4, 4);
	expect_sets("adr", "AB", "nt:A B clwb:A sfence", 4, 1);
}

static void adr_tearing(void **state)
{
	(void)state;
	expect_sets("adr", "AB", "wide:A", 4, 4);
	expect_sets("adr", "AB", "wide:A clwb:A sfence", 4, 1);
	expect_sets("adr", "AB", "half:A", 4, 4);
	expect_sets("adr", "AB", "rep:A", 4, 4);
	expect_sets("adr", "AB", "ntwide:A", 4, 4);
	/* A later store on the line needs all of the torn one: 4 states of it, and one more. */
	expect_sets("adr", "ABC", "wide:A C", 5, 5);
	expect_sets("adr", "ABC", "C wide:A", 5, 5);
	/* Two lines: each half needs its own flush. */
	expect_sets("adr", "A|B", "cross:A", 4, 4);
	expect_sets("adr", "A|B", "cross:A clwb:A sfence", 4, 2);
	expect_sets("adr", "A|B", "cross:A clwb:A clwb:B sfence", 4, 1);
	/* A byte is a unit; two stores to a word are two units. */
	expect_sets("adr", "", "byte:A byte:A", 3, 3);
}

static void adr_silent(void **state)
{
	(void)state;
	expect_sets("adr", "", "A=0", 1, 1);
	expect_sets("adr", "", "A=1 A=1", 2, 2);
	expect_sets("adr", "", "A=1 A=2 A=1", 4, 4);
	expect_sets("adr", "", "A=1 clwb:A A=1 sfence", 2, 1);
	/* One half is unchanged. */
	expect_sets("adr", "AB", "B=1 clwb:B sfence wide:A=1", 3, 2);
	/* A store of the same value is not silent if it will be certain although the first one is not. */
	expect_sets("adr", "", "A=1 nt:A=1 sfence", 4, 2);
	expect_sets("adr", "", "nt:A=1 @2 nt:A=1 sfence", 4, 2);
	expect_sets("adr", "", "nt:A=1 nt:A=1", 2, 2);
	expect_sets("adr", "", "write:A=1 A=1 clwb:A sfence", 4, 2);
}

static void adr_locked(void **state)
{
	(void)state;
	/* The fence comes before the store. */
	expect_sets("adr", "", "A clwb:A lock:B", 3, 2);
	expect_sets("adr", "", "nt:A lock:B", 3, 2);
	expect_sets("adr", "AB", "A clwb:A lock:B", 3, 2);
	expect_sets("adr", "", "lock:A clwb:A locked", 2, 1);
	expect_sets("adr", "", "lock:A lock:A", 3, 3);
	expect_sets("adr", "", "sys:A clwb:A mfence", 2, 1);
}

static void adr_sync(void **state)
{
	(void)state;
	expect_sets("adr", "", "A msync", 2, 1);
	expect_sets("adr", "", "A nt:B write:C fsync", 8, 1);
	expect_sets("adr", "", "A nt:B write:C fdatasync", 8, 1);
	expect_sets("adr", "", "A sync", 2, 1);
	expect_sets("adr", "", "A syncfs", 2, 1);
	expect_sets("adr", "", "A async", 2, 2);
	expect_sets("adr", "", "A sync_file_range", 2, 2);
	expect_sets("adr", "A||B", "A B msync:B", 4, 2);
	/* Written data: flushes and fences have no effect. */
	expect_sets("adr", "", "write:A", 2, 2);
	expect_sets("adr", "", "write:A=0", 1, 1);
	expect_sets("adr", "", "write:A clwb:A sfence", 2, 2);
	expect_sets("adr", "AB", "write:A write:B", 4, 4);
	/* Unmapping and the end persist nothing. */
	expect_sets("adr", "", "map A unmap", 2, 2);
	/* Units hidden by later ones are synchronized too. */
	expect_sets("adr", "", "nt:A nt:A msync", 4, 1);
}

static void adr_files(void **state)
{
	(void)state;
	expect_sets("adr", "A|B", "A B truncate:B", 4, 2);
	expect_sets("adr", "A|B", "A truncate:A", 2, 1);
	/* The bytes are zero again: storing zeros is silent. */
	expect_sets("adr", "A|B", "A truncate:A truncate:B A=0", 2, 1);
	/* A store beyond the end has no effect. */
	expect_sets("adr", "A|B", "truncate:A B", 1, 1);
	expect_sets("adr", "AB", "A B punch:A", 4, 2);
	expect_sets("adr", "AB", "A B punch:A A=0", 4, 2);
	/* What a unit made certain before it was cut off stays certain. */
	expect_sets("adr", "A|B", "A clflush:A @2 B clwb:B sfence truncate:B", 3, 1);
}

static void eadr_sets(void **state)
{
	(void)state;
	expect_sets("eadr", "", "A", 2, 1);
	expect_sets("eadr", "", "A B C", 4, 1);
	expect_sets("eadr", "AB", "B A", 3, 1);
	expect_sets("eadr", "", "A clwb:A sfence", 2, 1);
	expect_sets("eadr", "", "A clflush:A B", 3, 1);
	expect_sets("eadr", "", "A @2 B @1 C", 4, 1);
	/* Only the store being executed tears. */
	expect_sets("eadr", "AB", "wide:A", 4, 4);
	expect_sets("eadr", "AB", "wide:A load", 4, 1);
	expect_sets("eadr", "ABC", "wide:A C", 5, 1);
	expect_sets("eadr", "AB", "wide:A wide:A", 7, 4);
	expect_sets("eadr", "A|B", "cross:A C", 5, 1);
	expect_sets("eadr", "AB", "B=1 wide:A=1", 3, 1);
	/* Non-temporal stores still need a fence of their thread. */
	expect_sets("eadr", "", "nt:A", 2, 2);
	expect_sets("eadr", "", "nt:A B", 4, 2);
	expect_sets("eadr", "", "nt:A sfence B", 3, 1);
	expect_sets("eadr", "", "nt:A @2 sfence", 2, 2);
	expect_sets("eadr", "", "nt:A lock:B", 3, 1);
	expect_sets("eadr", "", "nt:A clwb:A", 2, 2);
	/* Written data, and synchronization. */
	expect_sets("eadr", "", "write:A sfence", 2, 2);
	expect_sets("eadr", "", "write:A msync", 2, 1);
	expect_sets("eadr", "", "A=0", 1, 1);
}

/* Numbers far too large to enumerate. */
static void counts(void **state)
{
	struct run *r = run_start("adr", MODEL_STATES, "", NULL);
	uint8_t bytes[64];
	mpz_t count, expected;

	(void)state;
	memset(bytes, 7, sizeof(bytes));
	for (unsigned i = 0; i < 512; i++) {
		struct event ev = {
			.type = EVENT_STORE, .file = 1, .offset = i * 64, .size = 64, .data = bytes, .thread = 1};

		model_apply(r->model, &ev);
	}
	mpz_init(count);
	mpz_init(expected);
	model_count(r->model, count);
	mpz_ui_pow_ui(expected, 256, 512);
	assert_int_equal(mpz_cmp(count, expected), 0);
	/* Ordered before anything later: with the later store, all units must be there, which is one more state;
	 * without it, the 512 lines may have any state. */
	for (unsigned i = 0; i < 512; i++) {
		struct event ev = {.type = EVENT_CLFLUSH, .file = 1, .offset = i * 64, .thread = 1};

		model_apply(r->model, &ev);
	}
	run_text(r, "P", false);
	model_count(r->model, count);
	mpz_add_ui(expected, expected, 1);
	assert_int_equal(mpz_cmp(count, expected), 0);
	run_text(r, "@1 sfence", false);
	model_count(r->model, count);
	assert_int_equal(mpz_cmp_ui(count, 2), 0);
	mpz_clear(count);
	mpz_clear(expected);
	run_free(r);
}

static bool stop_at_three(void *arg, const bool *persisted, size_t count)
{
	(void)persisted, (void)count;
	return ++*(unsigned *)arg < 3;
}

static void enumeration_stops(void **state)
{
	struct run *r = run_start("adr", MODEL_STATES, "", NULL);
	unsigned visits = 0;

	(void)state;
	run_text(r, "A B C", false);
	assert_false(model_enumerate(r->model, stop_at_three, &visits));
	assert_int_equal(visits, 3);
	run_free(r);
}

static void lines_are_counted(void **state)
{
	struct run *r = run_start("adr", MODEL_STATES, "ABCDE", NULL);
	struct line_state s;

	(void)state;
	run_text(r, "A clflush:A B clwb:A C nt:D write:E", false);
	model_line(r->model, 1, 20, &s);
	assert_int_equal(s.ordered, 1);
	assert_int_equal(s.flushed, 1);
	assert_int_equal(s.bare, 1);
	assert_int_equal(s.direct, 1);
	assert_int_equal(s.written, 1);
	model_line(r->model, 1, 64, &s);
	assert_int_equal(s.bare + s.flushed + s.ordered + s.direct + s.written, 0);
	model_line(r->model, 7, 64, &s);
	assert_int_equal(s.bare, 0);
	run_free(r);
}

/* The same few bytes stored repeatedly without a fence: only MODEL_VISIBLE can handle that. */
static void visible_is_bounded(void **state)
{
	static const char *const texts[] = {"A B", "A clflush:A B clflush:A", "nt:A nt:B", "A clwb:A @2 clwb:A B @1",
					    "lock:A"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct run *r = run_start("adr", MODEL_VISIBLE, "ABC", NULL);

		run_text(r, "C clflush:C", false);
		for (unsigned times = 0; times < 1000; times++)
			run_text(r, texts[i], false);
		assert_in_range(model_pending_count(r->model), 1, 3);
		run_free(r);
	}
}

static void platforms_are_named(void **state)
{
	(void)state;
	assert_string_equal(platform_name(platform_at(0)), "adr");
	assert_string_equal(platform_name(platform_at(1)), "eadr");
	assert_null(platform_at(2));
	assert_null(platform_find("cxl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(adr_lines),
		cmocka_unit_test(adr_threads),
		cmocka_unit_test(adr_clflush),
		cmocka_unit_test(adr_nontemporal),
		cmocka_unit_test(adr_tearing),
		cmocka_unit_test(adr_silent),
		cmocka_unit_test(adr_locked),
		cmocka_unit_test(adr_sync),
		cmocka_unit_test(adr_files),
		cmocka_unit_test(eadr_sets),
		cmocka_unit_test(counts),
		cmocka_unit_test(enumeration_stops),
		cmocka_unit_test(lines_are_counted),
		cmocka_unit_test(visible_is_bounded),
		cmocka_unit_test(platforms_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
