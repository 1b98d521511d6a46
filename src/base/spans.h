/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans.h - which of many address ranges holds an address?
 *
 * Add ranges in any order, sort once, then ask.  Ranges may overlap: the answer is the one that starts last, that is,
 * the innermost of nested ranges; of ranges with the same start the one with the higher rank, then the shorter one. */
#ifndef BLACKOUT_BASE_SPANS_H
#define BLACKOUT_BASE_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t low, high; /* high is the first address after it */
	uint64_t reach;     /* highest `high` of all spans up to this one: where a search may stop */
	uint32_t rank;
	uint32_t id; /* the caller's */
};

struct spans {
	struct span *at;
	size_t count, room;
};

/* Add [low, high); an empty one is ignored. */
void spans_add(struct spans *spans, uint64_t low, uint64_t high, uint32_t rank, uint32_t id);

/* Must be called between the last spans_add and the first spans_find. */
void spans_sort(struct spans *spans);

/* The innermost span that holds `addr`, or NULL.  Valid until spans change. */
const struct span *spans_find(const struct spans *spans, uint64_t addr);

/* The lowest start of a span above `addr`, or UINT64_MAX. */
uint64_t spans_next(const struct spans *spans, uint64_t addr);

void spans_free(struct spans *spans);

#endif
