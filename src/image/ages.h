/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ages.h - tracks which unit a certain byte comes from.
 *
 * Units mostly become certain in the sequence in which they were stored, and then the last one simply overwrites the
 * others.  This is different if stores of different kinds or threads meet in a line: a non-temporal store may still be
 * pending when a later cached store over it is already certain.  Only for such lines, and only while anything is
 * pending there, the event of the latest certain unit is kept for each byte. */
#ifndef BLACKOUT_IMAGE_AGES_H
#define BLACKOUT_IMAGE_AGES_H

#include "base/map.h"
#include "model/model.h"

struct ages {
	struct map lines; /* (line number, file) -> events of its 64 bytes, or 0 */
	size_t count;     /* entries that are not 0: mostly none */
};

void ages_free(struct ages *ages);

/* Return a bit for each byte of the unit that is not hidden by something newer and certain. */
uint8_t ages_visible(const struct ages *ages, const struct unit *unit);

/* The unit is certain from now on.  `left` units are still pending on its line; `mixed`: they may become certain in a
 * different sequence. */
void ages_note(struct ages *ages, const struct unit *unit, size_t left, bool mixed);

/* One byte is certain, and as new as `event`. */
void ages_set(struct ages *ages, uint32_t file, uint64_t offset, uint64_t event);

#endif
