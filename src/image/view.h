/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - the pending units of one moment, arranged by line, so that each of many states of that moment is cheap. */
#ifndef BLACKOUT_IMAGE_VIEW_H
#define BLACKOUT_IMAGE_VIEW_H

#include "base/vec.h"
#include "image/ages.h"
#include "image/state.h"

/* A pending unit, and which of its bytes would be visible. */
struct view_unit {
	size_t index;    /* in model_pending */
	uint64_t offset; /* in the file */
	uint8_t value[8];
	uint8_t size, visible; /* a bit for each byte */
};

struct view_line {
	uint64_t number;
	uint32_t file;
	size_t first, count; /* its units, in the sequence of the stores */
	const uint8_t *page; /* certain bytes of the page; NULL: zeros */
	uint64_t path;       /* digest_path of the file */
	bool named;          /* a file without a name does not count */

	/* The last query, which is mostly repeated by the next one. */
	bool asked;
	uint64_t asked_set; /* bit mask of the first 64 units */
	struct digest base, change;
};

struct view {
	bool valid;
	struct digest certain;          /* digest of the certain content */
	bool arranged;                  /* the fields below are filled in */
	size_t pending;                 /* units of the model */
	VEC_OF(struct view_line) lines; /* sorted by file and number */
	VEC_OF(struct view_unit) units; /* units of the first line, of the second, ... */
};

void view_free(struct view *view);

/* Arrange the pending units.  `content` and `ages` must not change while the view is in use. */
void view_arrange(struct view *view, struct model *model, const struct content *content, const struct ages *ages);

/* The digest of a state minus the digest of the certain content; `persisted` NULL: all. */
struct digest view_change(struct view *view, const bool *persisted);

#endif
