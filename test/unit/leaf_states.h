/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leaf_states.h - how many crash states a leaf of an exploration stands for; for tests and their tools. */
#ifndef BLACKOUT_TEST_LEAF_STATES_H
#define BLACKOUT_TEST_LEAF_STATES_H

#include <stdlib.h>

#include "base/mem.h"
#include "run/lazy.h"

/* The number of legal sets that have what `taken` says about the decided lines; approximate if it is large.  Recovery
 * cannot tell these sets from each other, nor perhaps from others. */
static inline double leaf_states(const struct lazy_leaf *leaf)
{
	uint8_t *decided = mem_alloc(leaf->choices->line_count + 1);
	double count;

	for (size_t i = 0; i < leaf->count; i++)
		decided[leaf->lines[i]] = 1;
	count = choices_count(leaf->choices, leaf->bounds, decided);
	free(decided);
	return count;
}

#endif
