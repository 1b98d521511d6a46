/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - the graphs of all modules of a program as one graph.
 *
 * Nodes are the blocks of all modules, in the order in which they were added, and one node for each module that stands for
 * "some function whose address is taken here".  Calls by name lead to the module that has the name.  An indirect call
 * leads to the functions that were seen to be called there.  In the user's own modules it leads also to all functions
 * of the module whose address is taken, because a table of handlers is worth little if only those are known that have
 * been called.  In libraries that would be too many: there, only what was seen counts.
 *
 * A call of a function that never returns, as exit, has nothing after it.  This needs no list of names: a node can
 * return if there is a way to a return instruction on which every call can return. */
#ifndef BLACKOUT_REACH_PROGRAM_H
#define BLACKOUT_REACH_PROGRAM_H

#include "base/map.h"
#include "reach/module.h"

/* After linking, there are only these kinds of edges: JUMP, BACK, CALL, TAKES, and INDIRECT for an unknown callee. */
struct program_part {
	const struct module *module; /* the caller's */
	uint32_t base;               /* its first node */
	uint32_t any;                /* the node for some function whose address is taken */
	bool is_library;
};

struct program_call {
	uint32_t from, to;
};

struct program {
	VEC_OF(struct program_part) parts;
	VEC_OF(struct program_call) seen; /* calls that were executed; each once */
	struct map seen_calls;
	uint32_t count;   /* nodes */
	uint32_t *first;  /* of each node, and one more: its first edge */
	uint8_t *ending;  /* enum module_ending */
	uint8_t *returns; /* the function may return after this node */
	VEC_OF(struct module_edge) edges;
};

/* The module must stay as long as the program.  Numbers of nodes that are known remain valid. */
void program_add(struct program *program, const struct module *module, bool is_library);

/* A call was executed.  False: it is known. */
bool program_see(struct program *program, uint32_t from, uint32_t to);

/* Make the graph.  Must be called after the others, before it is looked at. */
void program_link(struct program *program);

void program_free(struct program *program);

/* May the program go on over this edge without calling or returning? */
bool program_goes(const struct program *program, uint32_t node, const struct module_edge *edge);

/* Edges against their direction: those to node n come from from[first[n]] to from[first[n + 1] - 1]. */
struct program_reverse {
	uint32_t *first, *from;
	uint8_t *kind; /* enum module_edge_kind */
};

void program_reverse_make(const struct program *program, struct program_reverse *reverse);
void program_reverse_free(struct program_reverse *reverse);

#endif
