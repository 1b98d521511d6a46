/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trials.h - the chosen crash states in trace order, and how their outcomes are judged.
 *
 * A trial is one state that was considered.  Its verdict is that of its case (outcomes.h), no matter which trial
 * recovery ran for.  Judging comes after testing and looks at the trials in trace order, so it does not depend on which
 * worker was faster:
 *
 *  1. Creation.  If recovery does not pass on the initial state, but ends by itself, then the same verdict is accepted
 *     in every trial before the first moment where a trial with only guaranteed stores passes: creation was rolled
 *     back.
 *  2. A program-order prefix that fails, when the one before it does not fail in the same way, is a job: find the store
 *     that made the difference.  Each later prefix that fails in the same way is a job that names the first one.  Most
 *     fail for the same reason, but that has to be verified.
 *  3. Any other state, mostly the one with only guaranteed stores, fails because of the stores it loses.  Trials that
 *     lose stores of the same code and fail alike are one job: find out which of the stores matter.  If the prefix of
 *     the same moment fails alike, the job names the prefix's job.
 *  4. A content belongs to one job only, the first.
 *  5. A prefix that still fails after a library's create call has returned has a reason of its own: one more job, at
 *     the first trial after the call (creation.h).
 *
 *  6. A trial that an oracle asked for (`orderly` in oracle.h) is no crash: everything is on media, at a moment
 *     where it should be.  No store makes the difference, so all of them that fail in this way are one job, apart from
 *     other prefixes.
 *
 * The trials of each strategy are judged separately, so its results do not depend on the other strategies. */
#ifndef BLACKOUT_CRASH_TRIALS_H
#define BLACKOUT_CRASH_TRIALS_H

#include "base/map.h"
#include "base/vec.h"
#include "crash/outcomes.h"
#include "image/contents.h"
#include "image/state.h"

enum trial_which { TRIAL_ALL, TRIAL_NONE };

struct trial {
	struct digest digest;  /* of the case (crash_context.h) */
	uint64_t event;        /* the crash is just after this event */
	uint64_t number;       /* the number of trials before it; sorts those of the same event */
	uint64_t from;         /* ALL: the user asked for no crash before this event */
	uint64_t lost;         /* NONE: hash of the contexts whose stores are lost */
	const bool *persisted; /* NONE: a flag for each pending unit, any legal set; NULL: none is persisted */
	uint32_t point;        /* failure point; 0: any moment, just before an event with this context and op: */
	uint32_t context;
	uint8_t op;      /* enum op; OP_COUNT: the end */
	uint8_t which;   /* enum trial_which */
	bool guaranteed; /* only guaranteed stores are on media: NONE, and ALL if nothing is pending */
	bool accepted;   /* rule 1 */
	bool creating;   /* rule 5: fails with the power lost inside a create call */
	bool orderly;    /* ALL: rule 6 */
};

struct trials {
	VEC_OF(struct trial) all;
};

/* Failures that need one explanation. */
struct job {
	const struct trial *trial; /* the first that fails in this way */
	struct digest digest;      /* of the first state: the trial's, unless `persisted` is set */
	struct verdict verdict;    /* how it fails */
	uint64_t start;            /* ALL: search from this event on; NONE: the trial's event */
	uint64_t states;           /* distinct contents */
	uint64_t fresh;            /* of these, contents that no earlier strategy found */
	unsigned strategy;         /* the one that found it: its place among the campaign's strategies */
	const bool *persisted;     /* NONE: a flag for each pending unit; NULL: none is persisted */
	bool moved;                /* ALL: the search restarted after a file's size or name changed */
	bool follows;              /* an earlier prefix fails alike; `prefix` names it */
	struct digest prefix;      /* the first state of that job */
	size_t order;              /* position among jobs with the same start */
};

struct jobs {
	VEC_OF(struct job) all;
};

/* The result of judging.  A content counts once, with its worst result: it may be accepted at one moment and fail at
 * another. */
struct judgement {
	uint64_t distinct; /* contents */
	uint64_t tested;   /* of these, with an outcome */
	uint64_t failed;   /* of these, neither passed nor accepted */
	uint64_t accepted;
	struct map contents; /* contents -> enum content_result */
};

enum content_result { CONTENT_NONE, CONTENT_UNTESTED, CONTENT_TESTED, CONTENT_ACCEPTED, CONTENT_FAILED };

void judgement_count(struct judgement *found, struct digest content, enum content_result result);

/* The maps hold failing contents -> 1. */
struct judge_seen {
	struct map *own;            /* found in this judging */
	const struct map *others;   /* found by earlier strategies; NULL: there are none */
	const struct contents *run; /* count only these, since other outcomes were inferred; NULL: all */
};

void job_count(struct job *job, const struct judge_seen *seen, struct digest content);

/* Make the trial's state from an image that stands after its event.  The caller must free it. */
struct state *trial_state(const struct trial *trial, struct image *image);

/* Rule 1: is this failure accepted before creation is over?  Recovery ended by itself, as on the initial state. */
static inline bool verdict_is_accepted(struct verdict verdict, struct verdict initial)
{
	verdict.orderly = initial.orderly; /* the initial state is orderly only before the first operation */
	return verdict_failed(verdict) && verdict.ending.kind == ENDING_EXIT && verdict_same(verdict, initial);
}

/* Apply rule 1.  `initial` is the verdict on the initial state. */
void trials_accept(struct trials *trials, const struct outcomes *outcomes, struct verdict initial);

/* Apply rules 2 to 4.  Jobs are added in the order of their trials.  The trials must not move as long as the jobs are
 * used.  *found grows by contents that are new to it. */
void trials_judge(const struct trials *trials, const struct outcomes *outcomes, unsigned strategy, struct jobs *jobs,
		  const struct judge_seen *seen, struct judgement *found);

/* Remove jobs without contents of their own, and sort the rest by their start. */
void jobs_prune(struct jobs *jobs);

/* Rule 1: the event of the first trial that holds only guaranteed stores and passes.  From there on nothing is
 * accepted. */
uint64_t trials_created(const struct trials *trials, const struct outcomes *outcomes);

/* Sort by event.  One reading adds trials in this order, but with --budget there may be several readings. */
void trials_sort(struct trials *trials);

#endif
