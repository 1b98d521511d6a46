/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans.h - find the address range that contains an address.
 *
 * Add ranges in any sequence, sort once, then search.  Ranges may overlap: the result is the range that starts last,
 * which is the innermost one if they are nested.  Among ranges with the same start, the higher rank wins, then the
 * shorter range. */
#ifndef BLACKOUT_BASE_SPANS_H
#define BLACKOUT_BASE_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t low, high; /* high is the first address after the span */
	uint64_t reach;     /* highest `high` of all spans up to this one; a search stops there */
	uint32_t rank;
	uint32_t id; /* for the caller's use */
};

struct spans {
	struct span *at;
	size_t count, room;
};

/* Add [low, high); an empty one is ignored. */
void spans_add(struct spans *spans, uint64_t low, uint64_t high, uint32_t rank, uint32_t id);

/* Must be called between the last spans_add and the first spans_find. */
void spans_sort(struct spans *spans);

/* Return the innermost span that contains `addr`, or NULL.  Valid until the spans change. */
const struct span *spans_find(const struct spans *spans, uint64_t addr);

/* Return the lowest start of a span above `addr`, or UINT64_MAX. */
uint64_t spans_next(const struct spans *spans, uint64_t addr);

void spans_free(struct spans *spans);

#endif
