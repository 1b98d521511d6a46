/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image_in.h - what an image is made of.  For the files of src/image; everybody else uses image.h. */
#ifndef BLACKOUT_IMAGE_IMAGE_IN_H
#define BLACKOUT_IMAGE_IMAGE_IN_H

#include "image/ages.h"
#include "image/content.h"
#include "image/digest.h"
#include "image/found.h"
#include "image/state.h"
#include "image/view.h"

struct image {
	const struct origin *origin; /* or NULL */
	struct model *model;
	struct content *certain;
	struct ages ages;
	struct digests *digests;
	struct view view;     /* of this moment */
	VEC_OF(bool) filling; /* by file: it is there already, and what the trace says of its content is known */
	VEC_OF(bool) announced;
	struct found found;
};

/* One page of a state, with zeros beyond the end of the file; `state` NULL: of what is certain.  It is made in `buffer`
 * only if it must be. */
const uint8_t *image_page(const struct image *image, const struct state *state, uint32_t file, uint64_t number,
			  uint8_t buffer[IMAGE_PAGE]);

/* The pages of a file that may hold something in a state, ascending.  The caller frees the array. */
uint64_t *image_page_numbers(const struct image *image, const struct state *state, uint32_t file, size_t *count);

#endif
