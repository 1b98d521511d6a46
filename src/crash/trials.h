/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trials.h - the crash states that were chosen, in the order of the trace, and what is to be made of their outcomes.
 *
 * A trial is one state that was considered; its outcome is that of its content (known.h), whoever ran it.  Judging
 * comes after testing and looks at the trials in order, so it does not matter who was faster:
 *
 *  1. Creation.  Where recovery does not pass on the initial state, but ends by itself, the same end is acceptable in
 *     every trial of an earlier moment than the first one that holds only what is guaranteed and passes: creation was
 *     rolled back.
 *  2. A program-order prefix that fails where the one before it does not fail in the same way is a job: find the store
 *     that made the difference.  Each prefix after it that fails in the same way is a job that names it: most fail for
 *     the same reason, but that has to be seen.
 *  3. What is guaranteed alone fails for what is lost.  Trials that lose stores of the same code and fail alike are one
 *     job: find out which of them matter.  Where the prefix of the same moment fails alike, the job names the job of that.
 *  4. The same content belongs to one job, the first.
 *  5. A prefix that still fails after a library's create call has returned fails for a reason of its own: one more
 *     job, at the first trial after the call (creation.h).
 *
 * Each strategy that makes trials has them judged apart from those of others: what one says does not depend on which
 * others are at work. */
#ifndef BLACKOUT_CRASH_TRIALS_H
#define BLACKOUT_CRASH_TRIALS_H

#include "base/map.h"
#include "base/vec.h"
#include "crash/contents.h"
#include "crash/known.h"

enum trial_which { TRIAL_ALL, TRIAL_NONE };

struct trial {
	struct digest digest;
	uint64_t event; /* the crash comes after it */
	uint64_t from;  /* ALL: the user asked for no crash that comes before this event */
	uint64_t lost;  /* NONE: hash of the contexts whose stores are lost */
	uint32_t point; /* number of the failure point; 0: a moment of explore, before the event that is told by: */
	uint32_t context;
	uint8_t op;      /* enum op; OP_COUNT: the end */
	uint8_t which;   /* enum trial_which */
	bool guaranteed; /* holds only what is guaranteed: NONE, and ALL where nothing is pending */
	bool accepted;   /* rule 1 */
	bool creating;   /* rule 5: it fails, and the power failed inside a create call */
};

struct trials {
	VEC_OF(struct trial) all;
};

enum { JOB_INJECT = 1, JOB_EXPLORE = 2 };

/* What is to be explained. */
struct job {
	const struct trial *trial; /* the first of those that fail so */
	struct digest digest;      /* of the first state; it is that of the trial unless `persisted` says otherwise */
	struct ending ending;      /* how */
	uint64_t start;            /* ALL: search from this event on; NONE: that of the trial */
	uint64_t states;           /* different contents */
	uint64_t fresh;            /* of these, the ones that no other strategy has met */
	unsigned detectors;        /* JOB_INJECT, JOB_EXPLORE: who met it */
	const bool *persisted;     /* NONE: a flag for each pending unit; NULL: none is */
	bool moved;                /* ALL: the search began anew, after a change of a file's size or name */
	bool follows;              /* a prefix that fails alike was met before: */
	struct digest prefix;      /* the first state of its job */
	size_t order;              /* of those with the same start */
};

struct jobs {
	VEC_OF(struct job) all;
};

/* What judging found.  A content counts once, as the worst that is said of it: it may be accepted at one moment and
 * fail at another. */
struct judgement {
	uint64_t distinct; /* contents */
	uint64_t tested;   /* of them, with an outcome */
	uint64_t failed;   /* of them, neither passed nor accepted */
	uint64_t accepted;
	struct map verdicts; /* contents -> enum verdict */
};

enum verdict { VERDICT_NONE, VERDICT_UNTESTED, VERDICT_TESTED, VERDICT_ACCEPTED, VERDICT_FAILED };

void judgement_count(struct judgement *found, struct digest content, enum verdict verdict);

/* Failing contents have 1 in the maps. */
struct judge_seen {
	struct map *own;            /* met in this judging */
	const struct map *others;   /* met by other strategies; NULL: there are none */
	const struct contents *run; /* only these count: the outcomes of others were inferred; NULL: all */
};

void job_count(struct job *job, const struct judge_seen *seen, struct digest content);

/* The state, from an image that has come to its event; the caller's to free. */
struct state *trial_state(const struct trial *trial, struct image *image);

/* Rule 1; `initial` is the ending on the initial state. */
void trials_accept(struct trials *trials, const struct known *known, struct ending initial);

/* Rules 2 to 4; jobs are in the order of their trials.  The trials must stay where they are as long as the jobs.  *found
 * grows by the contents that are new to it. */
void trials_judge(const struct trials *trials, const struct known *known, unsigned detector, struct jobs *jobs,
		  const struct judge_seen *seen, struct judgement *found);

/* Drop jobs without contents of their own, and sort the rest by their start. */
void jobs_prune(struct jobs *jobs);

/* Rule 1: the event of the first trial that holds only what is guaranteed and passes, from which on nothing is
 * accepted. */
uint64_t trials_created(const struct trials *trials, const struct known *known);

/* In the order of events; a reading adds them so, but there may be several (--budget). */
void trials_sort(struct trials *trials);

#endif
