/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_tester.h - a tester (crash/tester.h) without any process: a function of the test says how recovery ends on the
 * bytes of the pool.
 *
 *     struct fake fake = {.recover = my_recovery, .workers = 3};
 *     struct tester_maker maker = fake_maker(&fake);
 *     options.maker = &maker;
 *     options.stop = fake_stop(&fake);
 *     campaign_run(&campaign, &options, survey, &err);
 *     ... fake.runs.at[i] ...                                   // every recovery, in the order in which they began
 *     fake_free(&fake);
 */
#ifndef BLACKOUT_TEST_FAKE_TESTER_H
#define BLACKOUT_TEST_FAKE_TESTER_H

#include "base/stop.h"
#include "base/vec.h"
#include "crash/tester.h"

enum { FAKE_POOL = 64 * 1024 /* bytes that recovery sees */ };

#define FAKE_PASS ((struct ending){ENDING_EXIT, 0})
#define FAKE_FAIL ((struct ending){ENDING_EXIT, 1})
#define FAKE_KILLED ((struct ending){ENDING_SIGNAL, 11})
#define FAKE_HANG ((struct ending){ENDING_TIMEOUT, 0})

/* The first file that has a name, zeros beyond its end; `patience` is 1, or more for a run with more time. */
typedef struct ending fake_recovery(void *arg, const uint8_t *pool, unsigned patience);

struct fake_run {
	uint8_t *pool;
	struct digest digest; /* of the content; zeros: not known */
	struct crash_context crash;
	unsigned patience;
	bool submitted; /* among others; false: alone */
	bool lazy;      /* as a leaf */
	bool final;     /* on what the program left at its end */
	struct ending end;
};

struct fake_waiting {
	struct tester_ticket ticket;
	struct outcome outcome;
};

struct fake {
	fake_recovery *recover;
	void *arg;
	/* What recovery prints on stdout in a setting (crash_context.command); NULL: nothing.  If the options have
	 * rules for outputs, it is summarized, too. */
	const char *(*print)(void *arg, const uint8_t *pool, uint64_t setting);
	unsigned workers;    /* submissions under way at a time; 0: 1 */
	bool last_first;     /* the one that began last ends first */
	uint64_t stop_after; /* submissions; then the user interrupts.  0: never */
	uint64_t late_after; /* submissions; then the time is over.  0: never */
	bool slow;           /* not a fork server */
	/* How recoveries end that begin at a checkpoint, as all do that are submitted, or leaves, until one has proved wrong;
	 * NULL: there are no checkpoints. */
	fake_recovery *later;
	uint64_t wrong_after; /* submissions; then a run from a checkpoint has proved wrong.  0: never, if none fails */
	/* The fork server cannot serve this leaf; NULL: it serves all. */
	bool (*refuses)(void *arg, const uint8_t *pool);
	/* The lines that recovery looks at, in this order, by their offset / 64; then it can be asked line by line
	 * (run/lazy.h); a sample has its first leaves.  NULL: it cannot. */
	const uint64_t *reads;
	size_t read_count;
	/* Recovery on this pool is to be recorded in `dir`; NULL: there is no recorder. */
	void (*record)(void *arg, const uint8_t *pool, const char *dir);

	bool interrupted;
	VEC_OF(struct fake_run) runs;
	VEC_OF(struct fake_waiting) waiting;
	uint64_t submitted, recorded, stacks, opened, closed;
};

struct tester_maker fake_maker(struct fake *fake);

/* For campaign_options.  An interrupt lasts until fake_free. */
struct stop fake_stop(struct fake *fake);

/* Forget the runs, and the interrupt. */
void fake_free(struct fake *fake);

#endif
