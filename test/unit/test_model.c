/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_model.c - the model on programs whose answers were found by hand.
 *
 * A program is a text, one event after the other:
 *
 *     A B C          store the next value to object A, B, C: 8 bytes; "AB|C" beside the program tells that A and B share a line
 *     A=1            store that value
 *     nt:A lock:A    store it in another way; rep:A and sys:A too
 *     wide:A         16 bytes, A and the next object of its line;  half:A: 8 bytes, the second half of A and the first of the next
 *     cross:A        8 bytes, the last 4 of A's line and the first 4 of the next
 *     clwb:A clflushopt:A clflush:A            clwb:-  flushes volatile memory
 *     sfence mfence locked
 *     @2             what follows is done by thread 2
 *     write:A fsync fdatasync sync sync_file_range msync msync:B async      msync of all, or of the page of B
 *     truncate:A     the file ends before A;   punch:A  A is zero
 *     map mapagain private unmap unlink collapse exit:2 load
 *
 * Tested here: the number of sets over all crash points, after the last event, and what the observer is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/model.h"

#define OBJECTS 16u
#define UNITS 24u
#define FILE_SIZE 65536u
#define LOG 4096u

/* Running a text */

struct run {
	struct model *model;
	const char *layout;
	uint64_t offset[OBJECTS]; /* of A, B, ... */
	uint8_t value[OBJECTS];   /* last stored */
	uint32_t thread;
	uint8_t data[16];
	char log[LOG]; /* what the observer heard */

	/* Units by (event, word), as bits of the sets. */
	struct {
		uint64_t event, word;
	} units[UNITS];
	unsigned unit_count;
	uint32_t certain;
	uint8_t ever[(1u << UNITS) / 8];
	size_t union_count, point_count;
};

/* "AB|C": A and B at 0 and 8 of line 0, C at 0 of line 1.  "AB||C": C is one page further.  What is not named has lines of its own. */
static void layout_apply(struct run *r)
{
	uint64_t line = 0, within = 0;

	memset(r->offset, 0xff, sizeof(r->offset));
	for (const char *p = r->layout; *p; p++) {
		if (p[0] == '|') {
			line += p[1] == '|' ? 64 : 1;
			p += p[1] == '|';
			within = 0;
		} else {
			r->offset[*p - 'A'] = line * 64 + within;
			within += 8;
		}
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (r->offset[i] == UINT64_MAX)
			r->offset[i] = (200 + i) * 64;
	}
}

static uint32_t unit_bit(struct run *r, const struct unit *unit)
{
	unsigned i = 0;

	while (i < r->unit_count && (r->units[i].event != unit->event || r->units[i].word != unit->offset / 8))
		i++;
	if (i == r->unit_count) {
		assert_true(i < UNITS);
		r->units[i].event = unit->event;
		r->units[i].word = unit->offset / 8;
		r->unit_count++;
	}
	return UINT32_C(1) << i;
}

static bool visit(void *arg, const bool *persisted, size_t count)
{
	struct run *r = arg;
	uint32_t set = r->certain;
	size_t pending;
	const struct unit *const *units = model_pending(r->model, &pending);

	assert_int_equal(count, pending);
	for (size_t i = 0; i < count; i++)
		set |= persisted[i] ? unit_bit(r, units[i]) : 0;
	r->point_count++;
	if (!(r->ever[set / 8] >> set % 8 & 1))
		r->union_count++;
	r->ever[set / 8] |= (uint8_t)(1u << set % 8);
	return true;
}

static void crash(struct run *r)
{
	mpz_t count;

	r->point_count = 0;
	assert_true(model_enumerate(r->model, visit, r));
	mpz_init(count);
	model_count(r->model, count);
	assert_int_equal(mpz_get_ui(count), r->point_count);
	mpz_clear(count);
}

static void apply(struct run *r, struct event *ev)
{
	ev->thread = ev->thread ? ev->thread : r->thread;
	model_apply(r->model, ev);
}

static struct event store_event(struct run *r, const char *object, unsigned into, unsigned size,
				enum bo_store_kind kind)
{
	unsigned which = (unsigned)(*object - 'A');

	r->value[which] = object[1] == '=' ? (uint8_t)atoi(object + 2) : (uint8_t)(r->value[which] + 1);
	memset(r->data, r->value[which], sizeof(r->data));
	return (struct event){.type = EVENT_STORE,
			      .kind = kind,
			      .file = 1,
			      .offset = r->offset[which] + into,
			      .size = size,
			      .data = r->data,
			      .unit = kind == BO_STORE_STRING ? 1 : 0,
			      .context = which + 1};
}

static bool run_store(struct run *r, const char *verb, const char *object)
{
	static const struct {
		const char *verb;
		unsigned into, size;
		enum bo_store_kind kind;
	} verbs[] = {
		{"", 0, 8, BO_STORE_PLAIN},      {"nt", 0, 8, BO_STORE_NONTEMPORAL},
		{"lock", 0, 8, BO_STORE_LOCKED}, {"rep", 0, 16, BO_STORE_STRING},
		{"sys", 0, 8, BO_STORE_KERNEL},  {"wide", 0, 16, BO_STORE_PLAIN},
		{"half", 4, 8, BO_STORE_PLAIN},  {"cross", 60, 8, BO_STORE_PLAIN},
		{"byte", 0, 1, BO_STORE_PLAIN},  {"ntwide", 0, 16, BO_STORE_NONTEMPORAL},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		struct event ev;

		if (strcmp(verbs[i].verb, verb))
			continue;
		ev = store_event(r, object, verbs[i].into, verbs[i].size, verbs[i].kind);
		apply(r, &ev);
		return true;
	}
	return false;
}

static bool run_flush(struct run *r, const char *verb, const char *object)
{
	struct event ev = {.context = 100};

	if (!strcmp(verb, "clwb"))
		ev.type = EVENT_CLWB;
	else if (!strcmp(verb, "clflushopt"))
		ev.type = EVENT_CLFLUSHOPT;
	else if (!strcmp(verb, "clflush"))
		ev.type = EVENT_CLFLUSH;
	else
		return false;
	if (*object != '-') {
		ev.file = 1;
		ev.offset = r->offset[*object - 'A'] + 3; /* anywhere in the line */
		ev.context = 100 + (uint32_t)(*object - 'A') + 1;
	}
	apply(r, &ev);
	return true;
}

static bool run_file(struct run *r, const char *verb, const char *object)
{
	uint64_t offset = *object ? r->offset[*object - 'A'] : 0;
	struct event ev = {.file = 1, .offset = offset};

	if (!strcmp(verb, "write")) {
		ev = store_event(r, object, 0, 8, BO_STORE_PLAIN);
		ev.type = EVENT_FILE_WRITE;
	} else if (!strcmp(verb, "truncate")) {
		ev.type = EVENT_FILE_TRUNCATE;
		ev.size = offset;
	} else if (!strcmp(verb, "punch")) {
		ev.type = EVENT_FILE_ALLOCATE;
		ev.flags = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
		ev.size = 8;
	} else if (!strcmp(verb, "msync") || !strcmp(verb, "async")) {
		ev.type = EVENT_MSYNC;
		ev.flags = *verb == 'm' ? MS_SYNC : MS_ASYNC;
		ev.offset = offset & ~(uint64_t)4095;
		ev.size = *object ? 4096 : FILE_SIZE;
	} else {
		return false;
	}
	apply(r, &ev);
	return true;
}

static bool run_plain(struct run *r, const char *verb)
{
	static const struct {
		const char *verb;
		struct event ev;
	} verbs[] = {
		{"sfence", {.type = EVENT_SFENCE, .context = 200}},
		{"mfence", {.type = EVENT_MFENCE, .context = 200}},
		{"locked", {.type = EVENT_LOCKED, .context = 200}},
		{"fsync", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_FSYNC}},
		{"fdatasync", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_FDATASYNC}},
		{"sync", {.type = EVENT_FILE_SYNC, .file = 0, .flags = BO_SYNC_SYNC}},
		{"syncfs", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_SYNCFS}},
		{"sync_file_range", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_SYNC_FILE_RANGE}},
		{"load", {.type = EVENT_LOAD, .file = 1, .size = 8}},
		{"map", {.type = EVENT_MAP, .file = 1, .addr = 0x100000, .size = FILE_SIZE, .flags = MAP_SHARED}},
		{"unmap", {.type = EVENT_UNMAP, .file = 1, .addr = 0x100000, .size = FILE_SIZE}},
		{"mapagain", {.type = EVENT_MAP, .file = 1, .addr = 0x900000, .size = FILE_SIZE, .flags = MAP_SHARED}},
		{"private", {.type = EVENT_MAP, .file = 1, .addr = 0x100000, .size = FILE_SIZE, .flags = MAP_PRIVATE}},
		{"collapse", {.type = EVENT_FILE_ALLOCATE, .file = 1, .size = 4096, .flags = FALLOC_FL_COLLAPSE_RANGE}},
		{"unlink", {.type = EVENT_FILE_UNLINK, .file = 1}},
		{"exit:2", {.type = EVENT_THREAD_EXIT, .thread = 2}},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		struct event ev = verbs[i].ev;

		if (strcmp(verbs[i].verb, verb))
			continue;
		apply(r, &ev);
		return true;
	}
	return false;
}

static void run_word(struct run *r, char *word)
{
	char *colon = strchr(word, ':');
	bool done;

	if (*word == '@') {
		r->thread = (uint32_t)atoi(word + 1);
		return;
	}
	done = run_plain(r, word);
	if (!done && *word >= 'A' && *word <= 'Z')
		done = run_store(r, "", word);
	if (!done && colon)
		*colon++ = 0;
	done = done || (colon && (run_store(r, word, colon) || run_flush(r, word, colon))) ||
	       run_file(r, word, colon ? colon : "");
	if (!done)
		fail_msg("no such event: %s", word);
}

static struct run *run_start(const char *platform, enum model_depth depth, const char *layout,
			     const struct model_observer *observer)
{
	struct run *r = calloc(1, sizeof(*r));
	struct event file = {.type = EVENT_FILE, .file = 1, .size = FILE_SIZE, .path = "/pm/file"};

	r->layout = layout;
	r->thread = 1;
	layout_apply(r);
	r->model = model_new(platform_find(platform), depth, observer, r);
	model_apply(r->model, &file);
	return r;
}

static void run_text(struct run *r, const char *text, bool crashes)
{
	char *copy = strdup(text), *rest = copy, *word;

	if (crashes)
		crash(r);
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		run_word(r, word);
		if (crashes)
			crash(r);
	}
	free(copy);
}

static void run_free(struct run *r)
{
	model_free(r->model);
	free(r);
}

static void on_persist(void *arg, const struct event *by, const struct unit *unit)
{
	(void)by;
	((struct run *)arg)->certain |= unit_bit(arg, unit);
}

/* Sets over all crash points, and after the last event. */
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
	/* Written back at any time without a flush; both versions of A are pending, in their order. */
	expect_sets("adr", "", "A", 2, 2);
	expect_sets("adr", "", "A A", 3, 3);
	expect_sets("adr", "", "A A A clwb:A sfence", 4, 1);
	expect_sets("adr", "AB", "A B A B", 5, 5);
	/* A flush names any byte of its line. */
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
	/* Another thread's flush covers what I stored; its fence is what counts. */
	expect_sets("adr", "", "A @2 clwb:A sfence", 2, 1);
	expect_sets("adr", "", "A @2 clwb:A @1 sfence", 2, 2);
	/* Both flush the line; each covers what was there at its moment. */
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
	/* Nothing later: not certain; the fence of its thread completes it, another's does not. */
	expect_sets("adr", "", "A clflush:A", 2, 2);
	expect_sets("adr", "", "A clflush:A sfence", 2, 1);
	expect_sets("adr", "", "A clflush:A @2 sfence", 2, 2);
	/* What was stored before it is not bound. */
	expect_sets("adr", "", "A B clflush:A", 4, 4);
	/* Anything later: by another thread, non-temporal, written. */
	expect_sets("adr", "", "A clflush:A @2 B", 3, 3);
	expect_sets("adr", "", "A clflush:A nt:B", 3, 3);
	expect_sets("adr", "", "A clflush:A write:B", 3, 3);
	/* Later on its own line. */
	expect_sets("adr", "AB", "A clflush:A B", 3, 3);
	/* When the later one is certain, so is it: through any number of steps. */
	expect_sets("adr", "", "A clflush:A @2 B clwb:B sfence", 3, 1);
	expect_sets("adr", "", "A clflush:A B clflush:B @2 C clwb:C sfence", 4, 1);
	expect_sets("adr", "", "A clflush:A @2 nt:B sfence", 3, 1);
	expect_sets("adr", "A||B", "A clflush:A write:B msync:B", 3, 1);
	/* But not what was stored after it on its line. */
	expect_sets("adr", "AC", "A clflush:A C @2 B clwb:B sfence", 5, 2);
	/* It completes no other flush. */
	expect_sets("adr", "", "A clwb:A B clflush:B", 4, 4);
	expect_sets("adr", "", "A clwb:A B clflush:B @2 C clwb:C sfence", 6, 2);
	/* Twice is as good as once; a second one covers what came between. */
	expect_sets("adr", "", "A clflush:A clflush:A B", 3, 3);
	expect_sets("adr", "AB", "A clflush:A B clflush:A C", 4, 4);
	/* One that covers nothing says nothing. */
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
	/* On a line with cached stores it is bound to none of them. */
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
	/* A byte is a unit; two stores to a word are two. */
	expect_sets("adr", "", "byte:A byte:A", 3, 3);
}

static void adr_silent(void **state)
{
	(void)state;
	expect_sets("adr", "", "A=0", 1, 1);
	expect_sets("adr", "", "A=1 A=1", 2, 2);
	expect_sets("adr", "", "A=1 A=2 A=1", 4, 4);
	expect_sets("adr", "", "A=1 clwb:A A=1 sfence", 2, 1);
	/* One half is as it was. */
	expect_sets("adr", "AB", "B=1 clwb:B sfence wide:A=1", 3, 2);
	/* The same value, stored in a way that will be certain although the first one is not, is no silent store. */
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
	/* Written: no flush, no fence. */
	expect_sets("adr", "", "write:A", 2, 2);
	expect_sets("adr", "", "write:A=0", 1, 1);
	expect_sets("adr", "", "write:A clwb:A sfence", 2, 2);
	expect_sets("adr", "AB", "write:A write:B", 4, 4);
	/* Nothing is persisted by unmapping or by the end. */
	expect_sets("adr", "", "map A unmap", 2, 2);
	/* What hides behind a later one is synchronised too. */
	expect_sets("adr", "", "nt:A nt:A msync", 4, 1);
}

static void adr_files(void **state)
{
	(void)state;
	expect_sets("adr", "A|B", "A B truncate:B", 4, 2);
	expect_sets("adr", "A|B", "A truncate:A", 2, 1);
	/* Zeros are there again: storing them is silent. */
	expect_sets("adr", "A|B", "A truncate:A truncate:B A=0", 2, 1);
	/* A store beyond the end reaches nothing. */
	expect_sets("adr", "A|B", "truncate:A B", 1, 1);
	expect_sets("adr", "AB", "A B punch:A", 4, 2);
	expect_sets("adr", "AB", "A B punch:A A=0", 4, 2);
	/* What a unit that was cut off had made certain stays so. */
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
	/* Written ones, a synchronisation. */
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
	/* Ordered before anything later: all of it or, of the 512 lines, any state; and with the later one one state more. */
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

/* What the observer is told, as text. */

__attribute__((format(printf, 2, 3))) static void note(struct run *r, const char *fmt, ...)
{
	size_t used = strlen(r->log);
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->log + used, LOG - used, fmt, args);
	va_end(args);
}

static char object_of(const struct unit *unit)
{
	return (char)('A' + unit->context - 1);
}

static void note_overwrite(void *arg, const struct event *ev, const struct unit *old)
{
	note(arg, "overwrite %c by %c; ", object_of(old), (char)('A' + ev->context - 1));
}

static void note_flush(void *arg, const struct event *ev, const struct flush_effect *e)
{
	(void)ev;
	note(arg, "flush new=%u mine=%u", e->newly_covered, e->covered_for_thread);
	if (e->volatile_address)
		note(arg, " volatile");
	if (e->pointless)
		note(arg, " pointless");
	if (e->line_was_flushed)
		note(arg, " after=%u@%llu%s", e->earlier_flush_context,
		     (unsigned long long)e->earlier_flush_addr_offset, e->earlier_flush_pending ? " pending" : "");
	if (e->last_store_context)
		note(arg, " stored=%c", (char)('A' + e->last_store_context - 1));
	note(arg, "; ");
}

static void note_fence(void *arg, const struct event *ev, const struct fence_effect *e)
{
	(void)ev;
	note(arg, "fence flushes=%u direct=%u volatile=%u idle=%u written=%llu", e->flushes_completed,
	     e->direct_completed, e->volatile_flushes, e->idle_flushes, (unsigned long long)e->written_since);
	if (e->distinct_flush_contexts)
		note(arg, " contexts=%u %u..%u", e->distinct_flush_contexts, e->first_flush_context,
		     e->last_flush_context);
	note(arg, "; ");
}

static void note_persist(void *arg, const struct event *by, const struct unit *unit)
{
	(void)by;
	note(arg, "persist %c; ", object_of(unit));
}

static void note_leftover(void *arg, const struct event *by, const struct unit *unit)
{
	static const char *const covers[] = {"bare", "flushed", "ordered"};
	static const char *const kinds[] = {"", " direct", " written"};

	note(arg, "%s %c %s%s; ", by ? "unmapped" : "leftover", object_of(unit), covers[unit->cover],
	     kinds[unit->kind]);
}

/* `what` picks from: o(verwrite) f(lush) s(fence) p(ersist) l(eftover).  Both depths must tell the same. */
static void expect_told(const char *platform, const char *layout, const char *what, const char *text,
			const char *expected)
{
	struct model_observer observer = {
		.overwrite = strchr(what, 'o') ? note_overwrite : NULL,
		.flush = strchr(what, 'f') ? note_flush : NULL,
		.fence = strchr(what, 's') ? note_fence : NULL,
		.persist = strchr(what, 'p') ? note_persist : NULL,
		.leftover = strchr(what, 'l') ? note_leftover : NULL,
	};

	for (int depth = MODEL_STATES; depth <= MODEL_VISIBLE; depth++) {
		if (depth == MODEL_VISIBLE && strstr(expected, "written;"))
			continue; /* it does not keep them */
		struct run *r = run_start(platform, (enum model_depth)depth, layout, &observer);

		run_text(r, text, false);
		model_end(r->model);
		if (strcmp(r->log, expected))
			fail_msg("%s, %s:\n  told     %s\n  expected %s", platform, text, r->log, expected);
		run_free(r);
	}
}

static void told_flushes(void **state)
{
	(void)state;
	expect_told("adr", "AB", "f", "A B clwb:A", "flush new=2 mine=2 stored=B; ");
	/* Redundant: flushed before, and nothing stored since; A is at 0, the flush named byte 3. */
	expect_told("adr", "AB", "f", "A clwb:A clwb:B",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=0 after=101@3 pending stored=A; ");
	expect_told("adr", "AB", "f", "A clwb:A sfence clwb:B",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=0 after=101@3 stored=A; ");
	/* A store since: not flushed since. */
	expect_told("adr", "AB", "f", "A clwb:A B clwb:A",
		    "flush new=1 mine=1 stored=A; flush new=1 mine=1 stored=B; ");
	/* Never stored to. */
	expect_told("adr", "A|B", "f", "clwb:A A clwb:A clwb:B",
		    "flush new=0 mine=0; flush new=1 mine=1 stored=A; flush new=0 mine=0; ");
	expect_told("adr", "", "f", "clwb:-", "flush new=0 mine=0 volatile; ");
	/* A silent store is covered, once. */
	expect_told("adr", "A", "f", "A=0 clwb:A clwb:A",
		    "flush new=1 mine=0 stored=A; flush new=0 mine=0 after=101@3 stored=A; ");
	/* Another thread has flushed it, but only its own fence would help it. */
	expect_told("adr", "A", "f", "A clwb:A @2 clwb:A clwb:A",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=1 after=101@3 pending stored=A; "
		    "flush new=0 mine=0 after=101@3 pending stored=A; ");
	/* A non-temporal store needs no flush; what a synchronisation has put on media neither. */
	expect_told("adr", "", "f", "nt:A clwb:A", "flush new=0 mine=0 stored=A; ");
	expect_told("adr", "A", "f", "A msync clwb:A", "flush new=0 mine=0 after=0@0 stored=A; ");
	expect_told("adr", "A", "f", "A msync:A clwb:A", "flush new=0 mine=0 after=0@0 stored=A; ");
	expect_told("adr", "A", "f", "A async clwb:A", "flush new=1 mine=1 stored=A; ");
	/* The line moved away; what is there now was never stored to. */
	expect_told("adr", "A", "f", "A clwb:A sfence collapse clwb:A",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=0; ");
	/* What was written may be flushed once: nobody is blamed for it. */
	expect_told("adr", "A", "f", "write:A clwb:A clwb:A", "flush new=1 mine=0; flush new=0 mine=0 after=101@3; ");
	expect_told("adr", "A", "f", "write:A msync:A clwb:A", "flush new=0 mine=0; ");
	expect_told("eadr", "", "f", "A clwb:A", "flush new=0 mine=0 pointless stored=A; ");
}

static void told_fences(void **state)
{
	(void)state;
	expect_told("adr", "A|BC", "s", "A B clwb:A clwb:B clwb:C sfence",
		    "fence flushes=2 direct=0 volatile=0 idle=1 written=2 contexts=2 101..103; ");
	expect_told("adr", "A|B", "s", "sfence clwb:- clwb:A nt:B mfence",
		    "fence flushes=0 direct=0 volatile=0 idle=0 written=0; "
		    "fence flushes=0 direct=1 volatile=1 idle=1 written=1; ");
	expect_told("adr", "A", "s", "clwb:- clwb:A sfence sfence",
		    "fence flushes=0 direct=0 volatile=1 idle=1 written=0; "
		    "fence flushes=0 direct=0 volatile=0 idle=0 written=0; ");
	/* The same line twice, from one place, is one. */
	expect_told("adr", "A", "s", "A clwb:A A clwb:A sfence",
		    "fence flushes=1 direct=0 volatile=0 idle=0 written=2 contexts=1 101..101; ");
	/* Another thread's stores count, its flushes do not. */
	expect_told("adr", "A|B", "s", "A clwb:A @2 B sfence @1 sfence",
		    "fence flushes=0 direct=0 volatile=0 idle=0 written=2; "
		    "fence flushes=1 direct=0 volatile=0 idle=0 written=2 contexts=1 101..101; ");
	/* A locked store is stored after its fence. */
	expect_told("adr", "A|B", "sp", "A clwb:A lock:B sfence",
		    "persist A; fence flushes=1 direct=0 volatile=0 idle=0 written=1 contexts=1 101..101; "
		    "fence flushes=0 direct=0 volatile=0 idle=0 written=1; ");
	expect_told("eadr", "", "s", "A clwb:A sfence", "fence flushes=0 direct=0 volatile=0 idle=1 written=1; ");
}

static void told_overwrites(void **state)
{
	(void)state;
	expect_told("adr", "", "o", "A A", "overwrite A by A; ");
	expect_told("adr", "", "o", "A=1 A=1", "");
	expect_told("adr", "", "o", "A clwb:A A", "overwrite A by A; ");
	expect_told("adr", "", "o", "A clwb:A sfence A", "");
	expect_told("adr", "AB", "o", "A B", "");
	/* The latest only: what it has overwritten is gone already. */
	expect_told("adr", "", "o", "A A A", "overwrite A by A; overwrite A by A; ");
	/* A byte of a word, and then its other bytes. */
	expect_told("adr", "AB", "o", "byte:A half:A", "");
	expect_told("adr", "AB", "o", "half:A A B=2", "overwrite A by A; overwrite A by B; ");
	/* Only bytes that change count: the half of A that is stored again is as it was. */
	expect_told("adr", "AB", "o", "A=1 B=1 wide:A=1", "");
	/* Non-temporal ones, both ways; written ones are no stores. */
	expect_told("adr", "", "o", "nt:A A", "overwrite A by A; ");
	expect_told("adr", "", "o", "A nt:A sfence", "overwrite A by A; ");
	expect_told("adr", "", "o", "write:A A", "");
	expect_told("adr", "", "o", "A write:A", "");
	expect_told("eadr", "AB", "o", "A A wide:A wide:A", "");
	expect_told("eadr", "", "o", "nt:A A", "overwrite A by A; ");
}

static void told_leftovers(void **state)
{
	(void)state;
	expect_told("adr", "", "l", "A", "leftover A bare; ");
	expect_told("adr", "", "l", "A clwb:A", "leftover A flushed; ");
	expect_told("adr", "", "l", "A clwb:A sfence", "");
	expect_told("adr", "", "l", "nt:A", "leftover A bare direct; ");
	expect_told("adr", "", "l", "write:A", "leftover A bare written; ");
	/* CLFLUSH needs no fence. */
	expect_told("adr", "", "l", "A clflush:A", "");
	expect_told("adr", "", "l", "A clwb:A clflush:A", "");
	expect_told("adr", "AB", "l", "A clflush:A B", "leftover B bare; ");
	/* The last mapping goes; and only then, and only once. */
	expect_told("adr", "", "l", "map A unmap B", "unmapped A bare; leftover B bare; ");
	expect_told("adr", "", "l", "map mapagain A unmap B", "leftover A bare; leftover B bare; ");
	expect_told("adr", "", "l", "A unmap map unmap", "unmapped A bare; ");
	expect_told("adr", "", "l", "A unmap B", "leftover A bare; leftover B bare; ");
	expect_told("adr", "", "l", "map A private B", "unmapped A bare; leftover B bare; ");
	expect_told("adr", "", "l", "map A unlink unmap", "");
	expect_told("adr", "", "l", "A unlink", "");
	/* What is overwritten is not left over, unless a part of it is to be seen. */
	expect_told("adr", "", "l", "A=1 A=2", "leftover A bare; ");
	expect_told("adr", "AB", "l", "B=5 half:A", "leftover B bare; leftover A bare; leftover A bare; ");
	/* A thread that ends fences nothing. */
	expect_told("adr", "", "l", "@2 A clwb:A exit:2", "leftover A flushed; ");
	/* The same value, stored and fenced non-temporally: nothing is lost. */
	expect_told("adr", "", "l", "A=1 nt:A=1 sfence", "");
	expect_told("eadr", "AC", "lp", "A nt:B wide:A", "persist A; persist A; persist A; leftover B bare direct; ");
	expect_told("eadr", "AB", "l", "nt:B wide:A", ""); /* hidden by what is certain */
}

static void told_persists(void **state)
{
	(void)state;
	expect_told("adr", "AB|C", "p", "A B C clwb:C clwb:A sfence", "persist C; persist A; persist B; ");
	expect_told("adr", "", "p", "A clflush:A B clwb:B @2 C sfence @1 sfence", "persist A; persist B; ");
	expect_told("adr", "", "p", "A clflush:A @2 nt:B sfence", "persist B; persist A; ");
	expect_told("eadr", "", "p", "A nt:B sfence", "persist A; persist B; ");
	expect_told("eadr", "AB", "p", "wide:A load", "persist A; persist A; ");
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

/* The same few bytes stored again and again without a fence: only MODEL_VISIBLE can bear it. */
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
	assert_true(strlen(platform_help(platform_find("eadr"))) > 0);
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
		cmocka_unit_test(told_flushes),
		cmocka_unit_test(told_fences),
		cmocka_unit_test(told_overwrites),
		cmocka_unit_test(told_leftovers),
		cmocka_unit_test(told_persists),
		cmocka_unit_test(lines_are_counted),
		cmocka_unit_test(visible_is_bounded),
		cmocka_unit_test(platforms_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
