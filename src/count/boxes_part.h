/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes_part.h - parts of a box, themselves boxes, and the size of their union.  For boxes.c.
 *
 *     parts_start(&parts);                          // a new box
 *     parts_line(&parts, 3);                        // add a line with three values, and so on
 *     uint64_t *bits = parts_new(&parts);           // a part, initially the whole box
 *     part_drop(bits, parts_bit(&parts, line, 2));  // without the third value of a line
 *     parts_keep(&parts, bits);
 *     parts_union(&parts, size);
 *
 * A part has one bit for each value of each line. */
#ifndef BLACKOUT_COUNT_BOXES_PART_H
#define BLACKOUT_COUNT_BOXES_PART_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct parts_span {
	size_t first, count; /* the bits of one line */
};

struct parts {
	VEC_OF(struct parts_span) lines;
	size_t bits, words;
	VEC_OF(uint64_t *) all; /* none is a subset of another */
};

void parts_start(struct parts *parts);
void parts_free(struct parts *parts);

/* Add a line.  Its index is the number of lines before it. */
void parts_line(struct parts *parts, size_t values);

static inline size_t parts_bit(const struct parts *parts, size_t line, size_t value)
{
	return parts->lines.at[line].first + value;
}

/* The number of contents of the whole box. */
void parts_whole(const struct parts *parts, mpz_t size);

/* A new part.  The caller must free it or pass it to parts_keep. */
uint64_t *parts_new(const struct parts *parts);

static inline void part_drop(uint64_t *part, size_t bit)
{
	part[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

/* Hand the part over to `parts`.  It may be freed at once if another part contains it. */
void parts_keep(struct parts *parts, uint64_t *part);

/* The number of contents that are in any part; false if counting takes too long. */
bool parts_union(const struct parts *parts, mpz_t size);

#endif
