/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_races.c - each rule of doc/RACES.md from both sides, on programs whose races were found by hand.  The programs
 * are texts: see race_text.h. */
#include "race_text.h"

/* Condition 1: what may tear. */
static void stores(void **state)
{
	(void)state;
	expect_races("adr", "A", "A", "A", "A:unflushed");
	expect_races("adr", "A", "rel:A", "A", "");
	expect_races("adr", "A", "rlx:A", "A", "");
	expect_races("adr", "A", "add:A", "A", "");
	/* One byte cannot be torn, but a compiler may store something else there first. */
	expect_races("adr", "A", "byte:A", "A", "A:unflushed");
	expect_races("adr", "A", "vol:A", "A", "");
	expect_races("adr", "AB", "volwide:A", "B", "A:unflushed#");
	expect_races("adr", "A", "volodd:A", "A", "A:unflushed");
	expect_races("adr", "A", "odd:A", "A", "A:unflushed");
	/* Without blackout-cc only what the binary does counts. */
	expect_races("adr", "A", "unk:A", "A", "");
	expect_races("adr", "AB", "unkwide:A", "A", "A:unflushed#");
	expect_races("adr", "AB", "rep:A", "B", "A:unflushed#");
	expect_races("adr", ".......A|B", "unkcross:A", "B", "A:unflushed#");
	expect_races("adr", "A", "lock:A", "A", "");
	/* The kernel is no compiler. */
	expect_races("adr", "A", "sys:A", "A", "");
	expect_races("adr", "A", "write:A", "A", "");
	/* What was never stored cannot race. */
	expect_races("adr", "A|B", "A", "B", "");
}

/* Which stores of the binary are one store of the source. */
static void sources(void **state)
{
	(void)state;
	expect_races("adr", "A", "parts:A", "A", "A:unflushed#");
	expect_races("adr", "AB", "pair:A", "B", "A:unflushed#");
	expect_races("adr", "AB", "wide:A", "B", "A:unflushed#");
	expect_races("adr", "AB", "A B", "A B", "A:unflushed B:unflushed");
	expect_races("adr", "AB", "copy:A", "B", "A:unflushed#");
	expect_races("adr", "A", "copy8:A", "A", "");
	/* Two calls, of one unit each. */
	expect_races("adr", "AB", "copy8:A copy8:B", "A B", "");
	expect_races("adr", "AB", "copy8:A sfence copy8:B", "A B", "");
	expect_races("adr", "ABCD", "copies:A", "A D", "");
	/* A part in each line: each has to be written back. */
	expect_races("adr", ".......A|B|C", "cross:A clwb:A clwb:B sfence", "A B", "A:unproved# A:unproved#");
	expect_races("adr", ".......A|B|C", "cross:A clwb:A clwb:B sfence rel:C", "C A B", "");
	expect_races("adr", ".......A|B|C", "cross:A clwb:A sfence rel:C", "C A B", "A:unflushed#");
}

/* Condition 2: recovery has read a later atomic store to the line. */
static void coherence(void **state)
{
	(void)state;
	expect_races("adr", "AB", "A rel:B", "B A", "");
	expect_races("adr", "AB", "A sc:B", "B A", "");
	expect_races("adr", "AB", "A add:B", "B A", "");
	/* Only what was read before counts. */
	expect_races("adr", "AB", "A rel:B", "A B", "A:unflushed");
	expect_races("adr", "AB", "A rel:B", "A B A", "A:unflushed");
	expect_races("adr", "AB", "A rel:B", "wide:A", "A:unflushed");
	/* Relaxed order, volatile and plain stores do not keep the compiler from moving A. */
	expect_races("adr", "AB", "A rlx:B", "B A", "A:unflushed");
	expect_races("adr", "AB", "A vol:B", "B A", "A:unflushed");
	expect_races("adr", "AB", "A B", "B A", "B:unflushed A:unflushed");
	/* A library that was compiled without blackout-cc is judged as it is; so is the kernel. */
	expect_races("adr", "AB", "A unk:B", "B A", "");
	expect_races("adr", "AB", "A sys:B", "B A", "");
	expect_races("adr", "ABC", "A unkwide:B", "B A", "B:unflushed# A:unflushed");
	expect_races("adr", "AB", "A write:B", "B A", "A:unflushed");
	/* Another line, or an earlier store. */
	expect_races("adr", "A|B", "A rel:B", "B A", "A:unflushed");
	expect_races("adr", "AB", "rel:B A", "B A", "A:unflushed");
	/* Non-temporal stores do not take part in the order of the line. */
	expect_races("adr", "AB", "nt:A rel:B", "B A", "A:unfenced");
}

/* Conditions 3 and 4, in prefixes: a flush counts only if recovery has read something after it. */
static void flushes(void **state)
{
	(void)state;
	expect_races("adr", "A|B", "A clflush:A rel:B", "B A", "");
	expect_races("adr", "A|B", "A clflush:A rel:B", "A B", "A:unproved");
	expect_races("adr", "A|B", "A clwb:A sfence rel:B", "B A", "");
	expect_races("adr", "A|B", "A clflushopt:A mfence rel:B", "B A", "");
	expect_races("adr", "A|B", "A clwb:A locked rel:B", "B A", "");
	expect_races("adr", "A|B", "A clwb:A add:B", "B A", "");
	expect_races("adr", "A|B", "A clwb:A rel:B", "B A", "A:unfenced");
	expect_races("adr", "A|B", "A sfence rel:B", "B A", "A:unflushed");
	expect_races("adr", "A|B", "clwb:A A sfence rel:B", "B A", "A:unflushed");
	expect_races("adr", "A|B", "A clwb:B sfence rel:B", "B A", "A:unflushed");
	/* A plain store proves as much: it races itself, but what it proves has happened. */
	expect_races("adr", "A|B", "A clwb:A sfence B", "B A", "B:unflushed");
	/* No crash point shows this race, because recovery always finds A flushed: the shorter prefix does. */
	expect_races("adr", "A|B", "A clwb:A sfence", "A", "A:unproved");
	expect_races("adr", "A|B", "A clwb:A sfence B clwb:B sfence", "A B", "A:unproved B:unproved");
	/* Figure 6(b): A is safe if B, which was stored after its flush, has been read. */
	expect_races("adr", "A|B", "A clflush:A rel:B clflush:B", "B A", "");
	/* The fence of the thread that reads it must be in the prefix, too. */
	expect_races("adr", "A|B", "A clwb:A rel:B sfence", "B A", "A:unproved");
	/* An overwritten store. */
	expect_races("adr", "A|B", "A clwb:A sfence rel:B A", "B A", "A:unflushed");
	expect_races("adr", "A|B", "A clwb:A sfence A clwb:A sfence rel:B", "B A", "");
}

static void synchronization(void **state)
{
	(void)state;
	expect_races("adr", "A|B", "A msync rel:B", "B A", "");
	expect_races("adr", "A|B", "A msync:A rel:B", "B A", "");
	expect_races("adr", "A|B", "A fsync rel:B", "B A", "");
	expect_races("adr", "A|B", "A fdatasync rel:B", "B A", "");
	expect_races("adr", "A|B", "A syncfs rel:B", "B A", "");
	expect_races("adr", "A|B", "A sync rel:B", "B A", "");
	expect_races("adr", "A|B", "A async rel:B", "B A", "A:unflushed");
	expect_races("adr", "A|B", "A sync_file_range rel:B", "B A", "A:unflushed");
	expect_races("adr", "A|B", "A msync", "A", "A:unproved");
	expect_races("adr", "A|B", "nt:A msync rel:B", "B A", "");
	expect_races("eadr", "A|B", "nt:A fsync rel:B", "B A", "");
}

static void non_temporal(void **state)
{
	(void)state;
	expect_races("adr", "A|B", "nt:A sfence rel:B", "B A", "");
	expect_races("adr", "A|B", "nt:A sfence rel:B", "A", "A:unproved");
	expect_races("adr", "A|B", "nt:A rel:B", "B A", "A:unfenced");
	expect_races("adr", "A|B", "nt:A clwb:A rel:B", "B A", "A:unfenced");
	expect_races("adr", "A|B", "nt:A clflush:A rel:B", "B A", "A:unfenced");
	expect_races("adr", "A|B", "nt:A @2 sfence rel:B", "B A", "A:unfenced");
	expect_races("adr", "AB|C", "ntwide:A", "B", "A:unfenced#");
	expect_races("adr", "AB|C", "ntwide:A sfence rel:C", "C B", "");
	expect_races("eadr", "A|B", "nt:A rel:B", "B A", "A:unfenced");
	expect_races("eadr", "A|B", "nt:A sfence rel:B", "B A", "");
}

/* eADR: anything that happened later protects. */
static void eadr(void **state)
{
	(void)state;
	expect_races("eadr", "A", "A", "A", "A:unproved");
	expect_races("eadr", "A|B", "A rel:B", "B A", "");
	expect_races("eadr", "A|B", "A rlx:B", "B A", "");
	expect_races("eadr", "A|B", "A B", "B A", "B:unproved");
	expect_races("eadr", "A|B", "A B", "A B", "A:unproved B:unproved");
	expect_races("eadr", "A|B", "A clwb:A sfence", "A", "A:unproved");
	expect_races("eadr", "A|B", "rel:B A", "B A", "A:unproved");
	/* A part of the store itself is not later. */
	expect_races("eadr", "AB", "pair:A", "B A", "A:unproved# A:unproved#");
	expect_races("eadr", "A|B", "A @2 rel:B", "B A", "A:unproved");
	expect_races("eadr", "A|B", "A put.rel:f @2 get.acq:f rel:B", "B A", "");
	expect_races("eadr", "A|B", "A start:2 @2 rel:B", "B A", "");
	expect_races("eadr", "A|B", "@2 A @1 join:2 rel:B", "B A", "");
}

/* Every store that the load could have read, at this moment and after the loads before it. */
static void candidates(void **state)
{
	(void)state;
	/* Both stores to A are pending. */
	expect_races("adr", "A", "A parts:A", "A", "A:unflushed# A:unflushed");
	expect_races("adr", "A", "A rel:A", "A", "A:unflushed");
	expect_races("adr", "A", "rel:A A", "A", "A:unflushed");
	/* The first is certain to be overwritten. */
	expect_races("adr", "A|B", "parts:A rel:A clwb:A sfence", "A", "");
	expect_races("adr", "A|B", "rel:A parts:A clwb:A sfence", "A", "A:unproved#");
	/* Recovery has read B, so the stores to the line before it are there. */
	expect_races("adr", "AB", "A rel:A rlx:B", "B A", "");
	expect_races("adr", "AB", "A rlx:A rlx:B", "B A", "");
	/* The state lacks it, and it could still be read. */
	expect_races("adr", "A", "rel:A A", "-A A", "A:unflushed");
	/* Recovery has read the older value of A, so B, which came later on the line, is not there. */
	expect_races("adr", "AB", "rel:A rlx:A B", "-A A B", "");
	expect_races("adr", "AB", "rel:A rlx:A B", "A B", "B:unflushed");
	/* CLFLUSH: what was stored after it is on media only if all before it is. */
	expect_races("adr", "A|B", "A rel:A clflush:A rlx:B", "B A", "");
	expect_races("adr", "A|B", "A rel:A @2 clflush:A @1 rlx:B @2 clflush:A", "B A", "");
	expect_races("adr", "A|B", "A rel:A @2 clflush:A @1 rlx:B", "A", "A:unordered");
	expect_races("adr", "A|B", "rlx:A clflush:A B", "-A -B A B", "");
	expect_races("adr", "A|B", "rlx:A clflush:A B", "A B", "B:unflushed");
	/* eADR: only the store that is being executed may be missing. */
	expect_races("eadr", "AB", "A rel:A", "A", "");
	expect_races("eadr", "AB", "A unkwide:A", "A", "A:unproved# A:unproved");
	expect_races("eadr", "AB", "A unkwide:A sfence", "A", "A:unproved#");
}

/* What changes nothing cannot be seen torn, and proves nothing. */
static void silent(void **state)
{
	(void)state;
	expect_races("adr", "A|B", "rel:A same A", "A", "");
	expect_races("adr", "A|B", "A clwb:A sfence rel:B same A", "B A", "");
	expect_races("adr", "AB", "unk:A same unkwide:A", "A B", "");
	expect_races("adr", "AB", "unkwide:A same unkwide:A", "A B", "A:unflushed# A:unflushed#");
	/* Recovery cannot tell the second store to B from the first. */
	expect_races("adr", "A|B", "rel:B A clwb:A sfence rel:B", "B A", "");
	expect_races("adr", "A|B", "rel:B A clwb:A sfence same rel:B", "B A", "A:unproved");
	/* If the older value may still be lost, it is not silent. */
	expect_races("adr", "A|B", "rel:A same nt:A", "A", "A:unfenced");
	expect_races("adr", "A|B", "nt:A same nt:A", "A", "A:unfenced");
	expect_races("adr", "A|B", "nt:A @2 same nt:A", "A", "A:unfenced A:unfenced");
}

static void threads(void **state)
{
	(void)state;
	/* Flushed by another thread: only if something puts the store before it. */
	expect_races("adr", "A|B", "A @2 clwb:A sfence rel:B", "B A", "A:unordered");
	expect_races("adr", "A|B", "A put.rel:f @2 get.acq:f clwb:A sfence rel:B", "B A", "");
	expect_races("adr", "A|B", "A put.rel:f @2 get:f clwb:A sfence rel:B", "B A", "A:unordered");
	expect_races("adr", "A|B", "A @2 clflush:A rel:B", "B A", "A:unordered");
	expect_races("adr", "A|B", "A release:f @2 acquire:f clflush:A rel:B", "B A", "");
	expect_races("adr", "A|B", "A @2 msync rel:B", "B A", "A:unordered");
	expect_races("adr", "A|B", "A @2 fsync @1 fsync rel:B", "B A", "");
	/* The fence must be of the thread that flushed. */
	expect_races("adr", "A|B", "A clwb:A @2 sfence rel:B", "B A", "A:unfenced");
	expect_races("adr", "A|B", "A clwb:A put.rel:f @2 get.acq:f sfence rel:B", "B A", "A:unfenced");
	/* The paper's example of section 4.2: recovery reads f, which is set after the flush, but not because of it. */
	expect_races("adr", "A|B", "A clwb:A sfence @2 rel:B", "B A", "A:unproved");
	expect_races("adr", "A|B", "A clwb:A sfence put.rel:f @2 get.acq:f rel:B", "B A", "");
	/* Condition 2 between threads. */
	expect_races("adr", "AB", "A @2 rel:B", "B A", "A:unflushed");
	expect_races("adr", "AB", "A put.rel:f @2 get.acq:f rel:B", "B A", "");
	/* Three threads: the order is passed on. */
	expect_races("adr", "A|B", "A put.rel:f @2 get.acq:f clwb:A sfence put.rel:g @3 get.acq:g rel:B", "B A", "");
	expect_races("adr", "A|B", "A put.rel:f @2 get.acq:f clwb:A sfence put:g @3 get.acq:g rel:B", "B A",
		     "A:unproved");
	/* Two flushes, each known to another reader. */
	expect_races("adr", "A|B|C", "A put.rel:f clwb:A sfence rel:B @2 get.acq:f clwb:A sfence rel:C", "C A", "");
	expect_races("adr", "A|B|C", "A put.rel:f clwb:A sfence rel:B @2 get.acq:f clwb:A sfence rel:C", "B A", "");
	/* A locked instruction of the one who releases is a fence before that. */
	expect_races("adr", "A|B", "A clwb:A add.rel:f locked @2 get.acq:f rel:B", "B A", "");
	expect_races("adr", "A|B|C", "A clwb:A add:C @2 get.acq:C rel:B", "B A", "");
	/* But the thread's next store is not released. */
	expect_races("adr", "A|B", "put.rel:f A @2 get.acq:f clflush:A rel:B", "B A", "A:unordered");
}

static void recovery_itself(void **state)
{
	(void)state;
	expect_races("adr", "A", "A", "=A A", "");
	expect_races("adr", "AB", "wide:A", "=A A wide:A", "A:unflushed#");
	expect_races("adr", "A", "A", "?A", "");
	/* Nothing is proved by a checksum. */
	expect_races("adr", "AB", "A rel:B", "?B A", "A:unflushed");
	expect_races("adr", "A|B", "A clwb:A sfence rel:B", "?B A", "A:unproved");
	expect_races("adr", "AB", "A rel:B", "=B B A", "A:unflushed");
}

static void files(void **state)
{
	(void)state;
	expect_races("adr", "A|B", "A truncate:A grow", "A", "");
	expect_races("adr", "A|B", "A B truncate:B grow", "A B", "A:unflushed");
	expect_races("adr", "AB", "wide:A truncate:B grow", "A B", "A:unflushed#");
	expect_races("adr", "AB", "A B punch:A", "A B", "B:unflushed");
	expect_races("adr", "A|B", "A B collapse:B", "A B", "A:unflushed");
	expect_races("adr", "A", "A unlink", "A", "");
	expect_races("adr", "A", "A unmap", "A", "A:unflushed");
	/* Beyond the end of the file. */
	expect_races("adr", "A|B", "truncate:B B grow", "B", "");
	/* The file is mapped at two addresses: the line is the same. */
	expect_races("adr", "A|B", "A again:A clwb:A sfence rel:B", "B A", "");
	expect_races("adr", "AB", "A again:A rel:B", "B A", "");
	expect_races("adr", "AB", "A again:A rel:A rlx:B", "B A", "");
	/* Data that was written over a store hides it only when it is synchronized. */
	expect_races("adr", "A", "A write:A", "A", "A:unflushed");
	expect_races("adr", "A", "A write:A fsync", "A", "");
}

static void on_race(void *arg, const struct race *race)
{
	*(uint64_t *)arg = *(uint64_t *)arg * 10 + race->units;
}

/* A pair of sites is reported once, and again if the store is one in several units. */
static void reported_once(void **state)
{
	struct race_history *history = race_history_new(platform_find("adr"), NULL, NULL);
	struct event ev = {.type = EVENT_STORE, .thread = 1, .file = 1, .context = 5, .atomicity = BO_ATOMICITY_PLAIN};
	struct race_load load = {.file = 1, .size = 128, .context = 9};
	struct race_reader *reader;
	uint64_t units = 0;

	(void)state;
	for (uint64_t i = 1; i <= 4; i++) {
		ev.offset = i * 16;
		ev.size = i == 2 ? 16 : 8;
		ev.data = (const uint8_t *)"sixteen letters!";
		race_history_event(history, &ev, i);
	}
	reader = race_reader_new(history, on_race, &units);
	race_reader_load(reader, &load);
	race_reader_load(reader, &load);
	assert_int_equal(units, 12);
	load.context = 10;
	race_reader_load(reader, &load);
	assert_int_equal(units, 1212);
	race_reader_free(reader);
	race_history_free(history);
}

/* A line that is stored to for ever and never flushed. */
static void endless(void **state)
{
	struct race_history *history = race_history_new(platform_find("adr"), NULL, NULL);
	struct event ev = {.type = EVENT_STORE, .thread = 1, .file = 1, .size = 8};

	(void)state;
	for (uint64_t i = 1; i <= 1000000; i++) {
		ev.offset = i % 8 * 8;
		ev.data = (const uint8_t *)&i;
		ev.context = 1 + i % 3;
		race_history_event(history, &ev, i);
	}
	/* The test would need gigabytes otherwise. */
	race_history_free(history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores),  cmocka_unit_test(sources),         cmocka_unit_test(coherence),
		cmocka_unit_test(flushes), cmocka_unit_test(synchronization), cmocka_unit_test(non_temporal),
		cmocka_unit_test(eadr),    cmocka_unit_test(candidates),      cmocka_unit_test(threads),
		cmocka_unit_test(silent),  cmocka_unit_test(recovery_itself), cmocka_unit_test(files),
		cmocka_unit_test(endless), cmocka_unit_test(reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
