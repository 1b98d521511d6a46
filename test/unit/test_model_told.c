/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_model_told.c - what the model tells its observer, on programs that are texts: see model_text.h. */
#include "model_text.h"

#include <stdio.h>
#include <string.h>

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

/* `what` selects from: o(verwrite) f(lush) s(fence) p(ersist) l(eftover).  Both depths must report the same. */
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
			continue; /* this depth does not keep written units */
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
	/* Redundant: flushed before, and nothing stored since.  A is at 0, the flush named byte 3. */
	expect_told("adr", "AB", "f", "A clwb:A clwb:B",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=0 after=101@3 pending stored=A; ");
	expect_told("adr", "AB", "f", "A clwb:A sfence clwb:B",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=0 after=101@3 stored=A; ");
	/* A store came since, so the line does not count as flushed. */
	expect_told("adr", "AB", "f", "A clwb:A B clwb:A",
		    "flush new=1 mine=1 stored=A; flush new=1 mine=1 stored=B; ");
	/* Never stored to. */
	expect_told("adr", "A|B", "f", "clwb:A A clwb:A clwb:B",
		    "flush new=0 mine=0; flush new=1 mine=1 stored=A; flush new=0 mine=0; ");
	expect_told("adr", "", "f", "clwb:-", "flush new=0 mine=0 volatile; ");
	/* A silent store is covered, once. */
	expect_told("adr", "A", "f", "A=0 clwb:A clwb:A",
		    "flush new=1 mine=0 stored=A; flush new=0 mine=0 after=101@3 stored=A; ");
	/* Another thread has flushed it, but that does not help without a fence of that thread. */
	expect_told("adr", "A", "f", "A clwb:A @2 clwb:A clwb:A",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=1 after=101@3 pending stored=A; "
		    "flush new=0 mine=0 after=101@3 pending stored=A; ");
	/* A non-temporal store needs no flush; neither does data that a synchronization has put on media. */
	expect_told("adr", "", "f", "nt:A clwb:A", "flush new=0 mine=0 stored=A; ");
	expect_told("adr", "A", "f", "A msync clwb:A", "flush new=0 mine=0 after=0@0 stored=A; ");
	expect_told("adr", "A", "f", "A msync:A clwb:A", "flush new=0 mine=0 after=0@0 stored=A; ");
	expect_told("adr", "A", "f", "A async clwb:A", "flush new=1 mine=1 stored=A; ");
	/* The line was moved away; the new content was never stored to. */
	expect_told("adr", "A", "f", "A clwb:A sfence collapse clwb:A",
		    "flush new=1 mine=1 stored=A; flush new=0 mine=0; ");
	/* Written data may be flushed once without being reported. */
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
	/* The same line twice, from one place, counts once. */
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
	/* Only the latest: what it has overwritten is already gone. */
	expect_told("adr", "", "o", "A A A", "overwrite A by A; overwrite A by A; ");
	/* A byte of a word, and then its other bytes. */
	expect_told("adr", "AB", "o", "byte:A half:A", "");
	expect_told("adr", "AB", "o", "half:A A B=2", "overwrite A by A; overwrite A by B; ");
	/* Only changed bytes count: the half of A that is stored again is unchanged. */
	expect_told("adr", "AB", "o", "A=1 B=1 wide:A=1", "");
	/* Non-temporal stores, in both directions; writes are not stores. */
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
	/* When the last mapping goes; only then, and only once. */
	expect_told("adr", "", "l", "map A unmap B", "unmapped A bare; leftover B bare; ");
	expect_told("adr", "", "l", "map mapagain A unmap B", "leftover A bare; leftover B bare; ");
	expect_told("adr", "", "l", "A unmap map unmap", "unmapped A bare; ");
	expect_told("adr", "", "l", "A unmap B", "leftover A bare; leftover B bare; ");
	expect_told("adr", "", "l", "map A private B", "unmapped A bare; leftover B bare; ");
	expect_told("adr", "", "l", "map A unlink unmap", "");
	expect_told("adr", "", "l", "A unlink", "");
	/* Overwritten units are not leftovers, unless a part of them is visible. */
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

struct countdown {
	struct model *model;
	size_t left[8], calls;
};

static void note_left(void *arg, const struct event *by, const struct unit *unit)
{
	struct countdown *c = arg;
	bool mixed;

	(void)by;
	c->left[c->calls++] = model_line_units(c->model, unit->file, unit->offset, &mixed);
}

/* When the last unit of a wide store is reported, the observer can see that it is the last on its line. */
static void told_one_by_one(void **state)
{
	static const struct model_observer observer = {.persist = note_left};
	static const uint8_t data[32] = {[0 ... 31] = 1};
	struct event store = {
		.type = EVENT_STORE, .kind = BO_STORE_NONTEMPORAL, .thread = 1, .file = 1, .size = 32, .data = data};
	struct event fence = {.type = EVENT_SFENCE, .thread = 1};
	struct countdown c = {0};

	(void)state;
	c.model = model_new(platform_find("adr"), MODEL_STATES, &observer, &c);
	model_apply(c.model, &store);
	model_apply(c.model, &fence);
	assert_int_equal(c.calls, 4);
	for (size_t i = 0; i < c.calls; i++)
		assert_int_equal(c.left[i], 4 - i);
	model_free(c.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_flushes),   cmocka_unit_test(told_fences),   cmocka_unit_test(told_overwrites),
		cmocka_unit_test(told_leftovers), cmocka_unit_test(told_persists), cmocka_unit_test(told_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
