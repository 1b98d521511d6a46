/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_happens.c - which events of one thread happen before which of another (src/races/happens.h), seen through a
 * race: thread 1 stores A, some thread flushes it and stores B, and recovery reads B and then A.  That is no race if
 * and only if the store of A happened before the flush. */
#include "race_text.h"

#include <stdio.h>

static void expect_order(const char *between, const char *races)
{
	char program[256];

	snprintf(program, sizeof(program), "A %s clflush:A rel:B", between);
	expect_races("adr", "A|B|C", program, "B A", races);
}

static void ordered(const char *between)
{
	expect_order(between, "");
}

static void unordered(const char *between)
{
	expect_order(between, "A:unordered");
}

static void release_and_acquire(void **state)
{
	(void)state;
	ordered("");
	unordered("@2");
	ordered("put.rel:f @2 get.acq:f");
	ordered("put.sc:f @2 get.sc:f");
	unordered("put:f @2 get.acq:f");
	unordered("put.rel:f @2 get:f");
	unordered("put.rel:f @2 get.acq:g");
	/* The load must come after the store. */
	unordered("@2 get.acq:f @1 put.rel:f @2");
	/* What a load acquires, its thread knows; other threads do not. */
	unordered("put.rel:f @2 get.acq:f @3");
	/* An update acquires and releases. */
	ordered("add.rel:f @2 add.acq:f");
	unordered("add:f @2 add.acq:f");
	unordered("add.rel:f @2 add:f");
	unordered("add.acq:f @2 get.acq:f");
	/* Objects in PM. */
	ordered("rel:C @2 get.acq:C");
	ordered("add:C @2 get.acq:C");
	unordered("rlx:C @2 get.acq:C");
}

static void release_sequences(void **state)
{
	(void)state;
	ordered("put.rel:f @3 add:f @2 get.acq:f");
	ordered("put.rel:f @3 add:f add:f @1 add:f @2 get.acq:f");
	ordered("put.rel:f @3 add.rel:f @2 get.acq:f");
	/* A store ends the sequence, even one of the same thread. */
	unordered("put.rel:f put:f @2 get.acq:f");
	unordered("put.rel:f @3 put:f @2 get.acq:f");
	unordered("put.rel:f @3 put.rel:f @2 get.acq:f");
	/* Both heads are known. */
	ordered("add.rel:f @3 C add.rel:f @2 get.acq:f");
}

static void fences(void **state)
{
	(void)state;
	ordered("fence.rel put:f @2 get.acq:f");
	ordered("put.rel:f @2 get:f fence.acq");
	ordered("fence.rel put:f @2 get:f fence.acq");
	ordered("fence.sc put:f @2 get:f fence.sc");
	ordered("fence.rel add:f @2 get.acq:f");
	ordered("fence.rel put:f @3 add:f @2 get.acq:f");
	unordered("put:f fence.rel @2 get:f fence.acq");
	unordered("fence.rel put:f @2 fence.acq get:f");
	unordered("fence.acq put:f @2 get:f fence.acq");
	unordered("fence.rel put:f @2 get:f fence.rel");
	unordered("fence.rel @2 fence.acq");
	/* A fence in another thread. */
	unordered("@3 fence.rel @1 put:f @2 get.acq:f");
	unordered("put.rel:f @2 get:f @3 fence.acq @2");
}

/* What a thread learns late is part of its later stores. */
static void later_stores_know_it(void **state)
{
	(void)state;
	expect_races("adr", "A|B|C", "A clwb:A sfence put.rel:f @2 C get:f fence.acq rel:B", "B A", "");
	expect_races("adr", "A|B|C", "A clwb:A sfence put.rel:f @2 C get.acq:f rel:B", "B A", "");
	expect_races("adr", "A|B|C", "A clwb:A sfence put.rel:f @2 rel:C get.acq:f", "C A", "A:unproved");
}

static void fence_releases_what_came_before_it(void **state)
{
	(void)state;
	expect_races("adr", "A|B", "fence.rel A put:f @2 get.acq:f clflush:A rel:B", "B A", "A:unordered");
	expect_races("adr", "A|B", "put.rel:f A @2 get.acq:f clflush:A rel:B", "B A", "A:unordered");
}

/* Mutexes, read-write locks, semaphores, barriers, conditions, once: all come down to these. */
static void calls(void **state)
{
	(void)state;
	ordered("release:f @2 acquire:f");
	unordered("release:f @2 acquire:g");
	unordered("acquire:f @2 acquire:f");
	/* A chain of mutexes. */
	ordered("release:f @3 acquire:f release:g @2 acquire:g");
	unordered("release:f @3 release:g acquire:f @2 acquire:g");
	/* Two readers release a lock, and a writer acquires it. */
	ordered("release:f @3 release:f @2 acquire:f");
	ordered("@3 release:f @1 release:f @2 acquire:f");
	/* A barrier: all release, then all acquire. */
	ordered("release:f @2 release:f @1 acquire:f @2 acquire:f");
	/* A condition: the one who waits releases the mutex, and acquires it and the signal. */
	ordered("@2 acquire:f release:f @1 acquire:f release:g release:f @2 acquire:g acquire:f");
	/* The object is the same for calls and atomic accesses. */
	ordered("release:f @2 get.acq:f");
	ordered("put.rel:f @2 acquire:f");
}

static void threads_and_processes(void **state)
{
	(void)state;
	ordered("start:2 @2");
	unordered("@2 sfence @1 sfence @2");
	expect_races("adr", "A|B", "start:2 A @2 clflush:A rel:B", "B A", "A:unordered");
	/* Through threads that only pass it on. */
	ordered("start:3 @3 start:2 @2");
	expect_races("adr", "A|B", "@2 A @1 join:2 clflush:A rel:B", "B A", "");
	expect_races("adr", "A|B", "@2 A exit @1 join:2 clflush:A rel:B", "B A", "");
	expect_races("adr", "A|B", "@3 A @2 join:3 @1 join:2 clflush:A rel:B", "B A", "");
	expect_races("adr", "A|B", "@2 A @1 join:3 clflush:A rel:B", "B A", "A:unordered");
	/* A child process that is followed. */
	ordered("fork:2 @2");
	expect_races("adr", "A|B", "fork:2 A @2 clflush:A rel:B", "B A", "A:unordered");
	/* Processes that share an object share it in the file; addresses of volatile memory are their own. */
	expect_races("adr", "A|B|C", "fork:2 A rel:C @2 again:C get.acq:C clflush:A rel:B", "B A", "");
	expect_races("adr", "A|B|C", "fork:2 A put.rel:f @2 get.acq:f clflush:A rel:B", "B A", "A:unordered");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(release_and_acquire),
		cmocka_unit_test(release_sequences),
		cmocka_unit_test(fences),
		cmocka_unit_test(later_stores_know_it),
		cmocka_unit_test(fence_releases_what_came_before_it),
		cmocka_unit_test(calls),
		cmocka_unit_test(threads_and_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
