/* SPDX-License-Identifier: GPL-2.0-or-later */
/* postdom.h - immediate post-dominators in a graph.
 *
 * Node p post-dominates node n if every way from n to the exit leads over p.  The immediate post-dominator of n is the
 * first of them after n: the place where all ways from n have met again.
 *
 * The exit is a virtual node.  A node without successors leads to it.  So does, for every loop that is never left, the
 * end of the loop's body: otherwise there would be no way to the exit, and every node would post-dominate. */
#ifndef BLACKOUT_FLOW_POSTDOM_H
#define BLACKOUT_FLOW_POSTDOM_H

#include <stdint.h>

#include "flow/memory.h"

#define FLOW_EXIT UINT32_MAX

/* Edges lead from node n to to[first[n]], ..., to[first[n + 1] - 1], each of which is a node or FLOW_EXIT. */
struct flow_edges {
	uint32_t nodes;
	const uint32_t *first; /* nodes + 1 of them */
	const uint32_t *to;
};

/* Set after[n], for each node n, to its immediate post-dominator, which may be FLOW_EXIT. */
void flow_postdominators(const struct flow_edges *edges, uint32_t *after, flow_resize *resize);

#endif
