/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count.h - how many crash states does a recording have?
 *
 *     struct count *c = count_new(&options);
 *     r = count_recording(c, "blackout.out", platforms, platform_count, origin, &err);
 *     count_feasible(c), count_distinct(c), ...
 *     count_free(c);
 *
 * DESIGN.  The recording is read with an image.  At each moment (model/moments.h) the model gives the exact number of
 * sets of stores that a crash may leave, without enumerating them.  The sum over all moments is `feasible`.  The number
 * of distinct contents of these sets, over the chosen segments (detect/segments.h), is counted in two ways, each with
 * its limits.  boxes.h calculates it, even where there are far too many to enumerate, but not if PM files are renamed,
 * removed or truncated.  Only then the recording is read again, and the states are enumerated: the variants of each
 * line (image/variants.h) are combined, which costs one addition of digests per state, and the digests are kept in a
 * set.  Beyond COUNT_CONTENTS distinct contents or COUNT_STATES states the enumeration stops, and the number is not
 * known.  Callers that can do without the number set a lower limit, COUNT_STATES_QUICK. */
#ifndef BLACKOUT_COUNT_COUNT_H
#define BLACKOUT_COUNT_COUNT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "detect/segments.h"
#include "image/origin.h"
#include "model/model.h"

#define COUNT_CONTENTS (UINT64_C(1) << 22) /* 128 MiB */
#define COUNT_STATES (UINT64_C(1) << 24)   /* a few seconds */
#define COUNT_STATES_QUICK (UINT64_C(1) << 20)

#define COUNT_LARGEST 10u /* largest segments to remember, one for each place where segments end */
#define COUNT_SITES 4u    /* places to remember for each, the ones with most pending units */

/* Calculate the contents, or enumerate them. */
enum count_way { COUNT_BOXES, COUNT_LOOK };

struct count_options {
	enum count_way way;
	bool prune;               /* skip segments whose code was seen before */
	uint64_t representatives; /* how many segments of the same code to look at; at least 1 */
	uint64_t contents_max;    /* 0: COUNT_CONTENTS */
	uint64_t states_max;      /* 0: COUNT_STATES */
	bool sequences;           /* count sequences, too */
	struct stop stop;         /* ends the reading */
};

/* A place that stored units pending at the end of a segment. */
struct count_site {
	uint32_t context;
	uint64_t units;
	uint64_t unflushed; /* of these, never flushed */
};

/* One segment of the recording. */
struct count_segment {
	uint64_t number;      /* from 1 */
	uint64_t first, last; /* its events */
	uint32_t context;     /* of the event that ends it; 0 at the end of the recording */
	bool chosen;
	uint64_t units; /* pending at its end */
	mpz_t feasible;
	struct count_site sites[COUNT_SITES]; /* most units first; units 0 ends the list */
	uint64_t site_count;                  /* the number of all places */
};

struct count;

struct count *count_new(const struct count_options *options);
void count_free(struct count *count);

/* Read a recording once for each platform, and again if the contents cannot be calculated.  A content that is possible
 * on two platforms counts once.  `origin` may be NULL.  -1: the recording is damaged.  0 also when it was interrupted;
 * then count_complete is false. */
int count_recording(struct count *count, const char *dir, const struct platform *const *platforms,
		    size_t platform_count, const struct origin *origin, struct err *err);

/* One reading, for callers that already have the events.  The results of several readings are merged.  `code`: the
 * events have code hashes. */
void count_begin(struct count *count, const struct platform *platform, const struct origin *origin, bool code);
void count_event(struct count *count, const struct event *ev);
void count_end(struct count *count);

bool count_complete(const struct count *count);

/* The number of pairs of a moment and a feasible set, over all segments. */
void count_feasible(const struct count *count, mpz_t feasible);

/* Distinct contents over the chosen segments; false if the number is not known. */
bool count_distinct(const struct count *count, mpz_t distinct);

/* Sequences in which stores can reach media, over all segments (sequences.h), as a natural logarithm.  Negative: not
 * known. */
double count_sequences(const struct count *count);

/* Segments, over all readings.  The number of unique ones is 0 if the recording has no code hashes. */
uint64_t count_segments(const struct count *count);
uint64_t count_segments_unique(const struct count *count);
uint64_t count_segments_left_out(const struct count *count);
bool count_has_code(const struct count *count);

/* The segments with the most feasible sets, largest first; NULL beyond the last. */
const struct count_segment *count_largest(const struct count *count, size_t index);

#endif
