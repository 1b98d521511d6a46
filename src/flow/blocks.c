/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blocks.c - instructions joined into blocks, and the post-dominators of blocks. */
#include "flow/graph_in.h"
#include "flow/postdom.h"

struct edges {
	uint32_t *first, *to;
	uint32_t count, room;
};

static uint32_t next_node(const struct flow_graph *g, uint32_t node)
{
	return flow_node_find(g, g->nodes[node].at + g->nodes[node].length);
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
	uint32_t node = flow_node_find(g, at);

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
	for (uint32_t i = 0; i < g->jump_count; i++)
		if (g->jumps[i].from == last)
			edge_add_jump(g, e, g->jumps[i].to);
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

/* A place where branches join has two ways leading to it, or ends a loop.  As long as the targets of some jump are not
 * known, any block may turn out to be one. */
static void joins_mark(struct flow_graph *g, const struct edges *e)
{
	bool any_open = false;

	for (uint32_t i = 0; i < g->count; i++)
		any_open |= g->nodes[i].open;
	for (uint32_t b = 0; b < g->block_count; b++) {
		bool branches = e->first[b + 1] - e->first[b] > 1;

		g->blocks[b].is_join |= any_open;
		if (branches && g->blocks[b].after != FLOW_EXIT)
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

void flow_blocks_make(struct flow_graph *g)
{
	struct edges e = {0};
	uint32_t *after;

	g->blocks = g->code.resize(NULL, (g->count + 1) * sizeof(*g->blocks));
	for (uint32_t i = 0; i < g->count; i++)
		if (g->nodes[i].leads)
			block_make(g, i);
	e.first = g->code.resize(NULL, (g->block_count + 1) * sizeof(*e.first));
	for (uint32_t b = 0; b < g->block_count; b++) {
		e.first[b] = e.count;
		edges_add_of(g, &e, b);
	}
	e.first[g->block_count] = e.count;
	after = g->code.resize(NULL, (g->block_count + 1) * sizeof(*after));
	flow_postdominators(&(struct flow_edges){g->block_count, e.first, e.to}, after, g->code.resize);
	for (uint32_t b = 0; b < g->block_count; b++)
		g->blocks[b].after = after[b];
	joins_count(g, &e);
	joins_mark(g, &e);
	g->code.resize(after, 0);
	g->code.resize(e.first, 0);
	g->code.resize(e.to, 0);
}
