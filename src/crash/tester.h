/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester.h - hand in crash states, get the outcomes of recovery.  Whoever chooses the states does not know who runs
 * recovery.
 *
 *     struct tester *t;
 *     tester_open(&t, &tester_local, &options, image, known, &err);
 *     while (...) {                                             // the image moves on
 *             struct digest d = state_digest(image, persisted);
 *             if (!known_claim(known, d)) {
 *                     tester_submit(t, state = state_new(image, persisted), &err);     // may wait for a worker, not for the outcome
 *                     state_free(state);
 *             }
 *     }
 *     tester_drain(t, &err);                                    // now known_get(known, d) has all outcomes
 *     tester_run(t, state, 1, &outcome, &err);                  // or one alone, with all that it printed
 *     tester_close(t);
 *
 * A tester belongs to one image.  What it learns goes to `known`, which outlives it.
 *
 * Implementations: `tester_local` (tester_local.c) runs recovery on workers of this machine.  Unit tests bring a fake
 * that starts no process (test/unit/fake_tester.h).  A new one fills struct tester_ops. */
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

/* What the calls below return, besides 0 and -1. */
enum { TESTER_STOPPED = -2 /* interrupted, or the time is over */ };

/* Is told of an outcome, from within the functions here that wait; NULL: it was stopped. */
typedef void tester_told(void *arg, const struct outcome *outcome);

/* A state that was submitted.  The tester keeps this, and nothing of the state. */
struct tester_ticket {
	struct digest digest;
	tester_told *told; /* NULL: nobody else wants to know */
	void *told_arg;
};

/* What recovery runs on: a state of this moment or, if that is NULL, files with this content. */
struct tester_input {
	const struct state *state;
	const struct content *content;
};

/* What a tester knows about recovery, so far. */
struct tester_facts {
	enum recovery_mode mode; /* settled by the first run */
	const char *reason;      /* why it is none before that, as recovery_reason; NULL: nothing to be said */
	bool lazy;               /* submit_lazy is possible */
	bool opened;             /* recovery was seen to open PM files, or that cannot be told */
	uint64_t unopened;       /* runs that could have opened one, but did not */
};

/* A recording of recovery. */
struct tester_recording {
	const char *dir; /* as recording_create made it; the recording is not sealed yet */
	bool loads;      /* with PM loads */
	bool code_hash;  /* with hashes of the code */
};

struct tester;

/* The contract of an implementation.  The functions return 0, TESTER_STOPPED or -1 with *err filled, unless they say
 * otherwise.  The caller has looked at the deadlines. */
struct tester_ops {
	/* Begin recovery on a state.  The state is the caller's, and gone when this returns.  If it returns 0,
	 * tester_learn or tester_give_up is called for the ticket, once: from within any function here, `close` at the
	 * latest.  Otherwise it is never called. */
	int (*submit)(struct tester *tester, const struct state *state, const struct tester_ticket *ticket,
		      struct err *err);

	/* Begin recovery on all that a crash may leave at this moment; see run/lazy.h.  Needed only if facts.lazy. */
	int (*submit_lazy)(struct tester *tester, const struct state *certain, void *ticket,
			   const struct lazy_options *options, struct err *err);

	/* Wait until all that were submitted have ended.  TESTER_STOPPED: what had not ended was given up. */
	int (*drain)(struct tester *tester, struct err *err);

	/* Run recovery once, alone, with `patience` times the time limit.  What was submitted ends first.  *outcome is
	 * the caller's to free. */
	int (*run)(struct tester *tester, const struct tester_input *input, unsigned patience, struct outcome *outcome,
		   struct err *err);

	/* Record recovery, once, like any program.  How it ends does not matter. */
	int (*record)(struct tester *tester, const struct tester_input *input, const struct tester_recording *how,
		      struct err *err);

	/* The stack of recovery, which a signal kills on this state, or which hangs.  Returns the number of frames. */
	int (*stack)(struct tester *tester, const struct state *state, bool hangs, struct recovery_frame *frames,
		     size_t room, struct err *err);

	struct tester_facts (*facts)(const struct tester *tester);

	/* Files that appeared beside PM files, and are not recovery's; NULL after the last. */
	const char *(*stranger)(const struct tester *tester, size_t index);

	/* End what still runs, and free. */
	void (*close)(struct tester *tester);
};

/* The part that all testers have in common: the first member of what an implementation allocates. */
struct tester {
	const struct tester_ops *ops;
	struct tester_options options;
	struct image *image;
	struct known *known;
	uint64_t runs, failed;
};

/* Opens testers.  *tester comes filled as above but for `ops`, and is to be copied. */
struct tester_maker {
	int (*open)(struct tester **tester, const struct tester *common, void *arg, struct err *err);
	/* Is there what `record` needs?  0 or -1. */
	int (*can_record)(void *arg, struct err *err);
	void *arg;
};

extern const struct tester_maker tester_local;

/* For implementations */

/* A state that was submitted has this outcome. */
void tester_learn(struct tester *tester, const struct tester_ticket *ticket, const struct outcome *outcome);

/* It will have none. */
void tester_give_up(const struct tester_ticket *ticket);

/* For those who choose states */

int tester_open(struct tester **tester, const struct tester_maker *maker, const struct tester_options *options,
		struct image *image, struct known *known, struct err *err);
void tester_close(struct tester *tester);

/* Start recovery on a state of this moment; and tell somebody of the outcome. */
int tester_submit(struct tester *tester, const struct state *state, struct err *err);
int tester_submit_told(struct tester *tester, const struct state *state, tester_told *told, void *arg, struct err *err);

/* Start recovery on all that a crash may leave at this moment.  `certain` is state_none.  -1, ERR_TARGET: there is no
 * fork server. */
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

/* Record recovery on this input. */
int tester_record(struct tester *tester, const struct tester_input *input, const struct tester_recording *how,
		  struct err *err);

struct tester_facts tester_facts(const struct tester *tester);
const char *tester_stranger(const struct tester *tester, size_t index);

uint64_t tester_runs(const struct tester *tester);   /* recoveries run so far */
uint64_t tester_failed(const struct tester *tester); /* of those submitted, not passed */

struct ending ending_of(const struct outcome *outcome);

#endif
