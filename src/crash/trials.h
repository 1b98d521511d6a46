/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trials.h - the crash states that were chosen, in the order of the trace, and what is to be made of their outcomes.
 *
 * A trial is one state that was considered; its outcome is that of its content (known.h), whoever ran it.  Judging
 * comes after testing and looks at the trials in order, so it does not matter who was faster:
 *
 *  1. Creation.  Where recovery does not pass on the initial state, but ends by itself, the same end is acceptable in
 *     every trial before the first one that holds only what is guaranteed and passes: creation was rolled back.
 *  2. A program-order prefix that fails belongs with those before it, up to the last that does not fail so: they fail
 *     for the same reason, which came with a store in between.  One job each: find that store.
 *  3. What is guaranteed alone, failing where the prefix of the same moment does not, fails for what is lost.  Trials
 *     that lose stores of the same code and fail alike are one job: find out which of them matter.
 *  4. The same content counts once, where it is first met.
 *  5. A prefix that still fails after a library's create call has returned fails for a reason of its own: one more
 *     job, at the first trial after the call (creation.h). */
#ifndef BLACKOUT_CRASH_TRIALS_H
#define BLACKOUT_CRASH_TRIALS_H

#include "base/map.h"
#include "base/vec.h"
#include "crash/known.h"

enum trial_which { TRIAL_ALL, TRIAL_NONE };

struct trial {
	struct digest digest;
	uint64_t event; /* the crash comes after it */
	uint64_t lost;  /* NONE: hash of the contexts whose stores are lost */
	uint32_t point; /* number of the failure point; 0: a moment of explore, before the event that is told by: */
	uint32_t context;
	uint8_t op;      /* enum op; OP_COUNT: the end */
	uint8_t which;   /* enum trial_which */
	bool guaranteed; /* holds only what is guaranteed: NONE, and ALL where nothing is pending */
	bool accepted;   /* rule 1 */
	bool creating;   /* rule 5: it fails, and the power failed inside a create call */
	bool explored;   /* it is one of many states of its moment, which are counted elsewhere */
};

struct trials {
	VEC_OF(struct trial) all;
};

/* What `counted` has of a content. */
enum { COUNTED = 1, COUNTED_FAILING };

enum { JOB_INJECT = 1, JOB_EXPLORE = 2 };

/* What is to be explained. */
struct job {
	const struct trial *trial; /* the first of those that fail so */
	struct ending ending;      /* how */
	uint64_t start;        /* ALL: the event of the last prefix that does not fail so; NONE: that of the trial */
	uint64_t states;       /* different contents */
	unsigned detectors;    /* JOB_INJECT, JOB_EXPLORE: who met it */
	const bool *persisted; /* NONE: a flag for each pending unit; NULL: none is */
};

struct jobs {
	VEC_OF(struct job) all;
};

/* What judging found. */
struct judgement {
	uint64_t distinct; /* contents */
	uint64_t tested;   /* of them, with an outcome */
	uint64_t failed;   /* of them, neither passed nor accepted */
	uint64_t accepted;
};

/* The state, from an image that has come to its event; the caller's to free. */
struct state *trial_state(const struct trial *trial, struct image *image);

/* Rule 1; `initial` is the ending on the initial state. */
void trials_accept(struct trials *trials, const struct known *known, struct ending initial);

/* Rules 2 to 4; jobs are in the order of their start.  The trials must stay where they are as long as the jobs.  *found
 * grows; a content that is in `counted` already, from another platform, adds nothing to it. */
void trials_judge(const struct trials *trials, const struct known *known, struct jobs *jobs, struct map *counted,
		  struct judgement *found);

/* Drop jobs that hold nothing but contents that were met before: these are explained there.  Those of explore remain,
 * to say that it met them, too. */
void jobs_prune(struct jobs *jobs);

/* After rule 1: the event of the first trial that holds only what is guaranteed and passes, from which on nothing is
 * accepted. */
uint64_t trials_created(const struct trials *trials, const struct known *known);

/* In the order of events; a reading adds them so, but there may be several (--budget). */
void trials_sort(struct trials *trials);

#endif
