/* SPDX-License-Identifier: GPL-2.0-or-later */
/* violate_in.h - shared by the files of violate.
 *
 *     violate.c   the strategy: its passes over the recording
 *     walk.c      moments, and the code before them
 *     search.c    the violations of a moment
 *     states.c    the states that violate an invariant
 *     targets.c   which violations are tested, and in which sequence
 *     tally.c     which invariants were violable, tested and confirmed, for the report
 *     reason.c    the invariant that explains a failure
 *     untested.c  without a recovery command: only inference and counts */
#ifndef BLACKOUT_VIOLATE_VIOLATE_IN_H
#define BLACKOUT_VIOLATE_VIOLATE_IN_H

#include "detect/segments.h"
#include "image/contents.h"
#include "model/moments.h"
#include "violate/search.h"
#include "violate/targets.h"
#include "violate/violate.h"

enum tally_flag { TALLY_VIOLABLE = 1, TALLY_TESTED = 2, TALLY_CONFIRMED = 4, TALLY_UNLIFTED = 8 };

/* Invariants -> TALLY_ bits.  They are counted as they were lifted: one for each rule and pair of store sites, and of
 * RA1 one for each store site of guardians.  An invariant that was never lifted counts once for each pair of sites to
 * which it applies. */
struct tally {
	struct map flags;
};

void tally_note(struct tally *tally, enum invariant_rule rule, const struct lifted *lifted,
		const struct store_place *first, const struct store_place *second, enum tally_flag flag);
void tally_violation(struct tally *tally, const struct violation *violation, enum tally_flag flag);
uint64_t tally_count(const struct tally *tally, enum tally_flag flag);

/* What is known of one platform. */
struct hunt {
	struct targets targets;
	struct contents tried; /* cases */
	uint64_t searched;     /* moments */
	uint64_t looked_until; /* the event at which time was too short to look for more; 0: never */
};

/* The state of the chooser. */
struct violate {
	struct invariants *invariants;
	struct hunt *hunts; /* by platform */
	struct tally tally;
	/* Violations that were tested, and the places of their stores by event, for the reasons of failures. */
	VEC_OF(struct violation) tested;
	VEC_OF(struct store_place) places;
	struct map place_index; /* event -> 1 + index */
	bool unwatched;         /* recovery could not be recorded */
};

/* One walk along a recording, to find violations. */
struct walk {
	struct moments moments;
	struct segments *segments;
	struct search *search;
	uint64_t code[2]; /* that ran before the moment */
};

/* Starts at the beginning of the trace, with invariants that are inferred. */
void walk_begin(struct walk *walk, struct invariants *invariants, const struct trace *trace);
void walk_end(struct walk *walk);

/* Is the place before `ev` (NULL: the end) a moment?  `skip`: the user wants no crash here, so it does not count. */
bool walk_stop(struct walk *walk, struct model *model, const struct event *ev, bool skip);

/* This place is none, but crashes after it are judged differently: look at it as well. */
void walk_stop_here(struct walk *walk, struct model *model);

/* Must be called for each event, after walk_stop. */
void walk_on(struct walk *walk, const struct event *ev, uint64_t number);

/* Find the violations of the moment where the walk has stopped, before `next` (NULL: the end).  `found` is emptied
 * first. */
void walk_find(struct walk *walk, const struct moment *moment, struct image *image, const struct event *next,
	       struct tally *tally, struct violations *found);

/* reason.c and untested.c: see struct strategy. */
void violate_tell(const struct chooser *chooser, const struct trace *trace, struct crash_sighting *sighting);
int violate_untested(const struct campaign_options *options, const struct survey *survey, struct findings *findings,
		     struct err *err);

/* Add the figures of an inference. */
void violate_figures_add(const struct invariants *invariants, const struct tally *tally, struct findings *findings);

/* How many instances of a group become targets; 0: all. */
uint64_t violate_instances(const struct campaign_options *options);

#endif
