/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - one crash state: a moment of the trace, and which of the units pending there are on media.
 *
 *     const struct unit *const *pending = model_pending(image_model(image), &count);
 *     bool persisted[count] = ...;
 *     struct digest d = state_digest(image, persisted);        // was this content tested before?
 *     struct state *s = state_new(image, persisted);           // if not
 *
 * A state keeps copies of its units, so it no longer needs the model or the trace.  But its bytes are those of the
 * image AT ITS EVENT with the units on top.  So read it, load it into a stage, or write a snapshot of it before the
 * image advances; after that, only `event`, `digest` and `units` are useful.
 *
 * A state may also be built by hand from any bytes: patches sorted as described below, and a digest of zeros, which
 * means "unknown".
 *
 * Any set makes a state. model_allows tells whether the set is legal.
 *
 * The digest depends on the content, not on the set: two states have the same digest if and only if (except with a
 * probability of about 2^-128) they have the same files with the same names, sizes and bytes.  Its cost is that of the
 * lines that the pending units touch, not of the files. */
#ifndef BLACKOUT_IMAGE_STATE_H
#define BLACKOUT_IMAGE_STATE_H

#include "image/digest.h"
#include "image/image.h"

/* Bytes of a persisted unit that are visible: not hidden by something newer and certain. */
struct patch {
	uint64_t offset;
	uint32_t file;
	uint8_t size; /* 1 to 8, in one aligned word */
	uint8_t value[8];
};

struct state {
	uint64_t event; /* the crash comes after this event; 0: before the first event */
	struct digest digest;
	size_t units;     /* number of pending units that are persisted */
	size_t count;     /* number of patches */
	struct patch *at; /* sorted by file and line, and for each line by the sequence of the stores */
};

/* Create a state of this moment.  `persisted` has a flag for each unit of model_pending; NULL: all are persisted.  The
 * caller frees it with state_free. */
struct state *state_new(struct image *image, const bool *persisted);
struct state *state_all(struct image *image);  /* all pending units are persisted: what the program itself saw */
struct state *state_none(struct image *image); /* no pending unit is persisted: only the guaranteed content */
/* A state built by hand, legal or not, whose files have this content; NULL: their names or sizes differ.  Its cost
 * is that of comparing all pages with data. */
struct state *state_like(struct image *image, const struct content *content);
void state_free(struct state *state);

/* The files of a state of this moment as a content of its own, which no longer needs the image.  It shares pages with
 * it until they change.  The caller frees it with content_free. */
struct content *state_content(const struct image *image, const struct state *state);

/* The digests that these states would have.  No memory is allocated for a state; all states of a moment share what is
 * computed once for it. */
struct digest state_digest(struct image *image, const bool *persisted);
struct digest state_digest_all(struct image *image);
struct digest state_digest_none(struct image *image);

#endif
