/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.c - see module.h. */
#include "reach/module.h"

#include <stdlib.h>
#include <string.h>

#include "flow/insn.h"
#include "reach/module_sweep.h"
#include "reach/pm_calls.h"

/* An edge whose place in the module is not known yet. */
struct loose_edge {
	uint32_t from, to;
	uint32_t kind;
};

struct maker {
	struct module *module;
	struct module_elf elf;
	struct sweep sweep;
	VEC_OF(struct loose_edge) edges;
	uint32_t *rank; /* of each word of sweep.leaders: how many blocks begin before it */
};

/* ---- looking up ---- */

uint32_t module_size(const struct module *m)
{
	return m->blocks.count ? (uint32_t)m->blocks.count - 1 : 0;
}

/* The last of `count` ascending numbers that is not above `key`, as index + 1; 0: none. */
static uint32_t last_not_above(const uint32_t *numbers, size_t stride, size_t count, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (numbers[middle * stride] <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

uint32_t module_block_at(const struct module *m, uint64_t address)
{
	uint32_t after = module_size(m)
				 ? last_not_above(&m->blocks.at[0].start, sizeof(*m->blocks.at) / sizeof(uint32_t),
						  module_size(m), address)
				 : 0;

	return after && address < m->blocks.at[after - 1].end ? after - 1 : MODULE_NONE;
}

uint32_t module_function_of(const struct module *m, uint32_t block)
{
	uint32_t after = last_not_above(m->starts.at, 1, m->starts.count, block);

	return after ? m->starts.at[after - 1] : MODULE_NONE;
}

uint32_t module_address(const struct module *m, uint64_t offset)
{
	for (size_t i = 0; i < m->segments.count; i++) {
		const struct module_segment *s = &m->segments.at[i];

		if (offset >= s->offset && offset - s->offset < s->size)
			return s->address + (uint32_t)(offset - s->offset);
	}
	return MODULE_NONE;
}

uint64_t module_offset(const struct module *m, uint32_t address)
{
	for (size_t i = 0; i < m->segments.count; i++) {
		const struct module_segment *s = &m->segments.at[i];

		if (address >= s->address && address - s->address < s->size)
			return s->offset + (address - s->address);
	}
	return MODULE_NONE;
}

/* ---- blocks ---- */

static void block_add(struct module *m, uint32_t start, uint32_t end)
{
	vec_push(&m->blocks, ((struct module_block){.start = start, .end = end, .last = start, .ending = ENDS_GOING}));
}

static void section_divide(struct maker *k, const struct module_section *section)
{
	uint32_t start = section->address, end = start + section->size;

	for (uint32_t at = start + 1; at <= end; at++) {
		if (at < end && !sweep_leads(&k->sweep, at))
			continue;
		block_add(k->module, start, at);
		start = at;
	}
}

static void blocks_make(struct maker *k)
{
	uint32_t words = (k->sweep.high - k->sweep.low) / 64 + 1, before = 0, block = 0;

	for (size_t i = 0; i < k->elf.sections.count; i++)
		section_divide(k, &k->elf.sections.at[i]);
	/* The bits between sections are targets of damaged code; no block begins there. */
	memset(k->sweep.leaders, 0, words * sizeof(*k->sweep.leaders));
	for (size_t i = 0; i < k->module->blocks.count; i++) {
		uint32_t bit = k->module->blocks.at[i].start - k->sweep.low;

		k->sweep.leaders[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	k->rank = mem_alloc(words * sizeof(*k->rank));
	for (; block < words; block++) {
		k->rank[block] = before;
		before += (uint32_t)__builtin_popcountll(k->sweep.leaders[block]);
	}
}

/* The block that begins at an address, or MODULE_NONE. */
static uint32_t block_from(const struct maker *k, uint32_t address)
{
	uint32_t bit = address - k->sweep.low;

	if (!sweep_leads(&k->sweep, address))
		return MODULE_NONE;
	return k->rank[bit / 64] +
	       (uint32_t)__builtin_popcountll(k->sweep.leaders[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
}

/* ---- edges ---- */

static void edge_add(struct maker *k, uint32_t from, uint32_t to, enum module_edge_kind kind)
{
	vec_push(&k->edges, ((struct loose_edge){from, to, kind}));
}

/* Add an edge to an address, if there is code. */
static bool edge_to(struct maker *k, uint32_t from, uint32_t address, enum module_edge_kind kind)
{
	uint32_t to = block_from(k, address);

	if (to != MODULE_NONE)
		edge_add(k, from, to, kind);
	return to != MODULE_NONE;
}

/* A call or jump through a word. */
static void slot_edge(struct maker *k, uint32_t from, uint32_t address)
{
	const struct module_slot *slot = module_elf_slot(&k->elf, address);

	if (slot && slot->name != MODULE_NONE)
		edge_add(k, from, slot->name, EDGE_IMPORT);
	else if (!slot || !edge_to(k, from, slot->local, EDGE_CALL))
		edge_add(k, from, 0, EDGE_INDIRECT);
}

static enum module_ending call_edges(struct maker *k, uint32_t from, const struct sweep_end *e)
{
	if (e->kind == FLOW_CALL) {
		if (!edge_to(k, from, e->target, EDGE_CALL))
			edge_add(k, from, 0, EDGE_INDIRECT);
	} else {
		slot_edge(k, from, e->by_slot ? e->target : MODULE_NONE);
	}
	/* Compilers put nothing after a call that does not return. */
	if (!module_elf_starts(&k->elf, e->at + e->length))
		edge_to(k, from, e->at + e->length, EDGE_JUMP);
	return ENDS_CALLING;
}

static enum module_ending indirect_edges(struct maker *k, uint32_t from, const struct sweep_end *e, size_t *next_case)
{
	bool any = false;

	if (e->by_slot) {
		slot_edge(k, from, e->target);
		return ENDS_LEAVING;
	}
	while (*next_case < k->sweep.cases.count && k->sweep.cases.at[*next_case].at < e->at)
		(*next_case)++;
	for (; *next_case < k->sweep.cases.count && k->sweep.cases.at[*next_case].at == e->at; (*next_case)++)
		any |= edge_to(k, from, k->sweep.cases.at[*next_case].to, EDGE_JUMP);
	if (any)
		return ENDS_GOING;
	edge_add(k, from, 0, EDGE_INDIRECT);
	return ENDS_OPEN;
}

static enum module_ending end_edges(struct maker *k, uint32_t from, const struct sweep_end *e, size_t *next_case)
{
	switch ((enum flow_kind)e->kind) {
	case FLOW_BRANCH:
		edge_to(k, from, e->target, EDGE_JUMP);
		edge_to(k, from, e->at + e->length, EDGE_JUMP);
		break;
	case FLOW_JUMP: return edge_to(k, from, e->target, EDGE_JUMP) ? ENDS_GOING : ENDS_STOPPING;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT: return call_edges(k, from, e);
	case FLOW_JUMP_INDIRECT: return indirect_edges(k, from, e, next_case);
	case FLOW_RETURN: return ENDS_RETURNING;
	case FLOW_STOP: return ENDS_STOPPING;
	case FLOW_PLAIN:
	case FLOW_REPEAT: break;
	}
	return ENDS_GOING;
}

static bool is_padding(const struct maker *k, const struct module_block *b)
{
	uint8_t code[FLOW_INSN_BYTES] = {0};

	module_elf_bytes(&k->elf, b->start, code, sizeof(code));
	return flow_insn_pads(code);
}

/* A block that ends where the next one begins. */
static enum module_ending fall_edge(struct maker *k, uint32_t from, const struct module_block *b)
{
	if (module_elf_starts(&k->elf, b->end) && is_padding(k, b))
		return ENDS_STOPPING;
	return edge_to(k, from, b->end, EDGE_JUMP) ? ENDS_GOING : ENDS_STOPPING;
}

static void edges_make(struct maker *k)
{
	size_t end = 0, next_case = 0;

	for (uint32_t i = 0; i < k->module->blocks.count; i++) {
		struct module_block *b = &k->module->blocks.at[i];

		while (end < k->sweep.ends.count && k->sweep.ends.at[end].at < b->start)
			end++;
		if (end < k->sweep.ends.count && k->sweep.ends.at[end].at < b->end) {
			b->last = k->sweep.ends.at[end].at;
			b->ending = end_edges(k, i, &k->sweep.ends.at[end], &next_case);
		} else {
			b->ending = fall_edge(k, i, b);
		}
	}
	for (size_t i = 0; i < k->sweep.takes.count; i++)
		edge_to(k, module_block_at(k->module, k->sweep.takes.at[i].at), k->sweep.takes.at[i].to, EDGE_TAKES);
}

/* ---- functions ---- */

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static size_t numbers_sort(uint32_t *numbers, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(numbers, count, sizeof(*numbers), number_compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	return kept;
}

/* Functions begin where the file says so, and where calls lead. */
static void functions_find(struct maker *k)
{
	struct module *m = k->module;

	for (size_t i = 0; i < k->elf.starts.count; i++) {
		uint32_t block = block_from(k, k->elf.starts.at[i]);

		if (block != MODULE_NONE)
			vec_push(&m->starts, block);
	}
	for (size_t i = 0; i < k->edges.count; i++) {
		if (k->edges.at[i].kind == EDGE_CALL)
			vec_push(&m->starts, k->edges.at[i].to);
		if (k->edges.at[i].kind == EDGE_TAKES)
			vec_push(&m->taken, k->edges.at[i].to);
	}
	m->starts.count = numbers_sort(m->starts.at, m->starts.count);
	for (size_t i = 0; i < k->elf.pointers.count; i++)
		if (module_elf_starts(&k->elf, k->elf.pointers.at[i]))
			vec_push(&m->taken, block_from(k, k->elf.pointers.at[i]));
	m->taken.count = numbers_sort(m->taken.at, m->taken.count);
}

/* Code that nothing leads to is reached from the start of its function. */
static void orphans_adopt(struct maker *k)
{
	struct module *m = k->module;
	uint8_t *known = mem_alloc(m->blocks.count);

	for (size_t i = 0; i < m->starts.count; i++)
		known[m->starts.at[i]] = 1;
	for (size_t i = 0; i < k->edges.count; i++)
		if (k->edges.at[i].kind == EDGE_JUMP)
			known[k->edges.at[i].to] = 1;
	for (uint32_t i = 0; i < m->blocks.count; i++) {
		uint32_t function = known[i] ? MODULE_NONE : module_function_of(m, i);

		/* What follows the jump of a stub is for the loader. */
		if (function != MODULE_NONE && m->blocks.at[function].ending != ENDS_LEAVING &&
		    !is_padding(k, &m->blocks.at[i]))
			edge_add(k, function, i, EDGE_JUMP);
	}
	free(known);
}

/* ---- the graph ---- */

/* Order edges by where they begin; the last, empty block ends the last list. */
static void edges_order(struct maker *k)
{
	struct module *m = k->module;

	vec_push(&m->blocks, ((struct module_block){.ending = ENDS_STOPPING}));
	for (size_t i = 0; i < k->edges.count; i++)
		m->blocks.at[k->edges.at[i].from + 1].edges++;
	for (size_t i = 1; i < m->blocks.count; i++)
		m->blocks.at[i].edges += m->blocks.at[i - 1].edges;
	m->edges.at = mem_resize(NULL, k->edges.count + 1, sizeof(*m->edges.at));
	m->edges.count = k->edges.count;
	m->edges.room = k->edges.count + 1;
	/* Backward, each list from its end, so that `edges` ends up at its start. */
	for (size_t i = 1; i < m->blocks.count; i++)
		m->blocks.at[i - 1].edges = m->blocks.at[i].edges;
	for (size_t i = k->edges.count; i-- > 0;)
		m->edges.at[--m->blocks.at[k->edges.at[i].from].edges] =
			(struct module_edge){k->edges.at[i].to, k->edges.at[i].kind};
}

/* Depth first from one block; edges to blocks that are being visited lead back. */
static void loops_mark(struct module *m, uint32_t root, uint8_t *state, uint32_t *stack, uint32_t *next)
{
	enum { NEW, VISITING, DONE };
	uint32_t depth = 0;

	if (state[root] != NEW)
		return;
	stack[depth++] = root;
	state[root] = VISITING;
	next[root] = m->blocks.at[root].edges;
	while (depth) {
		uint32_t block = stack[depth - 1];

		if (next[block] == m->blocks.at[block + 1].edges) {
			state[block] = DONE;
			depth--;
			continue;
		}
		struct module_edge *e = &m->edges.at[next[block]++];
		if (e->kind != EDGE_JUMP)
			continue;
		if (state[e->to] == VISITING) {
			e->kind = EDGE_BACK;
		} else if (state[e->to] == NEW) {
			state[e->to] = VISITING;
			next[e->to] = m->blocks.at[e->to].edges;
			stack[depth++] = e->to;
		}
	}
}

static void loops_find(struct module *m)
{
	uint32_t count = module_size(m);
	uint8_t *state = mem_alloc(count + 1);
	uint32_t *stack = mem_resize(NULL, (size_t)count + 1, sizeof(*stack));
	uint32_t *next = mem_resize(NULL, (size_t)count + 1, sizeof(*next));

	for (size_t i = 0; i < m->starts.count; i++)
		loops_mark(m, m->starts.at[i], state, stack, next);
	for (uint32_t i = 0; i < count; i++)
		loops_mark(m, i, state, stack, next);
	free(state);
	free(stack);
	free(next);
}

/* The name of the function that a block calls, directly or by a stub that jumps to it; NULL: unknown. */
static const char *callee_name(const struct module *m, uint32_t block)
{
	for (uint32_t e = m->blocks.at[block].edges; e < m->blocks.at[block + 1].edges; e++) {
		const struct module_edge *edge = &m->edges.at[e];

		if (edge->kind == EDGE_CALL && m->blocks.at[edge->to].ending == ENDS_LEAVING)
			edge = &m->edges.at[m->blocks.at[edge->to].edges];
		if (edge->kind == EDGE_IMPORT)
			return m->names.at + edge->to;
	}
	return NULL;
}

static void persists_find(struct module *m, const struct maker *k)
{
	vec_append(&m->persists, k->sweep.persists.at, k->sweep.persists.count);
	for (uint32_t i = 0; i < module_size(m); i++) {
		const char *name = m->blocks.at[i].ending == ENDS_CALLING ? callee_name(m, i) : NULL;

		if (name && pm_calls_match(name))
			vec_push(&m->persists, m->blocks.at[i].last);
	}
	m->persists.count = numbers_sort(m->persists.at, m->persists.count);
}

static void stores_find(struct module *m, const struct maker *k)
{
	uint32_t last = MODULE_NONE;

	for (size_t i = 0; i < k->sweep.stores.count; i++) {
		uint32_t block = module_block_at(m, k->sweep.stores.at[i]);

		if (block != MODULE_NONE && block != last)
			vec_push(&m->stores, k->sweep.stores.at[i]);
		last = block;
	}
	if (m->stores.count > MODULE_STORES_MOST)
		m->stores.count = 0;
}

static void exports_find(struct maker *k)
{
	struct module *m = k->module;
	size_t kept = 0;

	for (size_t i = 0; i < m->exports.count; i++) {
		uint32_t block = block_from(k, m->exports.at[i].block);

		if (block != MODULE_NONE)
			m->exports.at[kept++] = (struct module_export){m->exports.at[i].name, block};
	}
	m->exports.count = kept;
}

bool module_read(struct module *m, const char *path)
{
	struct maker k = {.module = m};

	*m = (struct module){0};
	if (!module_elf_open(&k.elf, m, path))
		return false;
	sweep_make(&k.sweep, &k.elf);
	if (k.elf.sections.count) {
		blocks_make(&k);
		edges_make(&k);
		functions_find(&k);
		orphans_adopt(&k);
		edges_order(&k);
		exports_find(&k);
		loops_find(m);
		persists_find(m, &k);
		stores_find(m, &k);
	}
	vec_free(&k.edges);
	free(k.rank);
	sweep_free(&k.sweep);
	module_elf_close(&k.elf);
	return true;
}

void module_free(struct module *m)
{
	vec_free(&m->blocks);
	vec_free(&m->edges);
	vec_free(&m->starts);
	vec_free(&m->taken);
	vec_free(&m->persists);
	vec_free(&m->stores);
	vec_free(&m->exports);
	vec_free(&m->segments);
	vec_free(&m->names);
}
