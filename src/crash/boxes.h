/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes.h - how many different contents do the crash states of a recording have, without looking at each?
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
 * DESIGN.  A content is what every line holds.  The contents that a crash may leave at one moment are a box: each line
 * has a set of variants, of one only if nothing is pending on it, and every combination is possible.  (With orders it
 * is several boxes: for each order tk, all that orders up to tk cover is taken, and nothing that was stored after the
 * next one.)  So the question is for the size of a union of boxes, one after the other: how many contents of this box
 * are in none before it?  Boxes meet if they have a variant in common in every line.  For each variant it is known in
 * which boxes it was, so one line that has changed lately names the few earlier boxes that can meet this one; those are
 * compared line by line.  What they have in common with this box are boxes again, whose union is counted by inclusion
 * and exclusion.
 *
 * It is given up where files are renamed, removed, found again or lose bytes other than by stores, where too many boxes
 * meet, and where there are too many contents of lines to remember. */
#ifndef BLACKOUT_CRASH_BOXES_H
#define BLACKOUT_CRASH_BOXES_H

#include <gmp.h>

#include "image/variants.h"

struct boxes;

struct boxes *boxes_new(void);
void boxes_free(struct boxes *boxes);

/* The event is about to take effect on the image. */
void boxes_before(struct boxes *boxes, const struct image *image, const struct event *ev);

/* Count the contents of this moment. */
void boxes_moment(struct boxes *boxes, const struct image *image, const struct choices *choices,
		  const struct variants *variants);

/* The recording is read once more, from its start. */
void boxes_restart(struct boxes *boxes);

/* This moment is not counted, because its variants are too many. */
void boxes_give_up(struct boxes *boxes);

/* How many contents there were so far; false if that is not known. */
bool boxes_count(const struct boxes *boxes, mpz_t count);

#endif
