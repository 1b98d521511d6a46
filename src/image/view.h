/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - what is pending at one moment, arranged by lines, so that each of many states of that moment costs
 * little. */
#ifndef BLACKOUT_IMAGE_VIEW_H
#define BLACKOUT_IMAGE_VIEW_H

#include "base/vec.h"
#include "image/ages.h"
#include "image/state.h"

/* A pending unit, as far as it would show. */
struct view_unit {
	size_t index;    /* in model_pending */
	uint64_t offset; /* in the file */
	uint8_t value[8];
	uint8_t size, visible; /* a bit for each byte */
};

struct view_line {
	uint64_t number;
	uint32_t file;
	size_t first, count; /* of its units, in the order of the stores */
	const uint8_t *page; /* certain bytes of the page, or NULL: zeros */
	uint64_t path;       /* digest_path of the file */
	bool named;          /* without a name it does not count */

	/* What was asked for last: mostly, what is asked for next. */
	bool asked;
	uint64_t asked_set; /* of the first 64 units */
	struct digest base, change;
};

struct view {
	bool valid;
	struct digest certain;          /* digest of what is certain */
	bool arranged;                  /* the rest is filled in */
	size_t pending;                 /* units of the model */
	VEC_OF(struct view_line) lines; /* by file and number */
	VEC_OF(struct view_unit) units; /* of the first line, of the second, ... */
};

void view_free(struct view *view);

/* Arrange what is pending.  `content` and `ages` must not change while the view is in use. */
void view_arrange(struct view *view, struct model *model, const struct content *content, const struct ages *ages);

/* How the digest of a state differs from that of what is certain; `persisted` NULL: all. */
struct digest view_change(struct view *view, const bool *persisted);

#endif
