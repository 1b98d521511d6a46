/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester_local_in.h - what the files of tester_local.c share: its workers, and how to run recovery on one of them. */
#ifndef BLACKOUT_CRASH_TESTER_LOCAL_IN_H
#define BLACKOUT_CRASH_TESTER_LOCAL_IN_H

#include "crash/checkpoints.h"
#include "crash/tester.h"
#include "image/stage.h"
#include "run/words.h"

/* A worker, and the ticket of the state that it runs. */
struct slot {
	struct stage *stage;
	struct tester_ticket ticket;
	struct words argv, environment; /* of the recorder, if it runs in place of recovery */
	/* checkpoints.h */
	struct stage_view view;
	struct checkpoints_worker way;
	struct outcome doubted;   /* must be confirmed by a run from the start, */
	bool doubts;              /* which is not started yet, */
	bool confirms;            /* or under way */
	struct outcome *practice; /* not NULL: the run is only for the checkpoints, and its outcome goes there */
	double tree_since; /* when its last run on undecided lines began, if that was at the start; 0: none did */
};

struct local {
	struct tester tester;
	const struct crash_context *alone; /* of the run that has the tester to itself */
	struct staging *staging;
	struct recovery *recovery;
	struct slot *slots;
	unsigned views; /* that are open: those of the first slots */
};

static inline struct local *local_of(struct tester *tester)
{
	return (struct local *)tester;
}

/* Translate a status of recovery.h to tester.h. */
static inline int local_result(int r)
{
	return r == RECOVERY_INTERRUPTED ? TESTER_STOPPED : r;
}

/* tester_local.c */

/* The slot has nothing to do any more; returns the ticket of what it did. */
struct tester_ticket slot_clear(struct slot *slot);
/* What its last walk has logged. */
struct checkpoints_walk slot_walked(const struct local *local, const struct slot *slot);
/* Two outcomes of the same state, the second one from the start. */
void local_compare(struct local *local, const struct outcome *outcome, const struct outcome *start);
/* Load the state into the stage of an idle worker, and return the worker's number. */
int local_fill(struct local *local, const struct state *state, const struct crash_context *crash, struct err *err);
int local_drain(struct tester *tester, struct err *err);
/* Load it into the stage of the first worker, once all workers are idle. */
int local_stage_state(struct local *local, const struct state *state, struct err *err);
int local_stage_input(struct local *local, const struct tester_input *input, struct err *err);

/* tester_local_tree.c */

int local_submit_lazy(struct tester *tester, const struct tester_input *certain, void *ticket,
		      const struct lazy_options *options, struct err *err);

/* tester_local_record.c */

int local_can_record(void *arg, struct err *err);
int local_record(struct tester *tester, const struct tester_input *input, const struct tester_recording *how,
		 struct err *err);
int local_start_recording(struct tester *tester, const struct tester_input *input, const struct tester_recording *how,
			  tester_heard *heard, void *arg, struct err *err);
/* If recoveries have taken long enough, find out what they read.  0 also if that was in vain. */
int local_profile_if_due(struct local *local, const struct state *state, const struct crash_context *crash,
			 struct err *err);

#endif
