/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count.h - how many crash states does a recording have?
 *
 *     struct count *c = count_new(&options);
 *     for each platform:
 *             r = count_read(c, "blackout.out", platform, origin, &err);
 *     count_feasible(c), count_distinct(c), ...
 *     count_free(c);
 *
 * DESIGN.  The recording is read with an image.  At each moment (model/moments.h) the model tells how many sets of
 * stores a crash may leave, exactly, without looking at them: their sum over all moments is `feasible`.  How many
 * different contents these sets have, over the segments that are chosen (detect/segments.h), is counted in two ways,
 * each of which has its limits.  boxes.h calculates it, also where no computer could look at them all, but not if PM
 * files are renamed, removed or cut.  Otherwise each state is looked at: the variants of each line (image/variants.h)
 * are combined, which costs one addition of digests for each state, and the digests are kept in a set.  That ends with
 * COUNT_CONTENTS different contents, or COUNT_STATES states: beyond either it is not known. */
#ifndef BLACKOUT_CRASH_COUNT_H
#define BLACKOUT_CRASH_COUNT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "detect/segments.h"
#include "image/origin.h"
#include "model/model.h"

#define COUNT_CONTENTS (UINT64_C(1) << 22) /* 128 MiB */
#define COUNT_STATES (UINT64_C(1) << 24)

#define COUNT_LARGEST 10u /* segments that are remembered, one for each place at which they end */
#define COUNT_SITES 4u    /* of each, the places that store most */

enum count_way { COUNT_BOTH, COUNT_BOXES, COUNT_LOOK };

struct count_options {
	enum count_way way;
	bool prune;               /* segments whose code was seen before are not looked at */
	uint64_t representatives; /* of each code, so many are; at least 1 */
	uint64_t contents_max;    /* 0: COUNT_CONTENTS */
	uint64_t states_max;      /* 0: COUNT_STATES */
	bool sequences;           /* count these, too */
	/* Asked often; true ends the reading.  May be NULL. */
	bool (*interrupted)(void);
};

/* Where the units pending at the end of a segment were stored. */
struct count_site {
	uint32_t context;
	uint64_t units;
	uint64_t unflushed; /* of them, those that nothing has flushed */
};

/* One segment, in its recording. */
struct count_segment {
	uint64_t number;      /* from 1 */
	uint64_t first, last; /* its events */
	uint32_t context;     /* of the event that ends it; 0 at the end of the recording */
	bool chosen;
	uint64_t units; /* pending at its end */
	mpz_t feasible;
	struct count_site sites[COUNT_SITES]; /* most units first; units 0: no more */
	uint64_t site_count;                  /* all of them */
};

struct count;

struct count *count_new(const struct count_options *options);
void count_free(struct count *count);

/* Read a recording for one platform.  `origin` may be NULL.  What several readings find is put together: contents that
 * are possible on two platforms are one.  -1: the recording is damaged.  0 also when it was interrupted: then it is not
 * complete. */
int count_read(struct count *count, const char *dir, const struct platform *platform, const struct origin *origin,
	       struct err *err);

/* The same with the events at hand.  `code`: they come with code hashes. */
void count_begin(struct count *count, const struct platform *platform, const struct origin *origin, bool code);
void count_event(struct count *count, const struct event *ev);
void count_end(struct count *count);

bool count_complete(const struct count *count);

/* Pairs of moment and set, over all segments. */
void count_feasible(const struct count *count, mpz_t feasible);

/* Different contents over the chosen segments.  False if that is not known. */
bool count_distinct(const struct count *count, mpz_t distinct);

/* Orders in which stores can get to media, over all segments (sequences.h): the natural logarithm; negative if that is
 * not known. */
double count_sequences(const struct count *count);

/* Segments, over all readings.  `unique` is 0 where the recording has no code hashes. */
uint64_t count_segments(const struct count *count);
uint64_t count_segments_unique(const struct count *count);
uint64_t count_segments_left_out(const struct count *count);
bool count_has_code(const struct count *count);

/* The segments with most sets, from the largest; NULL beyond the last. */
const struct count_segment *count_largest(const struct count *count, size_t index);

#endif
