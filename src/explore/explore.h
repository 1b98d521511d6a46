/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explore.h - the readings that test all legal sets of persisted stores: every crash state that can matter.
 *
 * strategy_explore is a row of the table of strategies (crash/strategy.h).
 *
 * DESIGN.  Between two moments (model/moments.h) the set of legal states only grows, so it is enough to look at
 * moments.  With --prune segments, only the first few moments that end segments of the same code are looked at
 * (detect/segments.h).  A moment to explore is a root: the certain content, and the choices (moment.h).  Moments that
 * agree in both are one root.  A root is tested in one of these ways:
 *
 *   lazily    Recovery itself decides what matters.  It runs once with all lines undecided, and is forked for each
 *             content of a line that it looks at (run/lazy.h, --prune reads).  Each leaf stands for all states that
 *             do not differ in anything that recovery saw.
 *   each      Every set is made, and recovery runs on each new content (try_each.c).  Used without --prune reads, and
 *             where the fork server refused a leaf.
 *   observed  Used without a fork server.  Like "each", but the lines that recovery was not seen to read (observe.c)
 *             are either all on media or all not.
 *
 * Each root has two trials (trials.h) for its two extreme states, so that creation is accepted and prefixes and losses
 * are explained as for inject.  Other failures are kept by root, grouped by ending and by the code whose stores are
 * lost.  Judging makes the first of each group a job for loss.c.  Nothing depends on which worker was faster: the
 * leaves of a root come in a fixed sequence, and roots are looked at in trace order. */
#ifndef BLACKOUT_EXPLORE_EXPLORE_H
#define BLACKOUT_EXPLORE_EXPLORE_H

#include "crash/strategy.h"

extern const struct strategy strategy_explore;

struct explored; /* what was explored on one platform */

/* The passes, in the order in which they run.  With a budget, each pass goes through all roots before the next pass
 * looks closer.  Without a budget, PASS_ALL finishes each root.  The suspicious states are defined in try_each.c. */
enum explore_pass {
	/* With a budget: a glance at roots with a pending store that another detector reported or suspects. */
	PASS_SUSPECTS,
	PASS_ALL,      /* all roots; with a budget, a glance at the other roots */
	PASS_NEST,     /* with --nested: find states whose recovery is to be crashed */
	PASS_SOME,     /* with a budget: all states, if not too many, of roots where recovery reads few lines */
	PASS_CONTRAST, /* roots with more states: all suspicious states */
	PASS_REST,     /* with a budget: all states */
	PASS_REFUSED,  /* roots that the fork server refused, state by state */
	PASS_SAMPLE,   /* roots with too many states: a random sample */
	EXPLORE_PASSES
};

/* Statistics, over all platforms. */
struct explore_figures {
	uint64_t roots;     /* moments of chosen segments */
	uint64_t different; /* distinct roots */
	uint64_t all;       /* contents that recovery ran on */
	uint64_t traps;
	double left_out;                     /* sets that no tested state stands for */
	uint64_t left_in;                    /* roots where states were left out */
	uint64_t complete, partial, waiting; /* segments tested completely, partly, not at all */
	/* Last event up to which there was time to look for roots, on some platform; 0: to the end. */
	uint64_t stopped;
	uint64_t one_by_one;    /* roots that could not be explored lazily */
	const char *reason;     /* why, or NULL */
	uint64_t pages_sampled; /* roots of inject with too many pages to try them all */
	uint64_t doubted;       /* roots with states that passed, but only from a checkpoint */
	bool observed;          /* the "observed" way was used */
};

/* Judge the states of roots other than the extreme ones, which are the chooser's trials, and add the jobs.  The roots
 * are those of explore, or the pages that inject tried. */
void roots_judge(struct chooser *chooser, size_t platform, struct explored *explored, const struct judge_seen *seen,
		 struct jobs *jobs);

/* Rule 4 of crash/checkpoints.h: if runs from checkpoints have proved wrong, test the roots again where states passed
 * from one only.  `pages`: they are inject's.  0 or -1. */
int roots_recheck(struct chooser *chooser, size_t platform, struct explored *explored, bool pages, struct err *err);
/* Add a note if there was no time for that. */
void roots_recheck_note(const struct chooser *chooser, const struct explore_figures *figures,
			struct findings *findings);

struct explore_figures explored_figures(const struct explored *explored, size_t platforms);

/* An array with one element for each platform. */
struct explored *explored_new(size_t platforms);
void explored_free(struct explored *explored, size_t platforms);

#endif
