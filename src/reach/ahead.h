/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.h - the marks that lie ahead of a place in a program, and how many decisions away each of them is.
 *
 *     ahead_make(&ahead, &program, nodes, count);       // mark i is in node nodes[i]
 *     const struct ahead_list *list = ahead_from(&ahead, node);
 *
 * What matters is not how much code lies between a place and a mark, but how many branches must go the right way.
 *
 * 1  From a node the program comes to its immediate post-dominator, where all its ways meet again, and into the function
 *    that it calls: that needs no decision.
 * 2  One side of a branch is one decision.  It is none if the other sides never return, as in `if (bad) exit(1);`.
 * 3  A function whose address is taken is one decision away: somebody may call it.
 *
 * So a loop or a branch that the program passes on each way to a mark does not count, but to go round a loop once more does.
 * Only what is reached without returning from the function of the place is listed. */
#ifndef BLACKOUT_REACH_AHEAD_H
#define BLACKOUT_REACH_AHEAD_H

#include "reach/program.h"

enum {
	AHEAD_DECISIONS_MOST = 15, /* what is further away is not listed, */
	AHEAD_NODES_MOST = 1 << 14 /* nor is what comes after so many nodes */
};

struct ahead_mark {
	uint32_t mark, decisions;
};

struct ahead_list {
	VEC_OF(struct ahead_mark) marks; /* each once, the nearest first */
};

struct ahead {
	const struct program *program;
	uint32_t *after; /* of each node: its immediate post-dominator, or FLOW_EXIT */
	uint8_t *leads;  /* of each node: a mark can be reached */
	uint32_t *first; /* of each node, and one more: its first mark in `marks` */
	uint32_t *marks;
	uint32_t *visited, round;
	VEC_OF(uint32_t) now, next; /* nodes to visit: after as many decisions as now, and after one more */
	struct map asked;           /* from nodes to answers + 1 */
	VEC_OF(struct ahead_list) answers;
};

void ahead_make(struct ahead *ahead, const struct program *program, const uint32_t *nodes, size_t count);
void ahead_free(struct ahead *ahead);

/* Valid until the next call.  Asking again is cheap. */
const struct ahead_list *ahead_from(struct ahead *ahead, uint32_t node);

/* What is ahead of any of several nodes; the caller frees it. */
struct ahead_list ahead_of(struct ahead *ahead, const uint32_t *nodes, size_t count);

#endif
