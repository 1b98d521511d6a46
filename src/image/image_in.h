/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image_in.h - the internals of an image.  For the files of src/image; other modules use image.h. */
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
	struct view view;     /* of the current moment */
	VEC_OF(bool) filling; /* by file: it exists already, so its content in the trace is not new */
	VEC_OF(bool) announced;
	struct found found;
};

/* Return one page of a state, with zeros beyond the end of the file; if `state` is NULL, of the certain content.
 * `buffer` is used only if needed. */
const uint8_t *image_page(const struct image *image, const struct state *state, uint32_t file, uint64_t number,
			  uint8_t buffer[IMAGE_PAGE]);

/* Return the numbers of the pages of a file that may hold data in a state, ascending.  The caller frees the array. */
uint64_t *image_page_numbers(const struct image *image, const struct state *state, uint32_t file, size_t *count);

#endif
