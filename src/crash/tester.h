/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester.h - submit crash states, get the outcomes of recovery.  The code that chooses states does not know how
 * recovery is run.
 *
 *     struct tester *t;
 *     tester_open(&t, &tester_local, &options, image, outcomes, &err);
 *     while (...) {                                             // the image moves on
 *             struct digest name = crash_case(state_digest(image, persisted), &crash);
 *             if (!tester_claim(t, name, &crash, &err)) {
 *                     state = state_new(image, persisted);
 *                     tester_submit(t, state, &crash, &err);    // may wait for a worker
 *                     state_free(state);
 *             }
 *     }
 *     tester_drain(t, &err);                                    // now outcomes_get(outcomes, name) knows all
 *     tester_run(t, state, &crash, 1, &run, &err);              // or run one alone, and get its output
 *     tester_close(t);
 *
 * A tester belongs to one image.  It puts verdicts into `outcomes`, which outlives it.
 *
 * Implementations: `tester_local` (tester_local.c) runs recovery on workers of this machine.  Unit tests bring a fake
 * that starts no process (test/unit/fake_tester.h).  A new implementation fills struct tester_ops. */
#ifndef BLACKOUT_CRASH_TESTER_H
#define BLACKOUT_CRASH_TESTER_H

#include "crash/outcomes.h"
#include "image/content.h"
#include "image/state.h"
#include "run/lazy.h"
#include "run/recovery.h"

struct checkpoints;

struct tester_options {
	struct recovery_options recovery; /* the tester sets `done` and `arg` */
	const char *fallback;             /* directory for stages if there is no room in memory */
	/* Nothing is submitted after this clock_seconds(); 0: no limit. recovery.end uses the same clock. */
	double deadline;
	/* The deadline once something has failed; the time after it is for finding the cause. */
	double deadline_failed;
	uint64_t failed;    /* failures without a known cause before this tester opened */
	struct shard shard; /* see shard.h */
	const struct shard_parts *parts;
	struct checkpoints *checkpoints; /* checkpoints.h; NULL: recovery always begins at the start */
	void (*look)(void *arg);         /* called after each outcome; may be NULL */
	void *arg;
};

/* Returned by the calls below, besides 0 and -1. */
enum { TESTER_STOPPED = -2 /* interrupted or out of time */ };

/* Called with a verdict, from within the functions here that wait.  NULL: the run was stopped. */
typedef void tester_told(void *arg, const struct verdict *verdict);
/* The same with an outcome that nobody judges. */
typedef void tester_heard(void *arg, const struct outcome *outcome);

/* A submitted state.  The tester keeps this, and nothing of the state. */
struct tester_ticket {
	struct digest name; /* of the case */
	struct crash_context crash;
	tester_told *told;   /* may be NULL */
	tester_heard *heard; /* not NULL: nobody judges it */
	void *arg;           /* of both */
};

/* The input of recovery: a state of this moment or, if that is NULL, files with this content.  `crash` is how they came
 * about; its `command` says which recovery is to be started. */
struct tester_input {
	const struct state *state;
	const struct content *content;
	const struct crash_context *crash;
};

/* A run of recovery that was judged. */
struct tester_result {
	struct outcome outcome;
	struct verdict verdict;
};

/* Facts about recovery that a tester has learned so far. */
struct tester_facts {
	enum recovery_mode mode; /* decided by the first run */
	const char *reason;      /* why the mode is not the wanted one, as recovery_reason; NULL if it is */
	bool lazy;               /* submit_lazy is possible */
	bool opened;             /* recovery was seen to open PM files, or that cannot be observed */
	uint64_t unopened;       /* runs that opened no PM file although there was one */
};

/* A recording of recovery. */
struct tester_recording {
	const char *dir;   /* made by recording_create; the recording is not sealed yet */
	uint32_t layers;   /* enum bo_layer bits, besides stores, flushes and fences */
	unsigned patience; /* it may take this many times the time limit; 0: as long as a recording usually may */
	double seconds;    /* and not more than this; 0: that does not matter */
	uint64_t most;     /* recovery is ended when the recording has so many bytes (recorder.h); 0: no limit */
};

struct tester;

/* The contract of an implementation.  The functions return 0, TESTER_STOPPED or -1 with *err filled, unless they say
 * otherwise.  The caller has already checked the deadlines. */
struct tester_ops {
	/* Start recovery on a state.  The caller owns the state and may free it when this returns.  If this returns 0,
	 * the implementation must call tester_learn or tester_give_up for the ticket exactly once, from within any
	 * function here, at the latest in `close`.  Otherwise it must call neither. */
	int (*submit)(struct tester *tester, const struct state *state, const struct tester_ticket *ticket,
		      struct err *err);

	/* Start recovery on all crash states of this moment; see run/lazy.h.  Needed only if facts.lazy. */
	int (*submit_lazy)(struct tester *tester, const struct tester_input *certain, void *ticket,
			   const struct lazy_options *options, struct err *err);

	/* Wait until all submitted runs have ended.  TESTER_STOPPED: the unfinished ones were given up. */
	int (*drain)(struct tester *tester, struct err *err);

	/* Run recovery once, alone, with `patience` times the time limit, after all submitted runs have ended.  The
	 * caller must free *outcome. */
	int (*run)(struct tester *tester, const struct tester_input *input, unsigned patience, struct outcome *outcome,
		   struct err *err);

	/* Record one run of recovery.  Its outcome does not matter. */
	int (*record)(struct tester *tester, const struct tester_input *input, const struct tester_recording *how,
		      struct err *err);

	/* Start to record recovery on a state, beside other runs.  As for `submit`, and if this returns 0, it must call
	 * `heard` exactly once: NULL if the recording was given up. */
	int (*start_recording)(struct tester *tester, const struct tester_input *input,
			       const struct tester_recording *how, tester_heard *heard, void *arg, struct err *err);

	/* Get the stack of recovery where a signal kills it on this state, or where it hangs.  Returns the number of
	 * frames. */
	int (*stack)(struct tester *tester, const struct tester_input *input, bool hangs, struct recovery_frame *frames,
		     size_t room, struct err *err);

	struct tester_facts (*facts)(const struct tester *tester);

	/* Files that appeared beside PM files and are not recovery's; NULL after the last. */
	const char *(*foreign_file)(const struct tester *tester, size_t index);

	/* End all runs, and free. */
	void (*close)(struct tester *tester);
};

/* The common part of all testers: the first member of the struct that an implementation allocates. */
struct tester {
	const struct tester_ops *ops;
	struct tester_options options;
	struct image *image;
	struct outcomes *outcomes;
	uint64_t runs, failed;
};

/* Opens testers.  `common` has all fields set except `ops`; the implementation copies it. */
struct tester_maker {
	int (*open)(struct tester **tester, const struct tester *common, void *arg, struct err *err);
	/* Is everything that `record` needs available?  0 or -1. */
	int (*can_record)(void *arg, struct err *err);
	void *arg;
};

extern const struct tester_maker tester_local;

/* For implementations */

/* Report the outcome of a submitted state. */
void tester_learn(struct tester *tester, const struct tester_ticket *ticket, const struct outcome *outcome);

/* Report that a submitted state will have no outcome. */
void tester_give_up(const struct tester_ticket *ticket);

/* For users of a tester */

int tester_open(struct tester **tester, const struct tester_maker *maker, const struct tester_options *options,
		struct image *image, struct outcomes *outcomes, struct err *err);
void tester_close(struct tester *tester);

/* outcomes_claim, after the oracles have made themselves ready for this context.  1: the verdict is known, or will be, or
 * is the business of another shard; 0: the caller is going to submit it. */
int tester_claim(struct tester *tester, struct digest name, const struct crash_context *crash, struct err *err);
/* The same for a case of a moment that is this shard's own; rule 2 of shard.h. */
int tester_claim_own(struct tester *tester, struct digest name, const struct crash_context *crash, struct err *err);

/* Make the oracles ready for a context whose states are the business of another shard; rule 3 of shard.h. */
int tester_prepare(struct tester *tester, const struct crash_context *crash, struct err *err);

/* Start recovery on a state of this moment.  May wait for an idle worker, but not for the outcome.  The second form
 * calls `told` with the verdict. */
int tester_submit(struct tester *tester, const struct state *state, const struct crash_context *crash, struct err *err);
int tester_submit_told(struct tester *tester, const struct state *state, const struct crash_context *crash,
		       tester_told *told, void *arg, struct err *err);

/* Start recovery on any state, legal or not, and hear how it ends.  No oracle judges it, and it is no case.  If its
 * digest is known, crash states with this content share the run, as for outcomes_claim. */
int tester_listen(struct tester *tester, const struct state *state, const struct crash_context *crash,
		  tester_heard *heard, void *arg, struct err *err);

/* Start recovery on all crash states of this moment.  `certain` is state_none.  -1, ERR_TARGET: there is no fork
 * server. */
int tester_submit_lazy(struct tester *tester, const struct state *certain, const struct crash_context *crash,
		       void *ticket, const struct lazy_options *options, struct err *err);

/* Count one more run of recovery, a leaf of such a tree. */
void tester_count(struct tester *tester, struct verdict verdict);

/* Seconds until it is too late to submit anything; negative: there is no limit. */
double tester_time_left(const struct tester *tester);
/* Is it too late to submit anything? */
bool tester_time_is_over(const struct tester *tester);
/* The same, or the user interrupts.  For what takes long between two functions here that wait. */
bool tester_is_stopped(const struct tester *tester);

/* Wait until all submitted runs have ended. */
int tester_drain(struct tester *tester, struct err *err);

/* Run recovery on one state of this moment, alone, with `patience` times the time limit.  The caller must free
 * result->outcome.  It is not added to `outcomes`. */
int tester_run(struct tester *tester, const struct state *state, const struct crash_context *crash, unsigned patience,
	       struct tester_result *result, struct err *err);

/* The same on files with this content. */
int tester_run_content(struct tester *tester, const struct content *content, const struct crash_context *crash,
		       unsigned patience, struct tester_result *result, struct err *err);

/* Get the stack of recovery where a signal kills it on this state, or where it hangs; see recovery_stack. */
int tester_stack(struct tester *tester, const struct state *state, const struct crash_context *crash, bool hangs,
		 struct recovery_frame *frames, size_t room, struct err *err);

/* Record recovery on this input. */
int tester_record(struct tester *tester, const struct tester_input *input, const struct tester_recording *how,
		  struct err *err);

/* Start to record recovery on a state of this moment.  May wait for an idle worker, but not for the end, which `heard` is
 * told.  how->dir must live until then. */
int tester_start_recording(struct tester *tester, const struct tester_input *input, const struct tester_recording *how,
			   tester_heard *heard, void *arg, struct err *err);

struct tester_facts tester_facts(const struct tester *tester);
const char *tester_foreign_file(const struct tester *tester, size_t index);

uint64_t tester_runs(const struct tester *tester);   /* recoveries run so far */
uint64_t tester_failed(const struct tester *tester); /* submitted runs that did not pass */

#endif
