/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - from a failing crash state to its cause; see explain.c. */
#ifndef BLACKOUT_CRASH_EXPLAIN_H
#define BLACKOUT_CRASH_EXPLAIN_H

#include "crash/campaign_in.h"

/* A store of the program, with its bytes, or as many as are kept. */
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
	uint64_t created;                  /* before this event the initial ending is accepted */
	double enough;                     /* after this no further job is begun; 0: none */
	double deadline;                   /* after this nothing is run any more; 0: none */
	bool hurry;                        /* nothing may be run: interrupted, or out of time */
	struct recent recents[RECENT_MAX]; /* the last stores to PM, a ring */
	uint64_t recent_count;
	size_t told; /* 1 + index of the result of the job at hand; 0: none yet */
};

/* Does recovery end on this state in that way?  1, 0; TESTER_STOPPED, -1.  What is known is not run again. */
int explain_fails(struct explain *explain, const struct state *state, struct ending ending, struct err *err);

/* May recovery still be run, where it is expected to end so? */
bool explain_may_run(struct explain *explain, struct ending ending);

/* May it, for what it says on a state that becomes a finding?  That has the time of one more run. */
bool explain_may_tell(const struct explain *explain);

/* Is this ending accepted for a crash after `event`?  Rule 1 of trials.h. */
bool explain_accepts(const struct explain *explain, uint64_t event, struct ending ending);

/* The result of the job that this one names; NULL: it has none. */
struct result *explain_told(const struct explain *explain, const struct job *follower);

/* A job that exceeded the time limit ends in this way if it has more: is there nothing to be told of it? */
bool explain_is_fine(const struct explain *explain, const struct job *job, struct ending ending);

/* loss.c: the fewest stores lost.  prefix.c: the shortest prefix; 1: it cannot be told from here, job->start has moved
 * on. */
int loss_explain(struct explain *explain, const struct job *job, struct err *err);
int prefix_explain(struct explain *explain, struct job *job, struct err *err);

/* result.c: run recovery on the state for what it says, keep the state in a folder, add the result.  `result` has the
 * cause, places and stores.  If recovery passes now, nothing is added. */
int result_add(struct explain *explain, const struct job *job, struct result *result, const struct state *state,
	       struct err *err);

/* The job has the same cause as a result that is there already. */
void result_join(struct explain *explain, struct result *result, const struct job *job);

/* The point of a trial. */
void result_point(const struct explain *explain, const struct trial *trial, struct crash_sighting *sighting);

/* Copies of stores; their values are in the campaign's texts already. */
void result_stores(struct explain *explain, struct crash_sighting *sighting, const struct crash_store *lost,
		   size_t lost_count, const struct crash_store *persisted, size_t persisted_count);

#endif
