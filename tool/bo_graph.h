/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_graph.h - the control-flow graphs of the functions that the target executes (src/flow). */
#ifndef BO_GRAPH_H
#define BO_GRAPH_H

#include "pub_tool_basics.h"

#include "flow/flow.h"

/* An instruction.  A point is never freed, so the target's code may contain its address. */
struct bo_point {
	Addr at;
	Addr place, after; /* as in struct flow_point; change when more jumps have been seen */
	Addr last_target;  /* of an indirect jump */
	UInt function;     /* which graph; BO_NO_GRAPH: it has none */
	UInt code;         /* as a code id; 0: not yet known */
	UChar length, kind;
	Bool is_join, is_landing;
	Bool is_hopeless; /* a graph was tried and does not have it */
};

#define BO_NO_GRAPH (~0u)

/* The point of an instruction that is being translated; makes the graph of its function if needed. */
struct bo_point *bo_graph_point(Addr insn);
/* A jump was seen.  True: it was not known, and points have changed. */
Bool bo_graph_see(const struct flow_seen *jump);
void bo_graph_forget(Addr start, SizeT size);                    /* code was unmapped */
void bo_graph_count(UInt *functions, UInt *without, UInt *seen); /* functions, instructions without a graph, jumps */

#endif
