/* SPDX-License-Identifier: GPL-2.0-or-later */
/* intervals.h - a set of addresses, as intervals that do not overlap, each with a few facts.
 *
 *     struct intervals set = {0};
 *     intervals_add(&set, &(struct interval){.start = a, .end = a + 24, .context = c});     // where nothing is yet
 *     for (const struct interval *r = intervals_next(&set, from); r && r->start < to; r = intervals_next(&set, r->end)) ...
 *     intervals_remove(&set, a, a + 8);
 *     intervals_clear(&set);                                                             // empty, and may be used again
 *
 * All take time logarithmic in the number of intervals, and clearing a small set takes no time to speak of. */
#ifndef BLACKOUT_DETECT_INTERVALS_H
#define BLACKOUT_DETECT_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct interval {
	uint64_t start, end; /* end is the first address after it */
	uint32_t context;
	uint32_t flags; /* for the caller's use */
};

#define INTERVALS_BLOCK 64

/* Intervals that follow each other; never empty. */
struct intervals_block {
	size_t count;
	struct interval at[INTERVALS_BLOCK];
};

struct intervals {
	VEC_OF(struct intervals_block *) blocks; /* in the order of addresses */
	struct intervals_block *spare;           /* kept by intervals_clear */
};

/* Adds the parts of `interval` that are in no interval yet.  Those that are keep their facts.  Parts that touch an interval with
 * the same facts are joined with it. */
void intervals_add(struct intervals *set, const struct interval *interval);

void intervals_remove(struct intervals *set, uint64_t start, uint64_t end);

/* The first interval that ends above `address`, or NULL.  Valid until the set changes. */
const struct interval *intervals_next(const struct intervals *set, uint64_t address);

/* The number of bytes of [start, end) that are in the set. */
uint64_t intervals_covered(const struct intervals *set, uint64_t start, uint64_t end);

void intervals_clear(struct intervals *set);
void intervals_free(struct intervals *set);

#endif
