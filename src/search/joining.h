/* SPDX-License-Identifier: GPL-2.0-or-later */
/* joining.h - which inputs are put together: one, and then another one.
 *
 *     joining_add(&joining, &part);
 *     if (joining_due(&joining, now) && joining_next(&joining, JOINING_ALL, &joined))
 *             ... joining_told(&joining, is_new);
 *     joining_free(&joining);
 *
 * What a program does with an operation may depend on what an earlier one has left in PM: a key can only be removed after it was
 * inserted.  No branch on input tells that, if the two came about in different inputs.  So an input that changed PM in a new way
 * is followed by others that did something new. */
#ifndef BLACKOUT_SEARCH_JOINING_H
#define BLACKOUT_SEARCH_JOINING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { JOINING_SECOND = -1 };

/* An input that did something new. */
struct joining_part {
	uint64_t execution;
	int source;             /* that can go on with another input; or JOINING_SECOND: it only comes second */
	bool is_joined;         /* it was made from joined inputs: it only comes first */
	size_t news;            /* how much new it did */
	unsigned first, second; /* how often it came first, and second */
};

/* Indices of parts. */
struct joining_pair {
	size_t first, second;
};

/* Zeroed: empty. */
struct joining {
	VEC_OF(struct joining_part) parts;
	VEC_OF(struct joining_pair) pairs; /* that were not taken */
	uint64_t last;                     /* when one was taken last */
	unsigned failed;                   /* how many, in sequence, did nothing new */
};

enum joining_pairs {
	JOINING_ALL,
	JOINING_ONCE, /* those with a second part that never came second */
};

struct joined {
	uint64_t first, second; /* executions */
	size_t source;
};

void joining_add(struct joining *joining, const struct joining_part *part);
/* Is it time for a pair?  `now` counts inputs.  The more pairs did nothing new, the less often. */
bool joining_due(struct joining *joining, uint64_t now);
/* False: there is none. */
bool joining_next(struct joining *joining, enum joining_pairs pairs, struct joined *joined);
void joining_told(struct joining *joining, bool is_new);
void joining_free(struct joining *joining);

#endif
