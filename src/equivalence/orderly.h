/* SPDX-License-Identifier: GPL-2.0-or-later */
/* orderly.h - the contents of a recording without a crash: all that was stored up to an event is on media.
 *
 *     struct orderly *o = orderly_new(dir, origin, 4);
 *     const struct orderly_content *c = orderly_at(o, 17, &err);      // after event 17
 *     ... c->content, c->digest ...
 *     orderly_free(o);
 *
 * The recording is read as far as needed.  The last few contents are kept; for an older one it is read again. */
#ifndef BLACKOUT_EQUIVALENCE_ORDERLY_H
#define BLACKOUT_EQUIVALENCE_ORDERLY_H

#include "image/state.h"

struct orderly;

struct orderly_content {
	uint64_t event;
	struct content *content;
	struct digest digest;
};

/* `dir` and `origin` must live as long as the result. */
struct orderly *orderly_new(const char *dir, const struct origin *origin, size_t kept);
void orderly_free(struct orderly *orderly);

/* The content after this event; after the last, if there are fewer.  Valid until the next call.  NULL: the recording
 * cannot be read. */
const struct orderly_content *orderly_at(struct orderly *orderly, uint64_t event, struct err *err);

#endif
