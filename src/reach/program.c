/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.c - see program.h. */
#include "reach/program.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void program_add(struct program *p, const struct module *module, bool is_library)
{
	uint32_t size = module_size(module);

	vec_push(&p->parts, ((struct program_part){module, p->count, p->count + size, is_library}));
	p->count += size + 1;
}

bool program_see(struct program *p, uint32_t from, uint32_t to)
{
	uint64_t *known = map_put(&p->seen_calls, from, to);

	if (*known)
		return false;
	*known = 1;
	vec_push(&p->seen, ((struct program_call){from, to}));
	return true;
}

void program_free(struct program *p)
{
	vec_free(&p->parts);
	vec_free(&p->seen);
	vec_free(&p->edges);
	map_free(&p->seen_calls);
	free(p->first);
	free(p->ending);
	free(p->returns);
}

/* ---- linking ---- */

/* From names to nodes + 1; the first module that has a name wins, as it does for the loader. */
struct linker {
	struct program *program;
	struct map exports;
	size_t next_seen;
};

static uint64_t *export_slot(struct linker *l, const char *name, bool add)
{
	XXH128_hash_t key = XXH3_128bits(name, strlen(name));

	return add ? map_put(&l->exports, key.low64, key.high64) : map_get(&l->exports, key.low64, key.high64);
}

static void exports_collect(struct linker *l, const struct program_part *part)
{
	for (size_t i = 0; i < part->module->exports.count; i++) {
		const struct module_export *e = &part->module->exports.at[i];
		uint64_t *slot = export_slot(l, part->module->names.at + e->name, true);

		if (!*slot)
			*slot = (uint64_t)part->base + e->block + 1;
	}
}

static struct module_edge edge_link(struct linker *l, const struct program_part *part, const struct module_edge *e)
{
	const uint64_t *slot;

	switch ((enum module_edge_kind)e->kind) {
	case EDGE_IMPORT:
		slot = export_slot(l, part->module->names.at + e->to, false);
		return slot ? (struct module_edge){(uint32_t)*slot - 1, EDGE_CALL}
			    : (struct module_edge){0, EDGE_INDIRECT};
	case EDGE_INDIRECT: return part->is_library ? *e : (struct module_edge){part->any, EDGE_CALL};
	default: return (struct module_edge){part->base + e->to, e->kind};
	}
}

static void seen_link(struct linker *l, uint32_t node)
{
	struct program *p = l->program;

	for (; l->next_seen < p->seen.count && p->seen.at[l->next_seen].from == node; l->next_seen++)
		vec_push(&p->edges, ((struct module_edge){p->seen.at[l->next_seen].to, EDGE_CALL}));
}

static void part_link(struct linker *l, const struct program_part *part)
{
	struct program *p = l->program;
	const struct module *m = part->module;

	for (uint32_t b = 0; b < module_size(m); b++) {
		uint32_t node = part->base + b;

		p->first[node] = (uint32_t)p->edges.count;
		p->ending[node] = (uint8_t)m->blocks.at[b].ending;
		for (uint32_t e = m->blocks.at[b].edges; e < m->blocks.at[b + 1].edges; e++)
			vec_push(&p->edges, edge_link(l, part, &m->edges.at[e]));
		seen_link(l, node);
	}
	p->first[part->any] = (uint32_t)p->edges.count;
	p->ending[part->any] = ENDS_RETURNING;
	for (size_t i = 0; i < m->taken.count; i++)
		vec_push(&p->edges, ((struct module_edge){part->base + m->taken.at[i], EDGE_TAKES}));
}

/* ---- what returns ---- */

void program_reverse_make(const struct program *p, struct program_reverse *r)
{
	r->first = mem_alloc(((size_t)p->count + 2) * sizeof(*r->first));
	r->from = mem_resize(NULL, p->edges.count + 1, sizeof(*r->from));
	r->kind = mem_resize(NULL, p->edges.count + 1, sizeof(*r->kind));
	/* Counted two further, so that after the sums first[n + 1] is where the list of n is filled next. */
	for (size_t e = 0; e < p->edges.count; e++)
		r->first[p->edges.at[e].to + 2]++;
	for (uint32_t n = 2; n < p->count + 2; n++)
		r->first[n] += r->first[n - 1];
	for (uint32_t n = 0; n < p->count; n++) {
		for (uint32_t e = p->first[n]; e < p->first[n + 1]; e++) {
			uint32_t at = r->first[p->edges.at[e].to + 1]++;

			r->from[at] = n;
			r->kind[at] = (uint8_t)p->edges.at[e].kind;
		}
	}
}

void program_reverse_free(struct program_reverse *r)
{
	free(r->first);
	free(r->from);
	free(r->kind);
}

struct returning {
	struct program *program;
	uint8_t *callee_returns; /* of each node that ends with a call */
	uint32_t *todo;
	size_t count;
};

static void node_returns(struct returning *r, uint32_t node)
{
	if (r->program->returns[node])
		return;
	r->program->returns[node] = 1;
	r->todo[r->count++] = node;
}

/* A callee of the node may return. */
static void callee_returns(struct returning *r, uint32_t node)
{
	const struct program *p = r->program;

	if (r->callee_returns[node])
		return;
	r->callee_returns[node] = 1;
	if (p->ending[node] != ENDS_CALLING) {
		node_returns(r, node);
		return;
	}
	for (uint32_t e = p->first[node]; e < p->first[node + 1]; e++)
		if (p->edges.at[e].kind <= EDGE_BACK && p->returns[p->edges.at[e].to])
			node_returns(r, node);
}

/* The nodes that return by themselves, and calls about which nothing is known. */
static void returns_begin(struct returning *r)
{
	const struct program *p = r->program;

	for (uint32_t n = 0; n < p->count; n++) {
		if (p->ending[n] == ENDS_RETURNING || p->ending[n] == ENDS_OPEN)
			node_returns(r, n);
		for (uint32_t e = p->first[n]; e < p->first[n + 1]; e++)
			if (p->edges.at[e].kind == EDGE_INDIRECT)
				callee_returns(r, n);
	}
}

static void returns_find(struct program *p)
{
	struct returning r = {.program = p,
			      .callee_returns = mem_alloc((size_t)p->count + 1),
			      .todo = mem_resize(NULL, (size_t)p->count + 1, sizeof(*r.todo))};
	struct program_reverse back;

	program_reverse_make(p, &back);
	returns_begin(&r);
	while (r.count) {
		uint32_t node = r.todo[--r.count];

		for (uint32_t i = back.first[node]; i < back.first[node + 1]; i++) {
			uint32_t from = back.from[i];

			if (back.kind[i] == EDGE_CALL)
				callee_returns(&r, from);
			else if (back.kind[i] <= EDGE_BACK &&
				 (p->ending[from] != ENDS_CALLING || r.callee_returns[from]))
				node_returns(&r, from);
		}
	}
	/* From here on, a call that does not return is an end. */
	for (uint32_t n = 0; n < p->count; n++)
		if (p->ending[n] == ENDS_CALLING && !r.callee_returns[n])
			p->ending[n] = ENDS_STOPPING;
	program_reverse_free(&back);
	free(r.callee_returns);
	free(r.todo);
}

static int seen_compare(const void *a, const void *b)
{
	const struct program_call *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

void program_link(struct program *p)
{
	struct linker l = {.program = p};

	if (p->seen.count)
		qsort(p->seen.at, p->seen.count, sizeof(*p->seen.at), seen_compare);
	free(p->returns);
	p->first = mem_resize(p->first, (size_t)p->count + 1, sizeof(*p->first));
	p->ending = mem_resize(p->ending, (size_t)p->count + 1, sizeof(*p->ending));
	p->returns = mem_alloc((size_t)p->count + 1);
	p->edges.count = 0;
	for (size_t i = 0; i < p->parts.count; i++)
		exports_collect(&l, &p->parts.at[i]);
	for (size_t i = 0; i < p->parts.count; i++)
		part_link(&l, &p->parts.at[i]);
	p->first[p->count] = (uint32_t)p->edges.count;
	map_free(&l.exports);
	returns_find(p);
}

bool program_goes(const struct program *p, uint32_t node, const struct module_edge *edge)
{
	return edge->kind <= EDGE_BACK && p->ending[node] != ENDS_STOPPING;
}
