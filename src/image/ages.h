/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ages.h - which unit does a certain byte come from?
 *
 * Units mostly become certain in the order in which they were stored, and then the last one simply overwrites the
 * others.  Not so where stores of different kinds or threads meet in a line: a non-temporal store may still be pending
 * when a later cached one over it is certain.  For such lines alone the event of the latest certain unit is kept for
 * each byte, as long as anything is pending there. */
#ifndef BLACKOUT_IMAGE_AGES_H
#define BLACKOUT_IMAGE_AGES_H

#include "base/map.h"
#include "model/model.h"

struct ages {
	struct map lines; /* (line number, file) -> events of 64 bytes, or 0 */
	size_t count;     /* that are not 0: mostly none */
};

void ages_free(struct ages *ages);

/* Which bytes of the unit does nothing newer and certain hide?  A bit for each. */
uint8_t ages_visible(const struct ages *ages, const struct unit *unit);

/* The unit is certain from now on.  `left` units are still pending on its line, `mixed`: they may become certain in
 * another order. */
void ages_note(struct ages *ages, const struct unit *unit, size_t left, bool mixed);

/* One byte is certain, and as new as `event`. */
void ages_set(struct ages *ages, uint32_t file, uint64_t offset, uint64_t event);

#endif
