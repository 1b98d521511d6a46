/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.h - the control-flow graph of a function, and where its branches join.
 *
 *     struct flow_graph *g = flow_graph_new(&code, &function);
 *     for (uint32_t i = 0; i < flow_graph_count(g); i++) {
 *             struct flow_point p = flow_graph_point(g, i);
 *             if (p.kind == FLOW_BRANCH)              // all ways from p.at meet again at p.after
 *
 * The graph is found by recursive descent: it has what can be reached from the entry by direct jumps, conditional
 * jumps, the tables of switch statements, and jumps that were seen when the program ran.  It has also the rest of the
 * function's code, because landing pads of exceptions, and cases whose table was not recognized, are reached by no
 * direct jump.  Since post-dominators depend only on what can be reached from a place, code that is
 * never executed does no harm there.
 *
 * Ways end at returns, at jumps to other functions (tail calls), at calls that do not return, and at indirect jumps about
 * which nothing is known.  A way that ends in abort or UD2 does not count: `if (bad) abort();` decides nothing that
 * follows.  `if (bad) exit(1);` decides about all that follows in the function.  But branches around it join as if the
 * call of exit were not there, unless the function never returns.
 *
 * Compilers copy what follows a branch into its sides, if it is short and the function ends there.  Such copies are one
 * place in the graph: instructions that are equal up to the end of the function, except for its epilogue, where registers
 * are restored.
 *
 * A function that was split (foo and foo.cold) is one graph: the
 * jump into the other part is no tail call, because no function begins there (`begins`).
 *
 * Tables of switch statements are recognized as gcc and clang make them: an address that is loaded from a table by a
 * scaled index, or a distance that is added to the table's address.  The comparison before the jump says how many entries
 * there are; without one, the table ends where an entry leads out of the function.  A jump without a table that was seen
 * to stay in the function may go to all places in it that nothing else leads to.
 *
 * Nothing in this room needs a C library: the recorder uses it as well (tool/bo_control.c). */
#ifndef BLACKOUT_FLOW_FLOW_H
#define BLACKOUT_FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/insn.h"
#include "flow/memory.h"

enum flow_return {
	FLOW_RETURNS,
	FLOW_RETURNS_NOT,   /* as exit and longjmp: the program goes on elsewhere, or ends */
	FLOW_RETURNS_TWICE, /* as setjmp: again when a longjmp comes back to it */
	FLOW_FAILS,         /* as abort: the program is at fault */
};

/* How to look at the program. */
struct flow_code {
	flow_resize *resize;
	/* Copy up to `size` bytes from the program; return how many could be read. */
	size_t (*read)(void *arg, uint64_t at, void *to, size_t size);
	/* Does a function begin here, so that a jump to this place is a tail call? */
	bool (*begins)(void *arg, uint64_t at);
	/* How a call of this address returns.  flow_returns can tell. */
	enum flow_return (*returns)(void *arg, uint64_t callee);
	void *arg;
};

/* A jump that was seen when the program ran. */
struct flow_seen {
	uint64_t from; /* address of an indirect jump */
	uint64_t to;
	bool by_unwinding; /* `from` is the return address of a call that was left by an exception or by longjmp */
};

struct flow_range {
	uint64_t start, end;
};

struct flow_function {
	uint64_t entry;
	const struct flow_range *parts; /* its code, if that is known */
	uint32_t part_count;
	const struct flow_seen *seen; /* may have jumps of other functions too */
	uint32_t seen_count;
};

struct flow_graph;

/* NULL: too large. */
struct flow_graph *flow_graph_new(const struct flow_code *code, const struct flow_function *function);
void flow_graph_free(struct flow_graph *g);

/* An instruction. */
struct flow_point {
	uint64_t at;
	uint64_t place; /* `at`, or of the first of its copies */
	uint64_t after; /* the place where all ways from it meet: its immediate post-dominator; 0: outside */
	uint8_t length;
	uint8_t kind;    /* enum flow_kind */
	bool is_join;    /* may be `after` of a branch, now or when more jumps have been seen */
	bool is_landing; /* an exception or longjmp may lead here: nothing else does, or after a call that returns twice */
	bool is_open;    /* FLOW_JUMP_INDIRECT: only the targets that were seen are known */
};

uint32_t flow_graph_count(const struct flow_graph *g);
struct flow_point flow_graph_point(const struct flow_graph *g, uint32_t index);

/* The targets of indirect jumps, and where calls were left for, one after the other; false: there are no more. */
bool flow_graph_jump(const struct flow_graph *g, uint32_t index, struct flow_seen *jump);

/* Does the function that begins here return?  FLOW_RETURNS if that is not known. */
enum flow_return flow_returns(const struct flow_code *code, uint64_t entry);

#endif
