/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meaning.h - a number for what an expression means, which is the same in the graphs of all paths.
 *
 *     struct meanings meanings = {.x = x};
 *     struct meaning meaning = meaning_of(&meanings, id);
 *     meanings_free(&meanings); */
#ifndef BLACKOUT_SOLVE_MEANING_H
#define BLACKOUT_SOLVE_MEANING_H

#include <stdbool.h>

#include "base/vec.h"
#include "expression/expressions.h"

struct meaning {
	uint64_t low, high;
};

/* The graph may grow meanwhile. */
struct meanings {
	const struct expressions *x;
	bool anywhere;             /* bytes of the input mean the same, wherever they are in it */
	VEC_OF(struct meaning) at; /* by id - 1 */
};

struct meaning meaning_of(struct meanings *meanings, uint32_t id);
void meanings_free(struct meanings *meanings);

/* For qsort. */
int meaning_compare(const void *a, const void *b);

#endif
