/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_in.h - a graph in the making, for the files of this room. */
#ifndef BLACKOUT_FLOW_GRAPH_IN_H
#define BLACKOUT_FLOW_GRAPH_IN_H

#include "flow/flow.h"

#define FLOW_NONE UINT32_MAX

/* An instruction. */
struct flow_node {
	uint64_t at, target;
	uint32_t before; /* the instruction that it follows, or one that jumps to it; FLOW_NONE: neither */
	uint32_t same;   /* the first of its copies; itself if it has none before it */
	uint32_t block;
	uint8_t length, kind;
	bool leads;  /* begins a block */
	bool jumped; /* `before` jumps here */
	bool open;   /* an indirect jump without a table */
	bool left;   /* a call that has edges to where it was left for */
	bool twice;  /* a call that returns twice */
	bool lands;  /* comes after such a call */
	bool fails;  /* a call of abort and the like, or UD2 */
	bool root;   /* nothing is known to lead here */
};

/* An edge of an indirect jump, or of a call that was left. */
struct flow_jump {
	uint32_t from; /* node */
	uint64_t to;
};

struct flow_block {
	uint32_t first, last; /* nodes */
	uint32_t after;       /* block, or FLOW_EXIT */
	bool is_join, is_landing;
};

struct flow_graph {
	struct flow_code code;
	struct flow_function function;
	struct flow_node *nodes;
	uint32_t count, room;
	uint32_t *table; /* open addressing, from addresses to nodes + 1 */
	uint32_t mask;
	struct flow_jump *jumps;
	uint32_t jump_count, jump_room;
	uint64_t *todo; /* addresses to explore, and the nodes that led there */
	uint32_t *todo_from;
	uint32_t todo_count, todo_room;
	struct flow_block *blocks;
	uint32_t block_count;
	uint32_t most;     /* nodes */
	bool seeks_return; /* stop when a way that may return was found */
	bool found_return;
	bool found_end; /* a way that does not return, but does not fail either */
	bool too_large;
};

uint32_t flow_node_find(const struct flow_graph *g, uint64_t at); /* or FLOW_NONE */
/* Make room for one more element of `size` bytes. */
void *flow_make_room(const struct flow_code *code, void *block, uint32_t count, uint32_t *room, size_t size);
/* Is a jump to this place a jump inside of the function? */
bool flow_is_inside(const struct flow_graph *g, uint64_t at);

/* table.c: call `found` for each target of the indirect jump, if it is that of a switch statement. */
void flow_table_read(struct flow_graph *g, uint32_t jump,
		     void (*found)(struct flow_graph *g, uint32_t jump, uint64_t to));

/* tails.c: find copies. */
void flow_tails_find(struct flow_graph *g);

/* blocks.c: set blocks and their post-dominators. */
void flow_blocks_make(struct flow_graph *g);

#endif
