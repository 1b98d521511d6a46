/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contents.h - a set of digests, compact enough for many millions: 16 bytes each, plus room to grow. */
#ifndef BLACKOUT_IMAGE_CONTENTS_H
#define BLACKOUT_IMAGE_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "image/digest.h"

/* Zero is an empty set. */
struct contents {
	struct digest *at; /* `room` of them; zero: free */
	size_t count, room;
};

void contents_free(struct contents *contents);

void contents_grow(struct contents *contents);

/* Add a digest; false if it is already in the set. */
static inline bool contents_add(struct contents *contents, struct digest digest)
{
	size_t at;

	if (!(digest.low | digest.high))
		digest.low = 1; /* the state without any file has digest zero, which marks free slots */
	if (contents->count * 4 >= contents->room * 3)
		contents_grow(contents);
	at = digest.low & (contents->room - 1);
	while (contents->at[at].low | contents->at[at].high) {
		if (digest_equal(contents->at[at], digest))
			return false;
		at = (at + 1) & (contents->room - 1);
	}
	contents->at[at] = digest;
	contents->count++;
	return true;
}

static inline bool contents_has(const struct contents *contents, struct digest digest)
{
	size_t at;

	if (!(digest.low | digest.high))
		digest.low = 1;
	if (!contents->room)
		return false;
	for (at = digest.low & (contents->room - 1); contents->at[at].low | contents->at[at].high;
	     at = (at + 1) & (contents->room - 1))
		if (digest_equal(contents->at[at], digest))
			return true;
	return false;
}

#endif
