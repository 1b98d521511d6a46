/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoints.h - which crash states may begin at a checkpoint of recovery (run/checkpoint.h), and whether it is right.
 *
 * A campaign has one of these; its testers ask it before each run, and tell it how the run ended:
 *
 *     if (checkpoints_wants_profile(k, &moment))
 *             checkpoints_learn(k, profile, seconds);         // recovery was recorded on the state in the stage
 *     choice = checkpoints_choose(k, &worker, &view, recovery_checkpoints(r, w));
 *     ... run recovery as the choice says, on the state in the stage ...
 *     if (checkpoints_doubt(k, &worker, run, passed))
 *             ... run it from the start, and compare: checkpoints_compare(k, &first, &second)
 *     if (checkpoints_are_off(k))
 *             outcomes_distrust(outcomes);
 *
 * RULES
 *
 *  1. Recovery is recorded once its runs have taken several times as long as that, and again if the profile is of little
 *     use by then.  All recordings together may take half as long as all runs have taken, and 0.75 s more; one that takes
 *     longer is cut off.  What is reported does not depend on it.
 *  2. A state begins at the deepest checkpoint before which recovery has read nothing that differs.  If it reads nothing at
 *     all that differs, its outcome is known.
 *  3. An outcome that does not pass never counts if it came about this way: recovery is run from the start.  So it is for
 *     the first passes, and later for one in a hundred, chosen by the seed and the state.
 *  4. The outcome from the start counts.  If there is a difference, there are no more checkpoints, and whatever passed
 *     without being run from the start does not count any more (outcomes_distrust), and is run again (recheck.h, and
 *     strategies that wait for outcomes).  A time-out of one of the two runs is no difference.
 *
 * doc/CHECKPOINTS.md explains it. */
#ifndef BLACKOUT_CRASH_CHECKPOINTS_H
#define BLACKOUT_CRASH_CHECKPOINTS_H

#include "crash/stage_view.h"
#include "image/digest.h"
#include "run/checkpoint.h"

struct checkpoints;

/* `under`: an existing directory for recordings of recovery; it must live as long as this.  `room`: bytes of memory for the
 * checkpoints of one worker. */
struct checkpoints *checkpoints_new(uint64_t seed, const char *under, uint64_t room);
void checkpoints_free(struct checkpoints *checkpoints);

const char *checkpoints_under(const struct checkpoints *checkpoints);

/* What is known about the checkpoints of one worker, and about its run.  Zeroed: nothing. */
struct checkpoints_worker {
	unsigned route;   /* the profile that its checkpoints were planned by */
	unsigned planned; /* checkpoints that its last walk may have left */
	unsigned walks;   /* that left none */
	bool logs;        /* the run is the walk whose log is wanted */
	bool whole;       /* all that recovery reads in this run is as in the profile */
	bool known;       /* the outcome is known without a run */
	bool shortened;   /* it is, or the run does not begin at the start */
	double skipped;   /* seconds of recovery that the run leaves out */
	double saved;     /* and what it saves; less, because a copy of a process has its cost */
};

/* A moment at which recovery might be recorded. */
struct checkpoints_moment {
	uint64_t setting; /* of the next run */
	unsigned workers; /* all of them wait for a recording */
	double start;     /* seconds of processor time before recovery comes to its first PM file; 0: not known */
	double left;      /* seconds that are left for testing; negative: there is no limit */
};

/* Should recovery be recorded on the next state? */
bool checkpoints_wants_profile(struct checkpoints *checkpoints, const struct checkpoints_moment *now);
/* If so: seconds after which the recording is cut off. */
double checkpoints_budget(const struct checkpoints *checkpoints);
/* The profile of such a recording, which now belongs to this; NULL: there is none.  `seconds`: what it took. */
void checkpoints_learn(struct checkpoints *checkpoints, struct profile *profile, double seconds);

struct checkpoints_choice {
	unsigned from;                      /* as for recovery_from */
	bool walks;                         /* call recovery_walk with: */
	const struct checkpoint_plan *plan; /* NULL: without stops */
	unsigned stops;                     /* recovery comes to so many of them as it did in the profile */
	const struct outcome *outcome;      /* not NULL: it need not be run, unless there is doubt */
};

/* `there`: how many checkpoints the worker has. */
struct checkpoints_choice checkpoints_choose(struct checkpoints *checkpoints, struct checkpoints_worker *worker,
					     const struct stage_view *view, unsigned there);

/* The same for a run on undecided lines (run/lazy.h), on a stage that has what is certain.  If it has to walk, that is a
 * run of its own, on what is in the stage; choose again after it. */
struct checkpoints_choice checkpoints_choose_tree(struct checkpoints *checkpoints, struct checkpoints_worker *worker,
						  const struct stage_view *view, unsigned there,
						  profile_filter *is_undecided, void *arg);

/* What a walk has logged. */
struct checkpoints_walk {
	const struct walk_event *events;
	size_t count;
	bool whole; /* it is all that recovery did */
};

/* A run has ended.  `walk` is needed if worker->logs. */
void checkpoints_ran(struct checkpoints *checkpoints, struct checkpoints_worker *worker, const struct outcome *outcome,
		     const struct checkpoints_walk *walk);

/* Must the outcome of this run be confirmed from the start?  `run` is crash_run. */
bool checkpoints_doubt(struct checkpoints *checkpoints, const struct checkpoints_worker *worker, struct digest run,
		       bool passed);

/* Some trees begin at the start in any case. */
bool checkpoints_tree_is_sampled(const struct checkpoints *checkpoints, struct digest run);

/* A run on undecided lines begins; `shortened`: at a checkpoint.  `since`: what earlier ones from the start have taken,
 * in seconds, if that was not told yet. */
void checkpoints_tree_begins(struct checkpoints *checkpoints, const struct checkpoints_worker *worker, bool shortened,
			     double since);

/* The outcome of a run, and that from the start. */
void checkpoints_compare(struct checkpoints *checkpoints, const struct outcome *outcome, const struct outcome *start);

/* There is a difference. */
void checkpoints_differ(struct checkpoints *checkpoints);
/* There was one in an earlier session. */
void checkpoints_switch_off(struct checkpoints *checkpoints);
bool checkpoints_are_off(const struct checkpoints *checkpoints);

struct checkpoints_figures {
	uint64_t used;        /* runs that began at a checkpoint */
	uint64_t known;       /* outcomes that were known without a run */
	uint64_t confirmed;   /* of both, those that were run from the start, too */
	uint64_t differences; /* of these, those with another outcome */
	uint64_t recordings;
};

struct checkpoints_figures checkpoints_figures(const struct checkpoints *checkpoints);

#endif
