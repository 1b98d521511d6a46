/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variants.h - the different contents that each line may have after a crash at one moment.
 *
 *     struct choices *c = image_choices(image);                // free() it
 *     struct variants v = {0};
 *     if (variants_find(&v, image, c, 1000000))                // false: some line has more alternatives than that
 *             ... v.lines.at[i], v.at[...]
 *     variants_free(&v);
 *
 * A variant is one possible content of a line.  The digest of a crash state is the digest of the certain content
 * (state_digest_none) plus the `change` of one variant of each line.  Variants can be combined if the latest `needs`
 * among them comes before the first `barrier`.  If there are no orders (choices.h), all combinations are possible, and
 * each gives a different content.  If there are orders, some combinations may give the same content; then variants of a
 * line with the same bytes are kept only if they differ in `needs` or `barrier`. */
#ifndef BLACKOUT_IMAGE_VARIANTS_H
#define BLACKOUT_IMAGE_VARIANTS_H

#include "base/map.h"
#include "base/vec.h"
#include "image/digest.h"
#include "image/image.h"
#include "model/choices.h"

struct variant {
	struct digest change;
	uint64_t needs;       /* event of the last order before its latest unit; 0: none */
	uint64_t barrier;     /* event of the first order that it breaks, or CHOICES_NEVER */
	uint64_t alternative; /* index, from 0, in the iteration with CHOICES_OPEN and CHOICES_CONTENTS */
};

struct variants_line {
	uint32_t line;    /* index in the choices */
	uint64_t version; /* if equal to that of an earlier moment, the variants are the same */
	size_t first, count;
};

struct variants_kept {
	uint64_t signature; /* of the line's units and its certain content */
	uint64_t version;
	VEC_OF(struct variant) all;
};

struct variants {
	VEC_OF(struct variants_line) lines; /* those with more than one variant, fewest first */
	VEC_OF(struct variant) all;
	bool ordered; /* not all combinations are possible */

	VEC_OF(uint64_t) orders; /* their events, ascending, perhaps with duplicates */

	/* Used by variants_find: a cache, so that lines that stay pending for long are not recomputed each time. */
	struct map kept_index;
	VEC_OF(struct variants_kept) kept;
	size_t kept_variants;
	uint64_t versions;
	VEC_OF(uint8_t) taken;
	struct map seen;
};

/* Return the choices of this moment, with `shows` set according to the certain content. */
struct choices *image_choices(struct image *image);

/* Find the variants of all lines.  `variants` is zeroed, or was used before.  False if a line has more than `limit`
 * alternatives. */
bool variants_find(struct variants *variants, struct image *image, const struct choices *choices, uint64_t limit);
void variants_free(struct variants *variants);

#endif
