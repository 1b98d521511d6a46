/* SPDX-License-Identifier: GPL-2.0-or-later */
/* equivalence_in.h - internals of the oracle, shared by its files.
 *
 *     equivalence.c        whether an output is legal
 *     equivalence_ask.c    which outputs are, in a place
 *     equivalence_tell.c   what a report says about an output that is not */
#ifndef BLACKOUT_EQUIVALENCE_EQUIVALENCE_IN_H
#define BLACKOUT_EQUIVALENCE_EQUIVALENCE_IN_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "equivalence/equivalence.h"
#include "equivalence/expectation.h"
#include "equivalence/orderly.h"
#include "equivalence/settings.h"
#include "equivalence/timeline.h"
#include "finding/crash_finding.h"

/* The output of a legal history, or of several. */
struct legal {
	struct expectation *expectation;
	struct expectation *banner; /* what is left out of it; NULL: the banner of all */
	const char *history;        /* for reports; NULL: it needs no words */
};

struct legals {
	VEC_OF(struct legal) all;
};

/* What is legal in a place, once it is known. */
struct prepared {
	struct legals legal;
	/* Rule 7: one of `orders` must print what is printed `after` them; NULL: nothing is to be checked. */
	struct legals orders;
	struct expectation *after;
	struct expectation *initial; /* of the initial content, if that is legal here; otherwise NULL */
	unsigned runs;               /* of each expectation */
	bool uncertain;              /* rule 5: there are histories without an expectation */
	bool forgets;                /* rule 6: recovery does not print here what the recorded run printed */
};

struct equivalence {
	struct equivalence_options options;
	struct oracle oracle;
	struct timeline *timeline;
	struct settings *settings;
	struct orderly *orderly;           /* from `begin` on */
	struct expectations *expectations; /* the same */
	struct output *banner;             /* what recovery prints at the end, without operations; NULL: not known */
	struct map index;                  /* number of a place -> 1 + index */
	VEC_OF(struct prepared) places;
	bool differs;    /* two orderly runs printed different lines somewhere */
	bool comparable; /* rule 6: recovery prints like the recorded run, if it performs all operations */
	VEC_OF(bool) crashed, differing; /* by number of the operation */
	struct arena texts;
	VEC_OF(struct finding_expected *) told; /* to sightings */
	struct equivalence_figures figures;
};

/* The legal outputs of a place, without a banner, and what does not count in them. */
struct judging {
	VEC_OF(struct expected) expected;
	struct output_body got;
};

/* `banner` is that of the legal outputs, unless they have their own, and `got_banner` that of the other one. */
void judging_begin(struct judging *judging, const struct legals *legals, const struct output *banner,
		   const struct output *got, const struct output *got_banner);
void judging_end(struct judging *judging);

/* The place of a crash, and what is legal there; NULL: not known yet. */
struct place place_of(const struct equivalence *equivalence, const struct crash_context *crash);
struct prepared *prepared_find(const struct equivalence *equivalence, uint64_t number);

/* Rule 6: is this an output of recovery without a crash, though not what the recorded run printed? */
bool output_is_forgetful(const struct equivalence *equivalence, const struct prepared *prepared,
			 const struct output *output);

/* The last `count` lines that the recorded run printed, or all if there are fewer. */
struct output_body printed_end(const struct equivalence *equivalence, size_t count);

/* equivalence_ask.c: ask for all that is legal in a place.  0, TESTER_STOPPED or -1.  The answers come with
 * tester_drain. */
int place_ask(struct equivalence *equivalence, struct tester *tester, const struct place *place,
	      struct prepared *prepared, struct err *err);

/* equivalence_tell.c: see `tell` in crash/oracle.h. */
void equivalence_tell(void *state, const struct crash_context *crash, const struct outcome *outcome,
		      const struct outcome *idle, struct crash_sighting *sighting);

#endif
