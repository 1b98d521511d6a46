/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image.h - the PM files as a power failure would leave them, moving forward through a trace.
 *
 *     struct image *image = image_new(platform_find("adr"), origin);
 *     while (trace_next(t, &ev, &err) > 0) {
 *             image_apply(image, &ev);
 *             if (...) {
 *                     struct state *none = state_none(image);  // a crash here that leaves only what is guaranteed
 *                     struct state *all = state_all(image);    // ... that leaves everything stored so far
 *                     ...
 *     image_free(image);
 *
 * An image owns a model (MODEL_STATES) and the certain content of all files: what is on media whatever happens.  When
 * the model says that a unit is certain, it moves from pending into that content; a crash state is the content with
 * some pending units over it (state.h).
 *
 * Rules, beside those of content.h and doc/MODEL.md:
 *
 *  1. A byte shows the latest unit on it.  An older unit, whether it becomes certain later or is persisted in a state,
 *     never covers a newer one that is certain already.
 *  2. Sizes, names and links change at once and for certain.
 *  3. A file that existed before the recording is there from the start, as `origin` says.  One that the program made is
 *     there from its FILE event on.
 *  4. Of files with the same path the one that got it last has it; the others have lost that name.
 *
 * The cost of moving forward is that of the bytes that become certain; memory is that of the pages with something in
 * them, and of what is pending.  The digest of the content is brought up to date when it is asked for, page by changed
 * page. */
#ifndef BLACKOUT_IMAGE_IMAGE_H
#define BLACKOUT_IMAGE_IMAGE_H

#include "image/origin.h"
#include "model/model.h"

struct image;
struct state;

/* An image at the start of a trace.  `origin`, if it is not NULL, must live as long as the image. */
struct image *image_new(const struct platform *platform, const struct origin *origin);
void image_free(struct image *image);

/* Let the next event of the trace take effect. */
void image_apply(struct image *image, const struct event *ev);

/* The next event, whatever it is, is no CONTENT.  What a file that became known a second time holds is known only then;
 * image_apply sees it by itself, but whoever asks for states before the next event must say so. */
void image_settle(struct image *image);

/* How many events have taken effect: the number of the last one. */
uint64_t image_events(const struct image *image);

/* For questions: what is pending, which sets are legal.  Nothing may be applied to it. */
struct model *image_model(struct image *image);

/* The files of a state: ids from 1 to the count.  Existence, names and sizes are the same in all states of a moment
 * (rule 2). */
uint32_t image_file_count(const struct image *image);
bool image_exists(const struct image *image, uint32_t file); /* it is known, and has a name */
const char *image_path(const struct image *image,
		       uint32_t file); /* NULL if it does not exist; valid until the next event */
uint64_t image_size(const struct image *image, uint32_t file);

/* Was the file made in the run, and is nothing but zeros certain to be in it? */
bool image_is_blank(const struct image *image, uint32_t file);

/* Copy up to `size` bytes of a file from `offset` on, in a state of this moment, or of what is certain if `state` is
 * NULL; return how many there are before its end. */
size_t image_read(const struct image *image, const struct state *state, uint32_t file, uint64_t offset, void *buffer,
		  size_t size);

/* Make the regular file `fd` equal to a file of a state: its size, and its bytes with holes where nothing is. */
int image_write(const struct image *image, const struct state *state, uint32_t file, int fd, struct err *err);

#endif
