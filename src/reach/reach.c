/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reach.c - see reach.h. */
#include "reach/reach.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "reach/module_file.h"
#include "reach/program.h"
#include "reach/sets.h"
#include "trace/library.h"

#define STEPS_MOST 20 /* what is reached later than that counts nothing: REACH_ONE has as many bits */
#define ANYWAY 16     /* what both sides reach is worth so many times less */
#define MAYBE 2       /* what only may modify PM is worth so many times less */
#define NO_NODE UINT32_MAX

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
	struct sets sets;
	uint64_t *counted; /* sets.words: marks that the present answer has */
	uint64_t *anyway;  /* and those that are reached on the other way */
	bool is_linked;    /* the program's graph is complete */
	bool has_sets;
};

struct reach *reach_new(const char *folder)
{
	struct reach *r = mem_alloc(sizeof(*r));

	r->folder = folder ? strdup(folder) : NULL;
	return r;
}

static void sets_drop(struct reach *r)
{
	if (!r->has_sets)
		return;
	sets_free(&r->sets);
	free(r->counted);
	free(r->anyway);
	r->counted = r->anyway = NULL;
	r->has_sets = false;
}

void reach_free(struct reach *r)
{
	if (!r)
		return;
	sets_drop(r);
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
		sets_drop(r);
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
	sets_drop(r);
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
		sets_drop(r);
	}
}

void reach_execute(struct reach *r, struct reach_place start, uint64_t size)
{
	const struct known_module *m = module_of(r, start.module);
	uint64_t address = m ? module_address(m->graph, start.offset) : MODULE_NONE;
	uint32_t block = m ? module_block_at(m->graph, address) : MODULE_NONE;

	while (r->executed.count < r->program.count)
		vec_push(&r->executed, false);
	for (; block < (m ? module_size(m->graph) : 0) && m->graph->blocks.at[block].start < address + size; block++)
		r->executed.at[node_of(r, m, block)] = true;
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
	if (r->has_sets)
		return;
	if (!r->is_linked)
		program_link(&r->program);
	r->is_linked = true;
	sets_make(&r->sets, &r->program, r->nodes.at, r->nodes.count);
	r->counted = mem_alloc(r->sets.words * sizeof(*r->counted));
	r->anyway = mem_alloc(r->sets.words * sizeof(*r->anyway));
	r->has_sets = true;
}

/* Two ways to go on, step by step. */
struct ways {
	uint32_t other, taken; /* nodes; NO_NODE: it has come to an end, or is not known */
	unsigned step;
	struct reach_weight weight;
};

static bool is_executed(const struct reach *r, uint32_t node)
{
	return node < r->executed.count && r->executed.at[node];
}

static void mark_count(const struct reach *r, size_t index, uint64_t worth, struct reach_weight *weight)
{
	const struct mark *mark = &r->marks.at[index];

	if (!mark->is_known) {
		weight->unreached += is_executed(r, r->nodes.at[index]) ? 0 : worth / MAYBE;
		return;
	}
	weight->all += worth;
	weight->unreached += mark->reached ? 0 : worth;
}

/* Count the marks of a set that were not counted before. */
static void set_count(struct reach *r, const uint64_t *set, struct ways *w)
{
	for (size_t i = 0; i < r->sets.words; i++) {
		for (uint64_t new = set[i] & ~r->counted[i]; new; new &= new - 1) {
			bool anyway = r->anyway[i] & (new & -new);
			uint64_t worth = (REACH_ONE >> w->step) / (anyway ? ANYWAY : 1);

			mark_count(r, i * 64 + (size_t)__builtin_ctzll(new), worth, &w->weight);
		}
		r->counted[i] |= set[i];
	}
}

static void step_count(struct reach *r, struct ways *w, bool loops)
{
	if (w->taken != NO_NODE) {
		const uint64_t *set = sets_from(&r->sets, w->taken, loops);

		for (size_t i = 0; i < r->sets.words; i++)
			r->anyway[i] |= set[i];
	}
	set_count(r, sets_from(&r->sets, w->other, loops), w);
	w->step++;
}

/* The side of a branch that does not lead to the other node. */
static uint32_t node_taken(const struct reach *r, const struct reach_place *branch, uint32_t other)
{
	uint32_t node = branch ? node_at(r, branch) : NO_NODE, taken = NO_NODE;
	bool leads = false;

	if (node == NO_NODE)
		return NO_NODE;
	for (uint32_t e = r->program.first[node]; e < r->program.first[node + 1]; e++) {
		const struct module_edge *edge = &r->program.edges.at[e];

		if (!program_goes(&r->program, node, edge))
			continue;
		leads |= edge->to == other;
		if (edge->to != other)
			taken = taken == NO_NODE ? edge->to : r->program.count; /* several: a switch */
	}
	return leads && taken != r->program.count ? taken : NO_NODE;
}

/* Return to the next frame, if that is possible. */
static uint32_t node_return(const struct reach *r, uint32_t node, uint32_t caller)
{
	return node != NO_NODE && r->program.returns[node] ? caller : NO_NODE;
}

struct reach_weight reach_weight(struct reach *r, const struct reach_place *branch, const struct reach_place *stack,
				 size_t count)
{
	struct ways w = {0};

	prepare(r);
	memset(r->counted, 0, r->sets.words * sizeof(*r->counted));
	memset(r->anyway, 0, r->sets.words * sizeof(*r->anyway));
	w.other = count ? node_at(r, &stack[0]) : NO_NODE;
	w.taken = node_taken(r, branch, w.other);
	for (size_t i = 0; i < count && w.step < STEPS_MOST && w.other != NO_NODE; i++) {
		/* What libraries do is done by their callers, and they return soon. */
		if (!is_library_place(r, &stack[i])) {
			step_count(r, &w, false);
			step_count(r, &w, true);
		}
		uint32_t caller = i + 1 < count ? node_at(r, &stack[i + 1]) : NO_NODE;
		w.taken = node_return(r, w.taken, caller);
		w.other = node_return(r, w.other, caller);
	}
	return w.weight;
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
