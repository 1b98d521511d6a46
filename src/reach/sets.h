/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.h - the sets of marks that can be reached in the graph of a program.
 *
 *     sets_make(&sets, &program, nodes, count);       // mark i is in node nodes[i]
 *     const uint64_t *bits = sets_from(&sets, node, false);
 *
 * What can be reached from a node without returning from its function: the marks of the nodes that the program can go
 * to, and all that the functions called there reach.  The latter is computed once, for all functions, over the strongly
 * connected components of the call graph. */
#ifndef BLACKOUT_REACH_SETS_H
#define BLACKOUT_REACH_SETS_H

#include "reach/program.h"

struct sets {
	const struct program *program;
	size_t words;    /* of a set */
	uint32_t *first; /* of each node, and one more: its first mark in `marks` */
	uint32_t *marks;
	uint64_t **called; /* of each node: what a call of it reaches; NULL: nothing, or it is never called */
	VEC_OF(uint64_t *) owned;
	uint32_t *visited, round, *stack;
	struct map asked; /* from nodes, and whether loops are left, to answers */
};

void sets_make(struct sets *sets, const struct program *program, const uint32_t *nodes, size_t count);
void sets_free(struct sets *sets);

/* The set of a node, `words` long, valid until sets_free.  `loops`: also what is reached only by going back to the start
 * of a loop. */
const uint64_t *sets_from(struct sets *sets, uint32_t node, bool loops);

#endif
