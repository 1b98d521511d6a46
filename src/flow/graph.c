/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph.c - the instructions of a function, by recursive descent. */
#include "flow/graph_in.h"
#include "flow/postdom.h"

/* A graph that is larger is given up: functions have a few hundred instructions. */
#define MOST_NODES 100000u
/* A function in which no return was found among so many instructions may have one. */
#define MOST_NODES_RETURN 4000u

void *flow_make_room(const struct flow_code *code, void *block, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return block;
	*room = *room ? 2 * *room : 64;
	return code->resize(block, *room * size);
}

/* ---- nodes by address ---- */

static uint32_t *table_slot(const struct flow_graph *g, uint64_t at)
{
	uint32_t i = (uint32_t)((at * 0x9e3779b97f4a7c15ULL) >> 32) & g->mask;

	while (g->table[i] && g->nodes[g->table[i] - 1].at != at)
		i = (i + 1) & g->mask;
	return &g->table[i];
}

uint32_t flow_node_find(const struct flow_graph *g, uint64_t at)
{
	return g->mask ? *table_slot(g, at) - 1 : FLOW_NONE;
}

static void table_grow(struct flow_graph *g)
{
	uint32_t size = g->mask ? 2 * (g->mask + 1) : 256;

	g->table = g->code.resize(g->table, size * sizeof(*g->table));
	g->mask = size - 1;
	for (uint32_t i = 0; i < size; i++)
		g->table[i] = 0;
	for (uint32_t i = 0; i < g->count; i++)
		*table_slot(g, g->nodes[i].at) = i + 1;
}

static uint32_t node_add(struct flow_graph *g, const struct flow_node *node)
{
	if (2 * (g->count + 1) > g->mask)
		table_grow(g);
	g->nodes = flow_make_room(&g->code, g->nodes, g->count, &g->room, sizeof(*g->nodes));
	g->nodes[g->count] = *node;
	*table_slot(g, node->at) = g->count + 1;
	g->too_large |= g->count + 1 >= g->most;
	return g->count++;
}

/* ---- exploring ---- */

bool flow_is_inside(const struct flow_graph *g, uint64_t at)
{
	const struct flow_function *f = &g->function;

	for (uint32_t i = 0; i < f->part_count; i++)
		if (at >= f->parts[i].start && at < f->parts[i].end)
			return true;
	return at == f->entry || !g->code.begins(g->code.arg, at);
}

static void todo_add(struct flow_graph *g, uint64_t at, uint32_t from)
{
	uint32_t room = g->todo_room;

	g->todo = flow_make_room(&g->code, g->todo, g->todo_count, &g->todo_room, sizeof(*g->todo));
	g->todo_from = flow_make_room(&g->code, g->todo_from, g->todo_count, &room, sizeof(*g->todo_from));
	g->todo[g->todo_count] = at;
	g->todo_from[g->todo_count++] = from;
}

static void follow_jump(struct flow_graph *g, uint32_t from)
{
	if (flow_is_inside(g, g->nodes[from].target))
		todo_add(g, g->nodes[from].target, from);
	else
		g->found_return = true; /* the other function may return */
}

/* A call that cannot return, or that a function follows, is the end of the way. */
static bool call_returns(struct flow_graph *g, struct flow_node *n)
{
	uint64_t next = n->at + n->length;

	if (n->kind == FLOW_CALL && n->target != next) {
		enum flow_return how = g->code.returns(g->code.arg, n->target);

		n->twice = how == FLOW_RETURNS_TWICE;
		n->fails = how == FLOW_FAILS;
		g->found_end |= how == FLOW_RETURNS_NOT;
		if (how == FLOW_RETURNS_NOT || how == FLOW_FAILS)
			return false;
	}
	return flow_is_inside(g, next);
}

/* Does the way go on with the next instruction? */
static bool node_continues(struct flow_graph *g, uint32_t index)
{
	switch (g->nodes[index].kind) {
	case FLOW_PLAIN:
	case FLOW_REPEAT: return true;
	case FLOW_BRANCH: follow_jump(g, index); return true;
	case FLOW_JUMP: follow_jump(g, index); return false;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		if (call_returns(g, &g->nodes[index]))
			return true;
		g->nodes[index].kind = FLOW_STOP;
		return false;
	case FLOW_RETURN:
	case FLOW_JUMP_INDIRECT: g->found_return = true; return false;
	default: return false;
	}
}

static uint32_t node_decode(struct flow_graph *g, uint64_t at, uint32_t before)
{
	uint8_t bytes[FLOW_INSN_BYTES] = {0};
	size_t size = g->code.read(g->code.arg, at, bytes, sizeof(bytes));
	struct flow_insn insn = flow_insn_read(bytes, at);
	struct flow_node node = {.at = at, .before = before, .length = insn.length, .kind = insn.kind};

	node.target = insn.target;
	node.fails = insn.kind == FLOW_STOP;
	if (!insn.length || insn.length > size) {
		node.kind = FLOW_STOP;
		node.length = 0;
		node.fails = false; /* who knows */
	}
	return node_add(g, &node);
}

/* What is known about a node from the one before it on a way. */
static void node_follow(struct flow_node *n, const struct flow_node *before)
{
	n->lands = before->twice;
	n->leads = before->twice || before->kind == FLOW_BRANCH || before->kind == FLOW_REPEAT;
}

/* Walk from an address to the end of the way, or to what is known. */
static void walk(struct flow_graph *g, uint64_t at, uint32_t from)
{
	uint32_t index = flow_node_find(g, at), before = from;
	bool first = true;

	for (; index == FLOW_NONE && !g->too_large; index = flow_node_find(g, at)) {
		index = node_decode(g, at, before);
		if (first) {
			g->nodes[index].leads = true;
			g->nodes[index].jumped = from != FLOW_NONE;
			g->nodes[index].root = from == FLOW_NONE && at != g->function.entry;
		} else {
			node_follow(&g->nodes[index], &g->nodes[before]);
		}
		first = false;
		if (!node_continues(g, index))
			return;
		at = g->nodes[index].at + g->nodes[index].length;
		before = index;
	}
	if (index != FLOW_NONE)
		g->nodes[index].leads = true; /* two ways lead here */
}

static void explore(struct flow_graph *g)
{
	while (g->todo_count && !g->too_large && !(g->seeks_return && g->found_return)) {
		g->todo_count--;
		walk(g, g->todo[g->todo_count], g->todo_from[g->todo_count]);
	}
}

/* ---- indirect jumps ---- */

static void jump_found(struct flow_graph *g, uint32_t from, uint64_t to)
{
	g->nodes[from].left = g->nodes[from].kind != FLOW_JUMP_INDIRECT;
	for (uint32_t i = g->jump_count; i-- > 0 && g->jumps[i].from == from;)
		if (g->jumps[i].to == to)
			return;
	g->jumps = flow_make_room(&g->code, g->jumps, g->jump_count, &g->jump_room, sizeof(*g->jumps));
	g->jumps[g->jump_count++] = (struct flow_jump){from, to};
	if (flow_is_inside(g, to))
		todo_add(g, to, from);
}

/* Add what was seen from an address. */
static void jump_see(struct flow_graph *g, uint32_t index, uint64_t from, bool by_unwinding)
{
	for (uint32_t i = 0; i < g->function.seen_count; i++)
		if (g->function.seen[i].from == from && g->function.seen[i].by_unwinding == by_unwinding)
			jump_found(g, index, g->function.seen[i].to);
}

static void node_resolve(struct flow_graph *g, uint32_t index)
{
	struct flow_node *n = &g->nodes[index];
	uint32_t next;

	switch (n->kind) {
	case FLOW_JUMP_INDIRECT:
		flow_table_read(g, index, jump_found);
		n->open = !g->jump_count || g->jumps[g->jump_count - 1].from != index;
		jump_see(g, index, n->at, false);
		break;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
	case FLOW_STOP: /* a call that does not return, for example */
		jump_see(g, index, n->at + n->length, true);
		next = n->left ? flow_node_find(g, n->at + n->length) : FLOW_NONE;
		if (next != FLOW_NONE)
			g->nodes[next].leads = true;
		break;
	}
}

/* Explore, and resolve the jumps that this finds, until there are no more.  Nodes before *resolved have been looked
 * at. */
static void explore_all(struct flow_graph *g, uint32_t *resolved)
{
	explore(g);
	for (; *resolved < g->count && !g->too_large; (*resolved)++) {
		node_resolve(g, *resolved);
		explore(g);
	}
}

/* The length of an instruction that only fills space; 0: it does not. */
static uint8_t padding_at(const struct flow_graph *g, uint64_t at)
{
	uint8_t bytes[FLOW_INSN_BYTES] = {0};
	size_t size = g->code.read(g->code.arg, at, bytes, sizeof(bytes));
	struct flow_insn insn = flow_insn_read(bytes, at);

	return size >= insn.length && flow_insn_pads(bytes) ? insn.length : 0;
}

/* Explore what lies between known instructions. */
static void explore_holes(struct flow_graph *g, const struct flow_range *part, uint32_t *resolved)
{
	uint64_t at = part->start;

	while (at < part->end && !g->too_large) {
		uint32_t node = flow_node_find(g, at);
		uint8_t padding = node == FLOW_NONE ? padding_at(g, at) : 0;

		if (padding) {
			at += padding;
			continue;
		}
		if (node == FLOW_NONE) {
			todo_add(g, at, FLOW_NONE);
			explore_all(g, resolved);
			node = flow_node_find(g, at);
		}
		at += node != FLOW_NONE && g->nodes[node].length ? g->nodes[node].length : 1;
	}
}

/* ---- the graph ---- */

static void graph_clear(struct flow_graph *g, flow_resize *resize)
{
	resize(g->nodes, 0);
	resize(g->table, 0);
	resize(g->jumps, 0);
	resize(g->todo, 0);
	resize(g->todo_from, 0);
	resize(g->blocks, 0);
}

struct flow_graph *flow_graph_new(const struct flow_code *code, const struct flow_function *function)
{
	struct flow_graph *g = code->resize(NULL, sizeof(*g));
	uint32_t resolved = 0;

	*g = (struct flow_graph){.code = *code, .function = *function, .most = MOST_NODES};
	todo_add(g, function->entry, FLOW_NONE);
	explore_all(g, &resolved);
	for (uint32_t i = 0; i < function->part_count; i++)
		explore_holes(g, &function->parts[i], &resolved);
	if (g->too_large) {
		flow_graph_free(g);
		return NULL;
	}
	flow_tails_find(g);
	flow_blocks_make(g);
	return g;
}

void flow_graph_free(struct flow_graph *g)
{
	flow_resize *resize;

	if (!g)
		return;
	resize = g->code.resize;
	graph_clear(g, resize);
	resize(g, 0);
}

uint32_t flow_graph_count(const struct flow_graph *g)
{
	return g->count;
}

struct flow_point flow_graph_point(const struct flow_graph *g, uint32_t index)
{
	const struct flow_node *n = &g->nodes[index];
	const struct flow_block *b = &g->blocks[n->block];
	uint64_t after = b->after == FLOW_EXIT ? 0 : g->nodes[g->blocks[b->after].first].at;

	return (struct flow_point){.at = n->at,
				   .place = g->nodes[n->same].at,
				   .after = after,
				   .length = n->length,
				   .kind = n->kind,
				   .is_join = b->first == n->same && b->is_join,
				   .is_landing = b->first == n->same && b->is_landing,
				   .is_open = n->open};
}

bool flow_graph_jump(const struct flow_graph *g, uint32_t index, struct flow_seen *jump)
{
	const struct flow_node *from;

	if (index >= g->jump_count)
		return false;
	from = &g->nodes[g->jumps[index].from];
	*jump = (struct flow_seen){from->left ? from->at + from->length : from->at, g->jumps[index].to, from->left};
	return true;
}

enum flow_return flow_returns(const struct flow_code *code, uint64_t entry)
{
	struct flow_graph g = {.code = *code,
			       .function = {.entry = entry},
			       .most = MOST_NODES_RETURN,
			       .seeks_return = true};
	bool loops = true;

	todo_add(&g, entry, FLOW_NONE);
	explore(&g);
	for (uint32_t i = 0; i < g.count; i++)
		loops &= !g.nodes[i].fails;
	graph_clear(&g, code->resize);
	if (g.found_return || g.too_large)
		return FLOW_RETURNS;
	return g.found_end || loops ? FLOW_RETURNS_NOT : FLOW_FAILS;
}
