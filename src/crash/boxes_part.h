/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes_part.h - parts of a box, themselves boxes, and the size of their union.  For boxes.c.
 *
 *     parts_start(&parts);                          // a new box
 *     parts_line(&parts, 3);                        // it has a line with three values, and so on
 *     uint64_t *bits = parts_new(&parts);           // a part: all of the box, to begin with
 *     part_drop(bits, parts_bit(&parts, line, 2));  // but for the third value of a line
 *     parts_keep(&parts, bits);
 *     parts_union(&parts, size);
 *
 * A part is a bit for each value of each line. */
#ifndef BLACKOUT_CRASH_BOXES_PART_H
#define BLACKOUT_CRASH_BOXES_PART_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct parts_span {
	size_t first, count; /* bits of a line */
};

struct parts {
	VEC_OF(struct parts_span) lines;
	size_t bits, words;
	VEC_OF(uint64_t *) all; /* no one is in another */
};

void parts_start(struct parts *parts);
void parts_free(struct parts *parts);

/* One more line; its number is the count of lines before. */
void parts_line(struct parts *parts, size_t values);

static inline size_t parts_bit(const struct parts *parts, size_t line, size_t value)
{
	return parts->lines.at[line].first + value;
}

/* How many contents the whole box has. */
void parts_whole(const struct parts *parts, mpz_t size);

/* A part.  It is the caller's, to free or to keep. */
uint64_t *parts_new(const struct parts *parts);

static inline void part_drop(uint64_t *part, size_t bit)
{
	part[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

/* The part belongs to `parts` from now on; it may be freed at once, because it is in another. */
void parts_keep(struct parts *parts, uint64_t *part);

/* Contents that are in any of them; false if that takes too long. */
bool parts_union(const struct parts *parts, mpz_t size);

#endif
