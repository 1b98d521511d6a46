/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes_in.h - shared by boxes.c, which keeps the sets of all lines, and boxes_meet.c, which counts the new contents of
 * a box. */
#ifndef BLACKOUT_COUNT_BOXES_IN_H
#define BLACKOUT_COUNT_BOXES_IN_H

#include "base/map.h"
#include "base/vec.h"
#include "count/boxes.h"
#include "count/boxes_part.h"

#define NO_LINE UINT32_MAX /* no line */

/* Boxes from..to, inclusive. */
struct interval {
	uint64_t from, to;
};

/* One content of one line.  Most contents occur in a single interval. */
struct value {
	struct interval last;
	VEC_OF(struct interval) earlier; /* ascending */
	uint64_t mark;
};

struct line {
	uint64_t number;
	uint32_t file;
	VEC_OF(uint32_t) set;  /* the values that the line may have in the current box */
	uint64_t changed;      /* the first box with this set */
	bool listed;           /* it has changed, so newer and older are valid */
	uint32_t newer, older; /* neighbors in the list sorted by `changed` */
	bool active;           /* must be looked at in the next moment */
	bool several;          /* has several variants in this moment */
	uint64_t version;      /* of the variants that the set was made from; 0: none */
	size_t part;           /* index in `parts`, if it has several values */
	struct digest certain;
};

struct boxes {
	struct map line_index, value_index;
	VEC_OF(struct line) lines; /* line 0 stands for the files themselves */
	VEC_OF(struct value) values;
	VEC_OF(uint32_t) active;
	uint32_t newest; /* line */
	uint64_t box;    /* number of the current box */
	uint64_t marks;
	bool files_changed, given_up;
	VEC_OF(bool) announced; /* by file */
	mpz_t total;

	/* The current box */
	VEC_OF(uint32_t) wanted; /* the set that a line is about to get */
	VEC_OF(uint64_t) candidates;
	struct parts parts;
};

static inline bool interval_is_empty(struct interval interval)
{
	return interval.from > interval.to;
}

#define NEVER ((struct interval){1, 0})

/* Call this when all lines have their sets.  Adds the contents that are in no earlier box to the total, and starts the
 * next box. */
void box_count(struct boxes *boxes);

#endif
