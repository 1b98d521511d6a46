/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes_in.h - what boxes.c, which keeps the sets of all lines, shares with boxes_meet.c, which counts what is new in a
 * box. */
#ifndef BLACKOUT_CRASH_BOXES_IN_H
#define BLACKOUT_CRASH_BOXES_IN_H

#include "base/map.h"
#include "base/vec.h"
#include "crash/boxes.h"
#include "crash/boxes_part.h"

#define NOBODY UINT32_MAX /* no line */

/* Boxes from..to. */
struct interval {
	uint64_t from, to;
};

/* A content of one line.  Most have been there once. */
struct value {
	struct interval last;
	VEC_OF(struct interval) earlier; /* ascending */
	uint64_t mark;
};

struct line {
	uint64_t number;
	uint32_t file;
	VEC_OF(uint32_t) set;  /* values that it may have in the current box */
	uint64_t changed;      /* the first box with this set */
	bool listed;           /* it has changed at all: */
	uint32_t newer, older; /* lines by `changed` */
	bool active;           /* to be looked at in the next moment */
	bool several;          /* it has several variants in this one */
	uint64_t version;      /* of the variants that are its set; 0: none */
	size_t part;           /* its number in `parts`, if it has several values */
	struct digest certain;
};

struct boxes {
	struct map line_index, value_index;
	VEC_OF(struct line) lines; /* the first one stands for the files themselves */
	VEC_OF(struct value) values;
	VEC_OF(uint32_t) active;
	uint32_t newest; /* line */
	uint64_t box;    /* number of the current one */
	uint64_t marks;
	bool files_changed, given_up;
	VEC_OF(bool) announced; /* by file */
	mpz_t total;

	/* Of the current box. */
	VEC_OF(uint32_t) wanted; /* a line's set to be */
	VEC_OF(uint64_t) candidates;
	struct parts parts;
};

static inline bool interval_is_empty(struct interval interval)
{
	return interval.from > interval.to;
}

#define NEVER ((struct interval){1, 0})

/* All lines have their sets: add to the total what is in no earlier box.  The next box is the current one then. */
void box_count(struct boxes *boxes);

#endif
