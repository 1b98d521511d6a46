/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - find the cause of a failing crash state.
 *
 *     explain_jobs(campaign, platform, created, &jobs, JUDGE_ALL, &err);      // adds results to the campaign
 *
 * explain.c reads the recording up to the state of each job.  There loss.c finds the fewest lost stores, or prefix.c
 * the shortest failing prefix, and result.c makes a result of it.  If recovery fails in this way without a crash, too,
 * there is no cause to find (orderly.c). */
#ifndef BLACKOUT_EXPLAIN_EXPLAIN_H
#define BLACKOUT_EXPLAIN_EXPLAIN_H

#include "crash/campaign_in.h"

/* How far to go. */
enum judge_extent {
	JUDGE_QUICKLY, /* between tests: skips what comes last (explain.c), and uses part of a budget */
	JUDGE_ALL,
};

/* Each job gets a result of its own, or joins an existing one.  Before the event `created` the initial
 * verdict is accepted. */
int explain_jobs(struct campaign *campaign, size_t platform, uint64_t created, struct jobs *jobs,
		 enum judge_extent extent, struct err *err);

/* A store of the program, with its first bytes. */
struct recent {
	struct crash_store store;
	uint8_t value[64];
};

enum { RECENT_MAX = 64 };

struct explain {
	struct campaign *campaign;
	struct reading *reading;
	size_t platform_index;
	const char *platform;
	uint64_t created;                  /* before this event the initial verdict is accepted */
	double enough;                     /* begin no job after this time; 0: no limit */
	double deadline;                   /* run nothing after this time; 0: no limit */
	bool hurry;                        /* interrupted or out of time: run nothing */
	struct recent recents[RECENT_MAX]; /* the last stores to PM, a ring */
	uint64_t recent_count;
	size_t result; /* 1 + index of the current job's result; 0: none yet */
};

/* The context of a crash where the image stands. */
struct crash_context explain_crash(const struct explain *explain);

/* Does recovery end in this way on this state?  1, 0; TESTER_STOPPED, -1.  Known outcomes are not run again. */
int explain_fails(struct explain *explain, const struct state *state, struct verdict verdict, struct err *err);

/* Is there time to run recovery if it is expected to end in this way? */
bool explain_may_run(struct explain *explain, struct verdict verdict);

/* Is there time to run recovery for its output, on a state that becomes a finding? This run may begin up to one time
 * limit after the deadline. */
bool explain_may_run_late(const struct explain *explain);

/* Is this verdict accepted for a crash after `event`?  Rule 1 of trials.h. */
bool explain_accepts(const struct explain *explain, uint64_t event, struct verdict verdict);

/* The result of the job that `follower` names; NULL: none. */
struct result *explain_followed(const struct explain *explain, const struct job *follower);

/* A job exceeded the time limit, but ends in this way with more time.  True if that needs no finding. */
bool explain_is_fine(const struct explain *explain, const struct job *job, struct verdict verdict);

/* loss.c: find the fewest lost stores that fail. prefix.c: find the shortest failing prefix; returns 1 if the cause
 * cannot be found from here and job->start has moved on. */
int loss_explain(struct explain *explain, const struct job *job, struct err *err);
int prefix_explain(struct explain *explain, struct job *job, struct err *err);

/* orderly.c: recovery fails in this way without a crash, too.  Returns 1 as prefix_explain does. */
int orderly_explain(struct explain *explain, struct job *job, struct err *err);

/* result.c: run recovery on the state for its output, keep the state in a folder, and add the result.  `result` has the
 * cause, places and stores.  If recovery passes this time, nothing is added. */
int result_add(struct explain *explain, const struct job *job, struct result *result, const struct state *state,
	       const struct crash_context *crash, struct err *err);

/* Count the job toward an existing result with the same cause. */
void result_join(struct explain *explain, struct result *result, const struct job *job);

/* Fill in the crash point of the trial. */
void result_point(const struct explain *explain, const struct trial *trial, struct crash_sighting *sighting);

/* Copy the stores into the sighting.  Their values must already be in the campaign's texts. */
void result_stores(struct explain *explain, struct crash_sighting *sighting, const struct crash_store *lost,
		   size_t lost_count, const struct crash_store *persisted, size_t persisted_count);

#endif
