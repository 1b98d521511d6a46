/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ways.c - see ways.h. */
#include "variable/ways.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "flow/flow.h"

#define PARTS_MAX 16

struct ways_edge {
	uint32_t from, to;
};

struct ways {
	struct debuginfo *info;
	VEC_OF(struct ways_insn) insns;
	struct map by_address; /* to 1 + index */
	VEC_OF(struct ways_edge) edges;
	uint32_t *before;
};

/* ---- the graph ---- */

static void *ways_resize(void *block, size_t bytes)
{
	if (bytes)
		return mem_resize(block, bytes, 1);
	free(block);
	return NULL;
}

static size_t ways_read(void *arg, uint64_t at, void *to, size_t size)
{
	return debuginfo_code(arg, at, to, size);
}

static bool ways_begins(void *arg, uint64_t at)
{
	Dwarf_Die function;

	return debuginfo_begins(arg, at, &function);
}

/* Ways that are never taken only make the answers more careful. */
static enum flow_return ways_returns(void *arg, uint64_t callee)
{
	(void)arg;
	(void)callee;
	return FLOW_RETURNS;
}

static struct flow_graph *graph_make(struct debuginfo *info, Dwarf_Die *function)
{
	struct flow_code code = {ways_resize, ways_read, ways_begins, ways_returns, info};
	struct flow_range parts[PARTS_MAX];
	struct flow_function f = {.parts = parts};
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	if (dwarf_entrypc(function, &f.entry) != 0)
		return NULL;
	while ((next = dwarf_ranges(function, next, &base, &low, &high)) > 0) {
		if (f.part_count == PARTS_MAX)
			return NULL;
		parts[f.part_count++] = (struct flow_range){low, high};
	}
	return flow_graph_new(&code, &f);
}

/* ---- instructions ---- */

static void insn_add(struct ways *w, const struct flow_point *point, uint64_t entry)
{
	uint8_t code[FLOW_INSN_BYTES] = {0};
	struct ways_insn insn = {.at = point->at,
				 .length = point->length,
				 .kind = point->kind,
				 .open = point->is_landing || point->at == entry};

	debuginfo_code(w->info, point->at, code, sizeof(code));
	insn.effect = effect_read(code);
	if (!effect_stores(code, &insn.store))
		insn.store = (struct effect_store){0};
	insn.target = flow_insn_read(code, point->at).target;
	vec_push(&w->insns, insn);
	*map_put(&w->by_address, point->at, 0) = w->insns.count;
}

uint32_t ways_find(const struct ways *w, uint64_t pc)
{
	const uint64_t *found = map_get(&w->by_address, pc, 0);

	return found ? (uint32_t)*found - 1 : WAYS_NONE;
}

static void edge_add(struct ways *w, uint32_t from, uint64_t to)
{
	uint32_t index = ways_find(w, to);

	if (index == WAYS_NONE)
		return;
	vec_push(&w->edges, ((struct ways_edge){from, index}));
	w->insns.at[index].before_count++;
}

static void edges_of_insn(struct ways *w, uint32_t from)
{
	const struct ways_insn insn = w->insns.at[from];

	switch (insn.kind) {
	case FLOW_BRANCH: edge_add(w, from, insn.target); break;
	case FLOW_JUMP: edge_add(w, from, insn.target); return;
	case FLOW_JUMP_INDIRECT:
	case FLOW_RETURN:
	case FLOW_STOP: return;
	default: break;
	}
	edge_add(w, from, insn.at + insn.length);
}

static void edges_sort(struct ways *w)
{
	uint32_t used = 0;

	w->before = mem_alloc((w->edges.count + 1) * sizeof(*w->before));
	for (size_t i = 0; i < w->insns.count; i++) {
		w->insns.at[i].first_before = used;
		used += w->insns.at[i].before_count;
		w->insns.at[i].before_count = 0;
	}
	for (size_t i = 0; i < w->edges.count; i++) {
		struct ways_insn *to = &w->insns.at[w->edges.at[i].to];

		w->before[to->first_before + to->before_count++] = w->edges.at[i].from;
	}
}

/* A jump whose targets are not known may lead to the start of any block. */
static void blocks_open(struct ways *w)
{
	for (size_t i = 0; i < w->insns.count; i++) {
		struct ways_insn *insn = &w->insns.at[i];

		if (insn->before_count != 1)
			insn->open = true;
	}
}

static void insns_read(struct ways *w, const struct flow_graph *g, uint64_t entry)
{
	bool open = false;
	struct flow_seen jump;

	for (uint32_t i = 0; i < flow_graph_count(g); i++) {
		struct flow_point point = flow_graph_point(g, i);

		insn_add(w, &point, entry);
		open |= point.is_open && point.kind == FLOW_JUMP_INDIRECT;
	}
	for (uint32_t i = 0; i < w->insns.count; i++)
		edges_of_insn(w, i);
	for (uint32_t i = 0; flow_graph_jump(g, i, &jump); i++) {
		uint32_t from = ways_find(w, jump.from);

		if (from != WAYS_NONE)
			edge_add(w, from, jump.to);
	}
	edges_sort(w);
	if (open)
		blocks_open(w);
}

struct ways *ways_new(struct debuginfo *info, Dwarf_Die *function)
{
	struct flow_graph *g = graph_make(info, function);
	Dwarf_Addr entry;

	if (!g || dwarf_entrypc(function, &entry) != 0) {
		flow_graph_free(g);
		return NULL;
	}
	struct ways *w = mem_alloc(sizeof(*w));
	w->info = info;
	insns_read(w, g, entry);
	flow_graph_free(g);
	return w;
}

void ways_free(struct ways *w)
{
	if (!w)
		return;
	vec_free(&w->insns);
	vec_free(&w->edges);
	map_free(&w->by_address);
	free(w->before);
	free(w);
}

uint32_t ways_find_call(const struct ways *w, uint64_t pc)
{
	for (uint32_t i = 0; i < w->insns.count; i++) {
		const struct ways_insn *insn = &w->insns.at[i];

		if (insn->at + insn->length == pc && (insn->kind == FLOW_CALL || insn->kind == FLOW_CALL_INDIRECT))
			return i;
	}
	return WAYS_NONE;
}

const struct ways_insn *ways_at(const struct ways *w, uint32_t index)
{
	return &w->insns.at[index];
}

uint32_t ways_before(const struct ways *w, uint32_t index, const uint32_t **before)
{
	const struct ways_insn *insn = &w->insns.at[index];

	*before = w->before + insn->first_before;
	return insn->before_count;
}
