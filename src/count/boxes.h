/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes.h - count the distinct contents of a recording's crash states without enumerating them.
 *
 *     struct boxes *b = boxes_new();
 *     while (...) {
 *             if (moment)
 *                     boxes_moment(b, image, choices, &variants);
 *             boxes_before(b, image, &ev);                       // then the event takes effect
 *             image_apply(image, &ev);
 *     }
 *     if (boxes_count(b, count)) ...
 *
 * DESIGN.  A content is made of what each line holds.  The contents that a crash may leave at one moment are a box:
 * each line has a set of variants (just one if nothing is pending on it), and every combination is possible.  (With
 * CLFLUSH orders a moment is several boxes: for each order tk, everything that orders up to tk cover is taken, and
 * nothing stored after the next order.)  The count is the size of a union of boxes.  It is computed box by box: how
 * many contents of this box are in no earlier box?  Two boxes meet if they share a variant in every line.  Each variant
 * records the boxes that it was in, so one recently changed line names the few earlier boxes that can meet this one.
 * Those are compared line by line.  Each intersection with this box is a box again, and the union of the intersections
 * is counted by inclusion and exclusion.
 *
 * The count is given up if files are renamed, removed, found again or lose bytes other than by stores, if too many
 * boxes meet, or if there are too many contents of lines to remember. */
#ifndef BLACKOUT_COUNT_BOXES_H
#define BLACKOUT_COUNT_BOXES_H

#include <gmp.h>

#include "image/variants.h"

struct boxes;

struct boxes *boxes_new(void);
void boxes_free(struct boxes *boxes);

/* Call this just before the event takes effect on the image. */
void boxes_before(struct boxes *boxes, const struct image *image, const struct event *ev);

/* Count the contents of this moment. */
void boxes_moment(struct boxes *boxes, const struct image *image, const struct choices *choices,
		  const struct variants *variants);

/* The recording is about to be read again from its start. */
void boxes_restart(struct boxes *boxes);

/* Do not count this moment: it has too many variants. */
void boxes_give_up(struct boxes *boxes);

/* Was the count given up?  Then further moments make no difference. */
bool boxes_given_up(const struct boxes *boxes);

/* The number of contents so far; false if it is not known. */
bool boxes_count(const struct boxes *boxes, mpz_t count);

#endif
