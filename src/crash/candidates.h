/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidates.h - the crash states of one moment that recovery passes on, and in which order recovery from them is to be
 * crashed in turn (nested.c).
 *
 *     candidates_add(&c, moment, taken, touched, sequence);      // for each state, while the moment is explored
 *     count = candidates_rank(&c, ranks, CANDIDATES_KEPT);       // most different first
 *     candidates_persisted(&c, ranks[0].index, persisted);
 *     candidates_free(&c);
 *
 * DESIGN.  Crashing a recovery takes a good part of a second, so it is done on few states, and these should have little
 * in common.  Two states differ by the number of lines that have other stores on media, of those lines that recovery
 * reads or overwrites on some state of the moment: it does not see the others, and leaves them as they are.  The two
 * extreme states (everything on media, and nothing) are taken anyway.  The next one is always the state whose
 * difference from the nearest one taken before is largest; of several, the one that was tested first. */
#ifndef BLACKOUT_CRASH_CANDIDATES_H
#define BLACKOUT_CRASH_CANDIDATES_H

#include "base/vec.h"
#include "crash/contents.h"
#include "crash/moment.h"

enum { CANDIDATES_KEPT = 64 /* of one moment, at most */ };

struct candidate {
	struct digest digest;
	uint64_t sequence; /* when it was tested, among the states of its moment */
	uint8_t *taken;    /* by unit */
};

/* Zero is an empty set. */
struct candidates {
	VEC_OF(struct candidate) all; /* the first in their sequence, if there are more */
	struct contents passing;      /* all different ones */
	uint32_t line_count, unit_count;
	uint32_t *first;   /* by line, and one more: its first unit */
	uint32_t *pending; /* by unit: its index in model_pending */
	uint8_t *touched;  /* by line */
};

/* Recovery passes on this state; it may have touched the lines with a flag in `touched`, NULL: all of them. */
void candidates_add(struct candidates *candidates, const struct moment *moment, const uint8_t *taken,
		    const uint8_t *touched, uint64_t sequence);
void candidates_free(struct candidates *candidates);

struct candidate_rank {
	size_t index;
	uint32_t difference; /* from those before it, in lines */
};

/* Up to `room` of them, most different first.  States that recovery cannot tell from an earlier one are left out.
 * Returns how many there are. */
size_t candidates_rank(const struct candidates *candidates, struct candidate_rank *ranks, size_t room);

/* The flags in the order of model_pending; `persisted` has room for unit_count. */
void candidates_persisted(const struct candidates *candidates, size_t index, bool *persisted);

#endif
