/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester.h - test these crash states, hand me the outcomes: whoever chooses them.
 *
 *     struct tester *t;
 *     tester_open(&t, &options, image, known, &err);
 *     while (...) {                                             // the image moves on
 *             struct digest d = state_digest(image, persisted);
 *             if (!known_claim(known, d)) {
 *                     tester_submit(t, state = state_new(image, persisted), &err);     // waits for a worker, does not wait for the outcome
 *                     state_free(state);
 *             }
 *     }
 *     tester_drain(t, &err);                                    // now known_get(known, d) has all outcomes
 *     tester_run(t, state, 1, &outcome, &err);                  // or one alone, with all that it printed
 *     tester_close(t);
 *
 * A tester belongs to one image: it has a stage of it for each worker.  What it learns goes to `known`, which outlives
 * it.  Memory is that of the stages; nothing is kept of a state. */
#ifndef BLACKOUT_CRASH_TESTER_H
#define BLACKOUT_CRASH_TESTER_H

#include "crash/known.h"
#include "image/content.h"
#include "image/stage.h"
#include "run/lazy.h"
#include "run/recovery.h"

struct tester_options {
	struct recovery_options recovery; /* done and arg are the tester's own */
	const char *fallback;             /* where stages go if there is no room in memory */
	/* clock_seconds() after which nothing is submitted any more; 0: none.  recovery.end is that clock, too. */
	double deadline;
	double deadline_failed;  /* the same, where something has failed: the time after it is for finding the cause */
	uint64_t failed;         /* that has no cause yet, before this tester */
	void (*look)(void *arg); /* called when an outcome has come; may be NULL */
	void *arg;
};

struct tester;

/* What the calls below say, besides 0 and -1. */
enum { TESTER_STOPPED = -2 /* interrupted, or the time is over */ };

int tester_open(struct tester **tester, const struct tester_options *options, struct image *image, struct known *known,
		struct err *err);
void tester_close(struct tester *tester);

/* Start recovery on a state of this moment, on the first worker that is free. */
int tester_submit(struct tester *tester, const struct state *state, struct err *err);

/* The same, and tell somebody of the outcome, from within the functions here that wait; NULL: it was stopped. */
typedef void tester_told(void *arg, const struct outcome *outcome);
int tester_submit_told(struct tester *tester, const struct state *state, tester_told *told, void *arg, struct err *err);

/* Start recovery on all that a crash may leave at this moment; see run/lazy.h.  `certain` is state_none.  -1,
 * ERR_TARGET: there is no fork server. */
int tester_submit_lazy(struct tester *tester, const struct state *certain, void *ticket,
		       const struct lazy_options *options, struct err *err);

/* One more recovery was run, as a leaf of such a tree. */
void tester_count(struct tester *tester, const struct outcome *outcome);

/* Is it too late to submit anything? */
bool tester_time_is_over(const struct tester *tester);

/* Wait until all that were submitted have ended. */
int tester_drain(struct tester *tester, struct err *err);

/* Run recovery on one state of this moment, alone, with `patience` times the time limit.  *outcome is the caller's to
 * free.  Not known afterwards. */
int tester_run(struct tester *tester, const struct state *state, unsigned patience, struct outcome *outcome,
	       struct err *err);

/* The same on files as they are in `content`. */
int tester_run_content(struct tester *tester, const struct content *content, unsigned patience, struct outcome *outcome,
		       struct err *err);

/* The stack of recovery, which a signal kills on this state, or which hangs; see recovery_stack. */
int tester_stack(struct tester *tester, const struct state *state, bool hangs, struct recovery_frame *frames,
		 size_t room, struct err *err);

/* Run another command on this state, on real files at the original paths; see recovery_other. */
int tester_other(struct tester *tester, const struct state *state, char *const *argv, char *const *environment,
		 unsigned patience, struct outcome *outcome, struct err *err);

/* The same on files as they are in `content`. */
int tester_other_content(struct tester *tester, const struct content *content, char *const *argv,
			 char *const *environment, unsigned patience, struct outcome *outcome, struct err *err);

struct recovery *tester_recovery(const struct tester *tester);

uint64_t tester_runs(const struct tester *tester);   /* recoveries run so far */
uint64_t tester_failed(const struct tester *tester); /* of those submitted, not passed */

struct ending ending_of(const struct outcome *outcome);

#endif
