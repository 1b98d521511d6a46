/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - one crash state: a moment of the trace, and which of the units pending there are on media.
 *
 *     const struct unit *const *pending = model_pending(image_model(image), &count);
 *     bool persisted[count] = ...;
 *     struct digest d = state_digest(image, persisted);        // was this content tested before?
 *     struct state *s = state_new(image, persisted);           // if not
 *
 * A state keeps copies of its units: it needs neither model nor trace any more, but its bytes are those of the image AT
 * ITS EVENT with the units over them.  So reading it, loading it into a stage and writing a snapshot of it are done
 * before the image moves on; after that, only `event`, `digest` and `units` are of use.
 *
 * A state may also be put together by hand, of any bytes: patches in the order that is said below, and a digest of
 * zeros, which stands for "not known".
 *
 * Whether a set is legal is the model's question (model_allows); any set makes a state.
 *
 * The digest is of the content, not of the way to it: two states have the same one if and only if (but for one chance
 * in 2^128 or so) they have the same files with the same names, sizes and bytes.  It costs the lines that the pending
 * units touch, not the files. */
#ifndef BLACKOUT_IMAGE_STATE_H
#define BLACKOUT_IMAGE_STATE_H

#include "image/digest.h"
#include "image/image.h"

/* Bytes that a persisted unit shows: those that nothing newer and certain hides. */
struct patch {
	uint64_t offset;
	uint32_t file;
	uint8_t size; /* 1 to 8, in one aligned word */
	uint8_t value[8];
};

struct state {
	uint64_t event; /* the crash comes after it; 0: before the first */
	struct digest digest;
	size_t units;     /* pending units that are persisted */
	size_t count;     /* of patches */
	struct patch *at; /* by file and line, and for each line in the order of the stores */
};

/* A state of this moment; `persisted` has a flag for each unit of model_pending; NULL: all are.  The caller frees it
 * with state_free. */
struct state *state_new(struct image *image, const bool *persisted);
struct state *state_all(struct image *image);  /* all pending units persisted: what the program itself saw */
struct state *state_none(struct image *image); /* none: only what is guaranteed */
void state_free(struct state *state);

/* The digests that these would have.  No memory is kept for a state; all states of a moment share what is computed once
 * for it. */
struct digest state_digest(struct image *image, const bool *persisted);
struct digest state_digest_all(struct image *image);
struct digest state_digest_none(struct image *image);

#endif
