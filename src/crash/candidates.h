/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidates.h - crash states of one moment that recovery passes on, ranked as starting points for a crash during
 * recovery (nested.c).
 *
 *     candidates_add(&c, moment, taken, touched, sequence);      // for each state, while the moment is explored
 *     count = candidates_rank(&c, ranks, CANDIDATES_KEPT);       // most different first
 *     candidates_persisted(&c, ranks[0].index, persisted);
 *     candidates_free(&c);
 *
 * DESIGN.  Crashing a recovery takes a good part of a second, so it is done on a few states that differ as much as
 * possible.  The difference of two states is the number of lines with different stores on media, counting only lines
 * that recovery reads or overwrites in some state of the moment.  Recovery neither sees nor changes the other lines.
 * The two extreme states (everything on media, nothing on media) are always taken.  Each next state is the one whose
 * difference from the nearest state already taken is largest; ties go to the state tested first. */
#ifndef BLACKOUT_CRASH_CANDIDATES_H
#define BLACKOUT_CRASH_CANDIDATES_H

#include "base/vec.h"
#include "crash/moment.h"
#include "image/contents.h"

enum { CANDIDATES_KEPT = 64 /* of one moment, at most */ };

struct candidate {
	struct digest digest;
	uint64_t sequence; /* position in the test sequence of its moment */
	uint8_t *taken;    /* by unit */
};

/* Zero is an empty set. */
struct candidates {
	VEC_OF(struct candidate) all; /* the first CANDIDATES_KEPT in test sequence */
	struct contents passing;      /* all distinct contents */
	uint32_t line_count, unit_count;
	uint32_t *first;   /* by line, plus one at the end: its first unit */
	uint32_t *pending; /* by unit: index in model_pending */
	uint8_t *touched;  /* by line */
};

/* Add a state that recovery passes on.  `touched` flags the lines that recovery may have touched; NULL: all. */
void candidates_add(struct candidates *candidates, const struct moment *moment, const uint8_t *taken,
		    const uint8_t *touched, uint64_t sequence);
void candidates_free(struct candidates *candidates);

struct candidate_rank {
	size_t index;
	uint32_t difference; /* from the ones before it, in lines */
};

/* Rank up to `room` states, most different first.  States that recovery cannot tell from an earlier one are left out.
 * Returns their number. */
size_t candidates_rank(const struct candidates *candidates, struct candidate_rank *ranks, size_t room);

/* The flags in the order of model_pending; `persisted` has room for unit_count. */
void candidates_persisted(const struct candidates *candidates, size_t index, bool *persisted);

#endif
