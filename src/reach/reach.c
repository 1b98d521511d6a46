/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reach.c - see reach.h. */
#include "reach/reach.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "flow/postdom.h"
#include "reach/ahead.h"
#include "reach/module_file.h"
#include "reach/program.h"
#include "trace/library.h"

#define ANYWAY 16 /* what the side that was taken reaches as soon is worth so many times less */
#define MAYBE 2   /* what only may modify PM is worth so many times less */
#define FAR UINT8_MAX
#define NO_NODE UINT32_MAX

enum { BLOCKS_RIGHT_AFTER = 4 /* so far is what the program decides right after something */ };

/* A module of the program. */
struct known_module {
	struct module *graph; /* NULL: there is none */
	char *path;
	uint32_t part; /* of the program */
	bool is_library;
};

/* An instruction that modifies PM, or may do so. */
struct mark {
	uint32_t module, address;
	bool is_known;
	bool reached;
};

struct reach {
	char *folder;
	VEC_OF(struct known_module) modules;
	struct program program;
	VEC_OF(struct mark) marks;
	VEC_OF(uint32_t) nodes; /* of each mark */
	struct map by_place;    /* from module and address to 1 + mark */
	VEC_OF(uint32_t) known; /* marks */
	size_t reached;
	VEC_OF(bool) executed; /* by node */
	struct ahead ahead;
	uint8_t *other, *taken; /* of each mark: how far it is from the two sides of the branch at hand */
	bool is_linked;         /* the program's graph is complete */
	bool has_ahead;
};

struct reach *reach_new(const char *folder)
{
	struct reach *r = mem_alloc(sizeof(*r));

	r->folder = folder ? strdup(folder) : NULL;
	return r;
}

static void ahead_drop(struct reach *r)
{
	if (!r->has_ahead)
		return;
	ahead_free(&r->ahead);
	free(r->other);
	free(r->taken);
	r->other = r->taken = NULL;
	r->has_ahead = false;
}

void reach_free(struct reach *r)
{
	if (!r)
		return;
	ahead_drop(r);
	program_free(&r->program);
	for (size_t i = 0; i < r->modules.count; i++) {
		if (r->modules.at[i].graph)
			module_free(r->modules.at[i].graph);
		free(r->modules.at[i].graph);
		free(r->modules.at[i].path);
	}
	vec_free(&r->modules);
	vec_free(&r->marks);
	vec_free(&r->nodes);
	map_free(&r->by_place);
	vec_free(&r->known);
	vec_free(&r->executed);
	free(r->folder);
	free(r);
}

/* ---- places ---- */

static const struct known_module *module_of(const struct reach *r, uint32_t module)
{
	return module && module <= r->modules.count && r->modules.at[module - 1].graph ? &r->modules.at[module - 1]
										       : NULL;
}

static uint32_t node_of(const struct reach *r, const struct known_module *m, uint32_t block)
{
	return block == MODULE_NONE ? NO_NODE : r->program.parts.at[m->part].base + block;
}

/* The node of an instruction. */
static uint32_t node_at(const struct reach *r, const struct reach_place *place)
{
	const struct known_module *m = module_of(r, place->module);

	return m ? node_of(r, m, module_block_at(m->graph, module_address(m->graph, place->offset))) : NO_NODE;
}

/* The node that ends with the call that returns to a place. */
static uint32_t node_calling(const struct reach *r, const struct reach_place *place)
{
	struct reach_place before = {place->module, place->offset - 1};

	return node_at(r, &before);
}

/* The first node of the function that a place is in. */
static uint32_t node_entering(const struct reach *r, const struct reach_place *place)
{
	const struct known_module *m = module_of(r, place->module);
	uint32_t block = m ? module_block_at(m->graph, module_address(m->graph, place->offset)) : MODULE_NONE;

	return block == MODULE_NONE ? NO_NODE : node_of(r, m, module_function_of(m->graph, block));
}

static bool is_library_place(const struct reach *r, const struct reach_place *place)
{
	const struct known_module *m = module_of(r, place->module);

	return !m || m->is_library;
}

/* ---- marks ---- */

static struct mark *mark_add(struct reach *r, uint32_t module, uint32_t address, bool is_known)
{
	const struct known_module *m = &r->modules.at[module - 1];
	uint32_t node = node_of(r, m, module_block_at(m->graph, address));
	uint64_t *known;

	if (node == NO_NODE)
		return NULL;
	known = map_put(&r->by_place, module, address);
	if (!*known) {
		vec_push(&r->marks, ((struct mark){.module = module, .address = address}));
		vec_push(&r->nodes, node);
		*known = r->marks.count;
		ahead_drop(r);
	}
	struct mark *mark = &r->marks.at[*known - 1];
	if (is_known && !mark->is_known)
		vec_push(&r->known, (uint32_t)(*known - 1));
	mark->is_known |= is_known;
	return mark;
}

uint32_t reach_module(struct reach *r, const char *path)
{
	struct known_module m = {.part = (uint32_t)r->program.parts.count};
	const char *slash = strrchr(path, '/');
	uint32_t number;

	for (size_t i = 0; i < r->modules.count; i++)
		if (!strcmp(r->modules.at[i].path, path))
			return r->modules.at[i].graph ? (uint32_t)i + 1 : 0;
	m.graph = mem_alloc(sizeof(*m.graph));
	m.path = strdup(path);
	m.is_library = library_kind(slash ? slash + 1 : path) != LIBRARY_NONE;
	if (!module_file_load(m.graph, r->folder, path)) {
		free(m.graph);
		m.graph = NULL;
	}
	vec_push(&r->modules, m);
	if (!m.graph)
		return 0;
	number = (uint32_t)r->modules.count;
	program_add(&r->program, m.graph, m.is_library);
	r->is_linked = false;
	ahead_drop(r);
	for (size_t i = 0; !m.is_library && i < m.graph->persists.count; i++)
		mark_add(r, number, m.graph->persists.at[i], true);
	for (size_t i = 0; !m.is_library && i < m.graph->stores.count; i++)
		mark_add(r, number, m.graph->stores.at[i], false);
	return number;
}

const char *reach_path(const struct reach *r, uint32_t module)
{
	return r->modules.at[module - 1].path;
}

/* ---- what was executed ---- */

static bool calls_indirectly(const struct reach *r, uint32_t node)
{
	size_t part = 0;

	while (part + 1 < r->program.parts.count && r->program.parts.at[part + 1].base <= node)
		part++;
	const struct module *m = r->program.parts.at[part].module;
	uint32_t block = node - r->program.parts.at[part].base;
	for (uint32_t e = m->blocks.at[block].edges; e < m->blocks.at[block + 1].edges; e++)
		if (m->edges.at[e].kind == EDGE_INDIRECT)
			return true;
	return false;
}

void reach_see(struct reach *r, const struct reach_place *stack, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t caller = node_calling(r, &stack[i]), callee;

		if (caller == NO_NODE || !calls_indirectly(r, caller))
			continue;
		callee = node_entering(r, &stack[i - 1]);
		if (callee == NO_NODE || !program_see(&r->program, caller, callee))
			continue;
		r->is_linked = false;
		ahead_drop(r);
	}
}

/* The nodes from `first` on that the code covers; returns how many. */
static uint32_t nodes_of(const struct reach *r, const struct reach_code *code, uint32_t *first)
{
	const struct known_module *m = module_of(r, code->start.module);
	uint64_t address = m ? module_address(m->graph, code->start.offset) : MODULE_NONE;
	uint32_t block = m ? module_block_at(m->graph, address) : MODULE_NONE, end = block;

	if (block == MODULE_NONE)
		return 0;
	while (end < module_size(m->graph) && m->graph->blocks.at[end].start < address + code->size)
		end++;
	*first = node_of(r, m, block);
	return end - block;
}

void reach_execute(struct reach *r, const struct reach_code *code)
{
	uint32_t first = 0, count = nodes_of(r, code, &first);

	while (r->executed.count < r->program.count)
		vec_push(&r->executed, false);
	for (uint32_t i = 0; i < count; i++)
		r->executed.at[first + i] = true;
}

/* The instruction that counts: the innermost one outside of libraries, or else the innermost one. */
static struct mark *mark_of(struct reach *r, const struct reach_place *stack, size_t count)
{
	const struct known_module *m;
	uint32_t node, address;
	size_t i = 0;

	while (i < count && is_library_place(r, &stack[i]))
		i++;
	if (i == count)
		i = 0;
	m = module_of(r, stack[i].module);
	address = m ? module_address(m->graph, stack[i].offset) : MODULE_NONE;
	if (address == MODULE_NONE)
		return NULL;
	if (i > 0) { /* the call that returns there */
		node = module_block_at(m->graph, address - 1);
		if (node == MODULE_NONE)
			return NULL;
		address = m->graph->blocks.at[node].last;
	}
	return mark_add(r, stack[i].module, address, true);
}

void reach_mark(struct reach *r, const struct reach_place *stack, size_t count)
{
	struct mark *mark = count ? mark_of(r, stack, count) : NULL;

	reach_see(r, stack, count);
	if (!mark || mark->reached)
		return;
	mark->reached = true;
	r->reached++;
}

/* ---- weights ---- */

static void prepare(struct reach *r)
{
	if (r->has_ahead)
		return;
	if (!r->is_linked)
		program_link(&r->program);
	r->is_linked = true;
	ahead_make(&r->ahead, &r->program, r->nodes.at, r->nodes.count);
	r->other = mem_alloc(r->nodes.count + 1);
	r->taken = mem_alloc(r->nodes.count + 1);
	r->has_ahead = true;
}

/* A way that the program may go on, frame by frame. */
struct way {
	uint32_t node;   /* NO_NODE: there is nothing, or it is not known */
	bool returns;    /* to the next frame */
	uint8_t *nearby; /* how far marks are */
};

static void way_count(struct reach *r, const struct way *way, unsigned returns)
{
	const struct ahead_list *list = way->node == NO_NODE ? NULL : ahead_from(&r->ahead, way->node);

	for (size_t i = 0; list && i < list->marks.count; i++) {
		uint32_t steps = list->marks.at[i].decisions + returns;
		uint8_t *known = &way->nearby[list->marks.at[i].mark];

		if (steps < *known)
			*known = (uint8_t)steps;
	}
}

static struct way way_from(const struct reach *r, uint32_t node, uint8_t *nearby)
{
	memset(nearby, FAR, r->nodes.count);
	return (struct way){node, node != NO_NODE && r->program.returns[node], nearby};
}

static void way_return(const struct reach *r, struct way *way, uint32_t caller)
{
	way->node = way->returns ? caller : NO_NODE;
	way->returns = way->node != NO_NODE && r->program.returns[way->node];
}

/* The side of a branch that does not lead to the other node. */
static uint32_t node_taken(const struct reach *r, uint32_t branch, uint32_t other)
{
	uint32_t taken = NO_NODE;
	bool leads = false;

	for (uint32_t e = r->program.first[branch]; e < r->program.first[branch + 1]; e++) {
		const struct module_edge *edge = &r->program.edges.at[e];

		if (!program_goes(&r->program, branch, edge))
			continue;
		leads |= edge->to == other;
		if (edge->to != other)
			taken = taken == NO_NODE ? edge->to : r->program.count; /* several: a switch */
	}
	return leads && taken != r->program.count ? taken : NO_NODE;
}

/* The side that was taken.  Of a switch, the other side is the whole, and this is what comes after all cases. */
static struct way way_taken(const struct reach *r, const struct reach_place *place, uint32_t other)
{
	uint32_t branch = place ? node_at(r, place) : NO_NODE;

	if (branch == NO_NODE)
		return way_from(r, NO_NODE, r->taken);
	if (branch != other)
		return way_from(r, node_taken(r, branch, other), r->taken);
	struct way way = way_from(r, branch, r->taken);
	way.node = r->ahead.after[branch] == FLOW_EXIT ? NO_NODE : r->ahead.after[branch];
	return way;
}

static bool is_executed(const struct reach *r, uint32_t node)
{
	return node < r->executed.count && r->executed.at[node];
}

/* What remains of the worth of a mark if only those count that were never executed. */
static uint64_t mark_lacks(const struct reach *r, size_t index, uint64_t worth)
{
	const struct mark *mark = &r->marks.at[index];

	if (mark->is_known)
		return mark->reached ? 0 : worth;
	return is_executed(r, r->nodes.at[index]) ? 0 : worth / MAYBE;
}

static void mark_count(const struct reach *r, size_t index, struct reach_weight *weight)
{
	uint64_t worth = REACH_ONE / (1u + r->other[index]) / (r->taken[index] <= r->other[index] ? ANYWAY : 1);

	weight->unreached += mark_lacks(r, index, worth);
	weight->all += r->marks.at[index].is_known ? worth : 0;
}

struct reach_weight reach_weight(struct reach *r, const struct reach_place *branch, const struct reach_place *stack,
				 size_t count)
{
	struct reach_weight weight = {0};
	struct way other, taken;
	unsigned returns = 0;

	prepare(r);
	other = way_from(r, count ? node_at(r, &stack[0]) : NO_NODE, r->other);
	taken = way_taken(r, branch, other.node);
	for (size_t i = 0; i < count && returns <= AHEAD_DECISIONS_MOST; i++) {
		/* What libraries do is done by their callers, and they return soon. */
		if (!is_library_place(r, &stack[i])) {
			way_count(r, &other, returns);
			way_count(r, &taken, returns);
			returns++;
		}
		uint32_t caller = i + 1 < count ? node_at(r, &stack[i + 1]) : NO_NODE;
		way_return(r, &taken, caller);
		way_return(r, &other, caller);
	}
	for (size_t i = 0; i < r->nodes.count; i++)
		if (r->other[i] != FAR)
			mark_count(r, i, &weight);
	return weight;
}

uint64_t reach_nearness(struct reach *r, const struct reach_code *code, size_t count)
{
	VEC_OF(uint32_t) nodes = {0};
	uint64_t nearness = 0;

	prepare(r);
	for (size_t i = 0; i < count; i++) {
		uint32_t first = 0, covered = nodes_of(r, &code[i], &first);

		for (uint32_t k = 0; k < covered; k++)
			vec_push(&nodes, first + k);
	}
	struct ahead_list list = ahead_of(&r->ahead, nodes.at, nodes.count);
	for (size_t i = 0; i < list.marks.count; i++)
		nearness += mark_lacks(r, list.marks.at[i].mark, REACH_ONE / (1 + list.marks.at[i].decisions));
	vec_free(&list.marks);
	vec_free(&nodes);
	return nearness;
}

/* ---- what the program decides ---- */

bool reach_is_executed(const struct reach *r, const struct reach_place *place)
{
	return is_executed(r, node_at(r, place));
}

/* The module of a node, which is a block. */
static const struct known_module *module_with(const struct reach *r, uint32_t node, uint32_t *number)
{
	for (*number = 1; *number <= r->modules.count; ++*number) {
		const struct known_module *m = module_of(r, *number);
		uint32_t base = m ? r->program.parts.at[m->part].base : NO_NODE;

		if (m && node >= base && node - base < module_size(m->graph))
			return m;
	}
	return NULL;
}

/* The first instruction of a node, or the last one. */
static struct reach_place place_in(const struct reach *r, uint32_t node, bool last)
{
	struct reach_place place = {0};
	const struct known_module *m = module_with(r, node, &place.module);
	const struct module_block *block = &m->graph->blocks.at[node - r->program.parts.at[m->part].base];

	place.offset = module_offset(m->graph, last ? block->last : block->start);
	return place;
}

/* Where the program may go on from a node without calling or returning: at most two. */
static unsigned nodes_next(const struct reach *r, uint32_t node, uint32_t next[2])
{
	unsigned count = 0;

	for (uint32_t e = r->program.first[node]; e < r->program.first[node + 1]; e++) {
		const struct module_edge *edge = &r->program.edges.at[e];

		if (!program_goes(&r->program, node, edge))
			continue;
		if (count == 2)
			return 0; /* a switch */
		next[count++] = edge->to;
	}
	return count;
}

bool reach_decides(struct reach *r, const struct reach_place *place, struct reach_fork *fork)
{
	uint32_t node = node_at(r, place), next[2];
	unsigned count = 0;

	prepare(r);
	for (unsigned i = 0; i < BLOCKS_RIGHT_AFTER && is_executed(r, node); i++) {
		count = nodes_next(r, node, next);
		if (count != 1)
			break;
		node = next[0];
	}
	if (count != 2 || is_executed(r, next[0]) == is_executed(r, next[1]))
		return false;
	*fork = (struct reach_fork){place_in(r, node, true), place_in(r, next[is_executed(r, next[0])], false)};
	return true;
}

/* ---- figures ---- */

size_t reach_count(const struct reach *r)
{
	return r->known.count;
}

size_t reach_reached(const struct reach *r)
{
	return r->reached;
}

struct reach_instruction reach_instruction(const struct reach *r, size_t index)
{
	const struct mark *m = &r->marks.at[r->known.at[index]];

	return (struct reach_instruction){{m->module, module_offset(r->modules.at[m->module - 1].graph, m->address)},
					  m->reached};
}
