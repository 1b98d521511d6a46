/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variants.h - the different contents that each line may have after a crash at one moment.
 *
 *     struct choices *c = image_choices(image);                // free() it
 *     struct variants v = {0};
 *     if (variants_find(&v, image, c, 1000000))                // false: some line has more alternatives than that
 *             ... v.lines.at[i], v.at[...]
 *     variants_free(&v);
 *
 * The digest of a crash state is that of what is certain (state_digest_none) plus the `change` of one variant of each
 * line.  Variants may be combined if no one of them `needs` what another has not: the latest `needs` must come before
 * the first `barrier`.  Where there are no orders (choices.h), every combination may be, and each is another content.
 * Where there are, some combinations may have the same content; then variants of a line with the same bytes are kept
 * only if they differ in what they demand. */
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
	uint64_t alternative; /* of choices_first and choices_next with CHOICES_OPEN and CHOICES_CONTENTS: from 0 */
};

struct variants_line {
	uint32_t line;    /* in the choices */
	uint64_t version; /* the same as at an earlier moment: the variants are the same */
	size_t first, count;
};

struct variants_kept {
	uint64_t signature; /* of the line's units and of what is certain of it */
	uint64_t version;
	VEC_OF(struct variant) all;
};

struct variants {
	VEC_OF(struct variants_line) lines; /* those with more than one variant, fewest first */
	VEC_OF(struct variant) all;
	bool ordered; /* not every combination may be */

	VEC_OF(uint64_t) orders; /* their events, ascending, perhaps more than once */

	/* For variants_find.  Lines that are pending for long are not computed again and again. */
	struct map kept_index;
	VEC_OF(struct variants_kept) kept;
	size_t kept_variants;
	uint64_t versions;
	VEC_OF(uint8_t) taken;
	struct map seen;
};

/* The choices of this moment, with what units show over what is certain. */
struct choices *image_choices(struct image *image);

/* Find the variants of all lines; `variants` is zero, or was used before.  False if there are more than `limit`
 * alternatives in a line. */
bool variants_find(struct variants *variants, struct image *image, const struct choices *choices, uint64_t limit);
void variants_free(struct variants *variants);

/* The flags of a variant's units, as choices_next makes them. */
void variant_taken(const struct choices *choices, uint32_t line, const struct variant *variant, uint8_t *taken);

#endif
