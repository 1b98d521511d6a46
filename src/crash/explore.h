/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explore.h - every crash state that can matter: the readings that test all legal sets of persisted stores.
 *
 *     explore_read(campaign, platform, pass, &err);              // testing
 *     explore_jobs(campaign, platform, &jobs);                   // judging: what is to be explained
 *     explore_figures(campaign)                                  // what was done, for the report
 *
 * DESIGN.  What is legal only grows between two moments (model/moments.h), so it is enough to look at the moments; of
 * moments that end segments of the same code, at the first ones (detect/segments.h, --prune segments).  One moment is a
 * root: what is certain there, and what may be decided (moment.h).  Roots that are the same in both are one.  A root is
 * tested in one of these ways:
 *
 *   lazily    Recovery itself decides what matters: it is run once with all lines undecided, and forked for each
 *             content of a line that it looks at (run/lazy.h, --prune reads).  Each leaf stands for all states that
 *             differ in nothing that recovery saw.
 *   eagerly   Every set is made, and recovery is run on each content that is new (eager.c): without --prune reads, and where a leaf was refused.
 *   observed  Where there is no fork server: as eagerly, but of the lines that recovery was not seen to read (observe.c), either all is on media or nothing.
 *
 * At each root two trials (trials.h) stand for the two extreme states, so that creation is accepted, and prefixes and
 * losses are explained, as ever.  What fails besides is kept by root, grouped by ending and by the code whose stores
 * are lost; when it is judged, the first of each group becomes a job for loss.c.  Nothing depends on which worker was
 * faster: leaves of a root come in a fixed order, and roots are looked at in theirs. */
#ifndef BLACKOUT_CRASH_EXPLORE_H
#define BLACKOUT_CRASH_EXPLORE_H

#include "crash/trials.h"

struct campaign;
struct explored;

/* The order of work.  With a budget a pass goes through all roots before the next one looks closer; without one, roots
 * are done with in the first.  The suspicious states are those of eager.c. */
enum explore_pass {
	/* With a budget: a glance at roots in which a store is pending that other detectors complained of. */
	PASS_SUSPECTS,
	PASS_ALL,      /* all roots; with a budget, such a glance at the others */
	PASS_NEST,     /* with --nested: states from which recovery is to be crashed in turn */
	PASS_SOME,     /* with a budget: all states then, if not too many, of roots where recovery reads few lines */
	PASS_CONTRAST, /* where there is more: all suspicious states */
	PASS_REST,     /* with a budget: all states */
	PASS_REFUSED,  /* what the fork server could not do, state by state */
	PASS_SAMPLE,   /* where there is too much to do, some states by chance */
	EXPLORE_PASSES
};

/* What was done on all platforms. */
struct explore_figures {
	uint64_t roots;     /* moments of chosen segments */
	uint64_t different; /* of them */
	uint64_t all;       /* contents that recovery was run on */
	uint64_t traps;
	double left_out;                     /* sets that belong to no tested one */
	uint64_t left_in;                    /* roots where something was left out */
	uint64_t complete, partial, waiting; /* segments that were tested completely, partly, and not at all */
	uint64_t stopped; /* the event up to which there was time to look for roots, on some platform; 0: to the end */
	uint64_t eager;   /* roots that were not explored lazily though that was wanted */
	const char *reason;     /* why, or NULL */
	uint64_t pages_sampled; /* roots of inject with too many pages to try each */
	bool observed;          /* by the lines that an observed recovery reads */
};

/* Test the states of a platform, in one pass.  0 also when stopped. */
int explore_read(struct campaign *campaign, size_t platform, enum explore_pass pass, struct err *err);

/* Judge the states of roots beside the extreme ones, which are `trials`, and add what is to be explained: those of
 * explore, or the pages that inject has tried. */
void roots_judge(struct campaign *campaign, size_t platform, const struct trials *trials, unsigned detector,
		 const struct judge_seen *seen, struct jobs *jobs);

/* Judge what explore has tested, and add what is to be explained.  After trials_sort and trials_accept. */
void explore_jobs(struct campaign *campaign, size_t platform, struct jobs *jobs);

struct explore_figures explore_figures(const struct campaign *campaign);

/* One for each platform, in an array. */
struct explored *explored_new(size_t platforms);
/* The extreme states of its roots. */
struct trials *explored_trials(struct explored *explored, size_t platform);
void explored_free(struct explored *explored, size_t platforms);

#endif
