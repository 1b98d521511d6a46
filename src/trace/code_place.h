/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_place.h - places in the code, to compare between recordings.
 *
 * A recording numbers its modules and contexts as it meets them, and code may be loaded at another address each time.
 * A place stays the same: it is an instruction of a file, no matter who calls it.
 *
 *     code_place_same(code_place(first, a), code_place(second, b))      // the same instruction?
 *
 *     struct code_places places = {0};
 *     size_t number = code_places_add(&places, code_place(trace, ev.context));   // 1, 2 ..., one number per place
 *     code_places_free(&places);
 *
 * A file that changed between the recordings is another module.  Code outside any file is compared by its address. */
#ifndef BLACKOUT_TRACE_CODE_PLACE_H
#define BLACKOUT_TRACE_CODE_PLACE_H

#include <stdbool.h>

#include "base/map.h"
#include "trace/trace.h"

struct code_place {
	uint64_t module; /* identifies the file and its version; 0: outside any file */
	uint64_t offset; /* in the file */
};

/* The place of a context.  Context 0 has the place {0, 0}. */
struct code_place code_place(const struct trace *trace, uint32_t context);

static inline bool code_place_same(struct code_place a, struct code_place b)
{
	return a.module == b.module && a.offset == b.offset;
}

/* A set of places, numbered from 1 in the order in which they were added. */
struct code_places {
	struct map numbers;
};

/* Number a place, unless it has a number already. */
size_t code_places_add(struct code_places *places, struct code_place place);

void code_places_free(struct code_places *places);

#endif
