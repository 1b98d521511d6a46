/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blocks.c - instructions joined into blocks, and the post-dominators of blocks. */
#include "flow/graph_in.h"
#include "flow/postdom.h"

struct edges {
	uint32_t *first, *to;
	uint32_t count, room;
};

/* The node at an address, or the first of its copies. */
static uint32_t node_at(const struct flow_graph *g, uint64_t at)
{
	uint32_t node = flow_node_find(g, at);

	return node == FLOW_NONE ? FLOW_NONE : g->nodes[node].same;
}

static uint32_t next_node(const struct flow_graph *g, uint32_t node)
{
	return node_at(g, g->nodes[node].at + g->nodes[node].length);
}

static bool node_falls_through(const struct flow_node *n)
{
	return !n->left && (n->kind == FLOW_PLAIN || n->kind == FLOW_CALL || n->kind == FLOW_CALL_INDIRECT);
}

static void block_make(struct flow_graph *g, uint32_t first)
{
	struct flow_block *b = &g->blocks[g->block_count];
	uint32_t node = first;

	*b = (struct flow_block){.first = first, .after = FLOW_EXIT};
	for (;;) {
		uint32_t next = node_falls_through(&g->nodes[node]) ? next_node(g, node) : FLOW_NONE;

		g->nodes[node].block = g->block_count;
		b->last = node;
		if (next == FLOW_NONE || g->nodes[next].leads)
			break;
		node = next;
	}
	g->block_count++;
}

static void edge_add(struct flow_graph *g, struct edges *e, uint32_t block)
{
	e->to = flow_make_room(&g->code, e->to, e->count, &e->room, sizeof(*e->to));
	e->to[e->count++] = block;
}

static uint32_t block_at(const struct flow_graph *g, uint64_t at)
{
	uint32_t node = node_at(g, at);

	return node == FLOW_NONE ? FLOW_EXIT : g->nodes[node].block;
}

static void edge_add_next(struct flow_graph *g, struct edges *e, uint32_t last)
{
	edge_add(g, e, block_at(g, g->nodes[last].at + g->nodes[last].length));
}

static void edge_add_jump(struct flow_graph *g, struct edges *e, uint64_t to)
{
	edge_add(g, e, flow_is_inside(g, to) ? block_at(g, to) : FLOW_EXIT);
}

/* These edges are not sorted, but there are few. */
static void edges_add_jumps(struct flow_graph *g, struct edges *e, uint32_t last)
{
	bool is_inside = false, is_one = true;
	uint32_t first = e->count;

	for (uint32_t i = 0; i < g->jump_count; i++)
		if (g->jumps[i].from == last) {
			edge_add_jump(g, e, g->jumps[i].to);
			is_inside |= e->to[e->count - 1] != FLOW_EXIT;
		}
	/* A table that was not recognized leads to what nothing else leads to. */
	for (uint32_t i = 0; is_inside && g->nodes[last].open && i < g->count; i++)
		if (g->nodes[i].root)
			edge_add(g, e, g->nodes[i].block);
	/* One target alone may be that of a tail call: where else the jump may lead is not known. */
	for (uint32_t i = first + 1; i < e->count; i++)
		is_one &= e->to[i] == e->to[first];
	if (g->nodes[last].open && is_inside && is_one)
		edge_add(g, e, FLOW_EXIT);
}

static void edges_add_of(struct flow_graph *g, struct edges *e, uint32_t block)
{
	uint32_t last = g->blocks[block].last;
	const struct flow_node *n = &g->nodes[last];

	switch (n->kind) {
	case FLOW_BRANCH:
		edge_add_next(g, e, last);
		edge_add_jump(g, e, n->target);
		break;
	case FLOW_REPEAT:
		edge_add_next(g, e, last);
		edge_add(g, e, block);
		break;
	case FLOW_JUMP: edge_add_jump(g, e, n->target); break;
	case FLOW_JUMP_INDIRECT:
	case FLOW_RETURN:
	case FLOW_STOP: break;
	default: edge_add_next(g, e, last); break;
	}
	if (n->kind == FLOW_JUMP_INDIRECT || n->left)
		edges_add_jumps(g, e, last);
}

/* ---- ways that fail ---- */

static bool block_fails(const struct flow_graph *g, const struct edges *e, const bool *fails, uint32_t b)
{
	if (g->nodes[g->blocks[b].last].fails && !g->nodes[g->blocks[b].last].left)
		return true;
	for (uint32_t i = e->first[b]; i < e->first[b + 1]; i++)
		if (e->to[i] == FLOW_EXIT || !fails[e->to[i]])
			return false;
	return e->first[b] != e->first[b + 1];
}

/* Drop the edges to blocks from which every way fails.  Those blocks keep theirs. */
static void edges_drop_failing(struct flow_graph *g, struct edges *e)
{
	bool *fails = g->code.resize(NULL, g->block_count + 1), changed = true;
	uint32_t kept = 0, from = 0;

	for (uint32_t b = 0; b < g->block_count; b++)
		fails[b] = false;
	while (changed) {
		changed = false;
		for (uint32_t b = g->block_count; b-- > 0;)
			if (!fails[b] && block_fails(g, e, fails, b))
				fails[b] = changed = true;
	}
	for (uint32_t b = 0; b < g->block_count; b++) {
		for (; from < e->first[b + 1]; from++)
			if (fails[b] || e->to[from] == FLOW_EXIT || !fails[e->to[from]])
				e->to[kept++] = e->to[from];
		from = e->first[b + 1];
		e->first[b + 1] = kept;
	}
	e->count = kept;
	g->code.resize(fails, 0);
}

/* ---- ways that do not come back ---- */

static bool block_returns(const struct flow_graph *g, const struct edges *e, const bool *returns, uint32_t b)
{
	for (uint32_t i = e->first[b]; i < e->first[b + 1]; i++)
		if (e->to[i] == FLOW_EXIT || returns[e->to[i]])
			return true;
	return e->first[b] == e->first[b + 1] && g->nodes[g->blocks[b].last].kind != FLOW_STOP;
}

/* Drop the edges to blocks from which the function cannot return, if it can return otherwise: where ways meet does not
 * depend on those that end the program, or else no region of main would ever end.  Set guards[b] if one edge is left of
 * several: such a branch decides about all that follows. */
static void edges_drop_ending(struct flow_graph *g, struct edges *e, bool *guards)
{
	bool *returns = g->code.resize(NULL, g->block_count + 1), changed = true;
	uint32_t kept = 0, from = 0;

	for (uint32_t b = 0; b < g->block_count; b++)
		returns[b] = false;
	while (changed) {
		changed = false;
		for (uint32_t b = g->block_count; b-- > 0;)
			if (!returns[b] && block_returns(g, e, returns, b))
				returns[b] = changed = true;
	}
	for (uint32_t b = 0; b < g->block_count; b++) {
		uint32_t all = e->first[b + 1] - from;

		for (; from < e->first[b + 1]; from++)
			if (!returns[b] || e->to[from] == FLOW_EXIT || returns[e->to[from]])
				e->to[kept++] = e->to[from];
		e->first[b + 1] = kept;
		guards[b] = kept - e->first[b] == 1 && all > 1;
	}
	e->count = kept;
	g->code.resize(returns, 0);
}

/* ---- joins ---- */

static bool node_decides(const struct flow_node *n)
{
	return n->kind == FLOW_BRANCH || n->kind == FLOW_REPEAT || n->kind == FLOW_JUMP_INDIRECT || n->left;
}

/* A place where branches join has two ways leading to it, or ends a loop.  As long as the targets of some jump are not
 * known, any block may turn out to be one. */
static void joins_mark(struct flow_graph *g)
{
	bool any_open = false;

	for (uint32_t i = 0; i < g->count; i++)
		any_open |= g->nodes[i].open;
	for (uint32_t b = 0; b < g->block_count; b++) {
		g->blocks[b].is_join |= any_open;
		if (node_decides(&g->nodes[g->blocks[b].last]) && g->blocks[b].after != FLOW_EXIT)
			g->blocks[g->blocks[b].after].is_join = true;
	}
}

static void joins_count(struct flow_graph *g, const struct edges *e)
{
	bool *reached = g->code.resize(NULL, g->block_count);

	for (uint32_t b = 0; b < g->block_count; b++)
		reached[b] = false;
	for (uint32_t i = 0; i < e->count; i++)
		if (e->to[i] != FLOW_EXIT) {
			g->blocks[e->to[i]].is_join |= reached[e->to[i]];
			reached[e->to[i]] = true;
		}
	for (uint32_t b = 0; b < g->block_count; b++) {
		const struct flow_node *first = &g->nodes[g->blocks[b].first];
		g->blocks[b].is_landing = first->lands || (!reached[b] && first->at != g->function.entry);
	}
	g->code.resize(reached, 0);
}

/* Set where the ways from each block meet again. */
static void blocks_join(struct flow_graph *g, struct edges *e)
{
	uint32_t *after = g->code.resize(NULL, (g->block_count + 1) * sizeof(*after));
	bool *guards = g->code.resize(NULL, g->block_count + 1);

	edges_drop_failing(g, e);
	edges_drop_ending(g, e, guards);
	flow_postdominators(&(struct flow_edges){g->block_count, e->first, e->to}, after, g->code.resize);
	for (uint32_t b = 0; b < g->block_count; b++)
		g->blocks[b].after = guards[b] ? FLOW_EXIT : after[b];
	g->code.resize(guards, 0);
	g->code.resize(after, 0);
}

void flow_blocks_make(struct flow_graph *g)
{
	struct edges e = {0};

	g->blocks = g->code.resize(NULL, (g->count + 1) * sizeof(*g->blocks));
	for (uint32_t i = 0; i < g->count; i++)
		if (g->nodes[i].leads && g->nodes[i].same == i)
			block_make(g, i);
	for (uint32_t i = 0; i < g->count; i++)
		g->nodes[i].block = g->nodes[g->nodes[i].same].block;
	e.first = g->code.resize(NULL, (g->block_count + 1) * sizeof(*e.first));
	for (uint32_t b = 0; b < g->block_count; b++) {
		e.first[b] = e.count;
		edges_add_of(g, &e, b);
	}
	e.first[g->block_count] = e.count;
	blocks_join(g, &e);
	joins_count(g, &e);
	joins_mark(g);
	g->code.resize(e.first, 0);
	g->code.resize(e.to, 0);
}
