/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h - stacks of findings out of contexts of a trace, with the location chosen. */
#ifndef BLACKOUT_FINDING_STACKS_H
#define BLACKOUT_FINDING_STACKS_H

#include "base/map.h"
#include "finding/finding.h"

/* Fill the first four, zero the rest. */
struct stacks {
	struct findings *findings; /* who owns what is made */
	const struct trace *trace;
	struct symbols *symbols;
	const struct findings_options *options; /* may be NULL */
	struct map frames;                      /* from a symbols_frame to our copy of it */
	VEC_OF(struct finding_frame) buffer;    /* what stacks_view returned last */
};

/* The stack of a context; valid until the next call. */
struct finding_stack stacks_view(struct stacks *stacks, uint32_t context);

/* The same, owned by the collection. */
struct finding_stack stacks_make(struct stacks *stacks, uint32_t context);

void stacks_free(struct stacks *stacks);

#endif
