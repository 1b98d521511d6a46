/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image.h - the PM files as a power failure would leave them, moving forward through a trace.
 *
 *     struct image *image = image_new(platform_find("adr"), origin);
 *     while (trace_next(t, &ev, &err) > 0) {
 *             image_apply(image, &ev);
 *             if (...) {
 *                     struct state *none = state_none(image);  // a crash here that leaves only the guaranteed stores
 *                     struct state *all = state_all(image);    // ... that leaves everything stored so far
 *                     ...
 *     image_free(image);
 *
 * An image owns a model (MODEL_STATES) and the certain content of all files, which is on media no matter what happens.
 * When the model reports that a unit is certain, the unit moves from pending into that content.  A crash state is the
 * certain content with some pending units on top (state.h).
 *
 * Rules, in addition to those of content.h and doc/MODEL.md:
 *
 *  1. A byte shows the latest unit on it.  An older unit, whether it becomes certain later or is persisted in a state,
 *     never covers a newer one that is already certain.
 *  2. Changes of sizes, names and links are certain at once.
 *  3. A file that existed before the recording exists from the start, as given by `origin`.  A file that the program
 *     created exists from its FILE event on.
 *  4. If several files had the same path, the one that got it last has it; the others have lost that name.
 *
 * Moving forward costs as much as the bytes that become certain.  Memory is used for pages with data and for pending
 * units.  The digest of the content is updated on demand, for each changed page. */
#ifndef BLACKOUT_IMAGE_IMAGE_H
#define BLACKOUT_IMAGE_IMAGE_H

#include "image/origin.h"
#include "model/model.h"

struct image;
struct state;

/* Create an image for the start of a trace.  `origin`, if not NULL, must live as long as the image. */
struct image *image_new(const struct platform *platform, const struct origin *origin);
void image_free(struct image *image);

/* Apply the next event of the trace. */
void image_apply(struct image *image, const struct event *ev);

/* Declare that the next event is not a CONTENT.  Only then is the content of a file that became known a second time
 * complete. image_apply detects this itself, but a caller that needs states before the next event must call this
 * first. */
void image_settle(struct image *image);

/* The number of events applied so far, which is the number of the last one. */
uint64_t image_events(const struct image *image);

/* For queries: what is pending, which sets are legal.  No event may be applied to it. */
struct model *image_model(struct image *image);

/* The files of a state: ids from 1 to the count.  Existence, names and sizes are the same in all states of a moment
 * (rule 2). */
uint32_t image_file_count(const struct image *image);
bool image_exists(const struct image *image, uint32_t file); /* it is known, and has a name */
const char *image_path(const struct image *image,
		       uint32_t file); /* NULL if it does not exist; valid until the next event */
uint64_t image_size(const struct image *image, uint32_t file);

/* Was the file created in the run, and is its certain content all zeros? */
bool image_is_blank(const struct image *image, uint32_t file);

/* Copy up to `size` bytes of a file from `offset` on, in a state of this moment, or of the certain content if `state`
 * is NULL.  Return the number of bytes there are before the end of the file. */
size_t image_read(const struct image *image, const struct state *state, uint32_t file, uint64_t offset, void *buffer,
		  size_t size);

/* Make the regular file `fd` equal to a file of a state: same size and bytes, with holes where there is no data. */
int image_write(const struct image *image, const struct state *state, uint32_t file, int fd, struct err *err);

#endif
