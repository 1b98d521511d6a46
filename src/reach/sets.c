/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.c - see sets.h. */
#include "reach/sets.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets ---- */

static uint64_t *set_new(struct sets *s)
{
	uint64_t *set = mem_alloc(s->words * sizeof(*set));

	vec_push(&s->owned, set);
	return set;
}

static void set_unite(uint64_t *set, const uint64_t *other, size_t words)
{
	for (size_t i = 0; i < words; i++)
		set[i] |= other[i];
}

static void marks_add(const struct sets *s, uint32_t node, uint64_t *set)
{
	for (uint32_t i = s->first[node]; i < s->first[node + 1]; i++)
		set[s->marks[i] / 64] |= UINT64_C(1) << s->marks[i] % 64;
}

static void marks_order(struct sets *s, const uint32_t *nodes, size_t count)
{
	s->first = mem_alloc(((size_t)s->program->count + 2) * sizeof(*s->first));
	s->marks = mem_resize(NULL, count + 1, sizeof(*s->marks));
	/* Counted two further, so that after the sums first[n + 1] is where the list of n is filled next. */
	for (size_t i = 0; i < count; i++)
		s->first[nodes[i] + 2]++;
	for (uint32_t n = 2; n < s->program->count + 2; n++)
		s->first[n] += s->first[n - 1];
	for (size_t i = 0; i < count; i++)
		s->marks[s->first[nodes[i] + 1]++] = (uint32_t)i;
}

/* ---- walking ---- */

/* Call `visit` for each node that can be gone to, the first one included. */
static void walk(struct sets *s, uint32_t from, bool loops, void (*visit)(void *arg, uint32_t node), void *arg)
{
	const struct program *p = s->program;
	uint32_t depth = 0;

	s->round++;
	s->visited[from] = s->round;
	s->stack[depth++] = from;
	while (depth) {
		uint32_t node = s->stack[--depth];

		visit(arg, node);
		for (uint32_t e = p->first[node]; e < p->first[node + 1]; e++) {
			const struct module_edge *edge = &p->edges.at[e];

			if (!program_goes(p, node, edge) || (edge->kind == EDGE_BACK && !loops) ||
			    s->visited[edge->to] == s->round)
				continue;
			s->visited[edge->to] = s->round;
			s->stack[depth++] = edge->to;
		}
	}
}

static bool is_call(const struct module_edge *edge)
{
	return edge->kind == EDGE_CALL || edge->kind == EDGE_TAKES;
}

/* ---- functions ---- */

#define NO_FUNCTION UINT32_MAX

/* The call graph.  Functions are the nodes that are called. */
struct functions {
	struct sets *sets;
	uint32_t *number;        /* of each node: its function, or NO_FUNCTION */
	VEC_OF(uint32_t) nodes;  /* of each function: its first node */
	VEC_OF(uint32_t) first;  /* of each function: its first callee */
	VEC_OF(uint32_t) callee; /* functions */
	VEC_OF(uint32_t) marked; /* nodes with marks, of each function from first_marked on */
	VEC_OF(uint32_t) first_marked;
};

static void functions_number(struct functions *f)
{
	const struct program *p = f->sets->program;

	f->number = mem_resize(NULL, (size_t)p->count + 1, sizeof(*f->number));
	for (uint32_t n = 0; n < p->count; n++)
		f->number[n] = NO_FUNCTION;
	for (size_t e = 0; e < p->edges.count; e++) {
		const struct module_edge *edge = &p->edges.at[e];

		if (!is_call(edge) || f->number[edge->to] != NO_FUNCTION)
			continue;
		f->number[edge->to] = (uint32_t)f->nodes.count;
		vec_push(&f->nodes, edge->to);
	}
}

static void function_node(void *arg, uint32_t node)
{
	struct functions *f = arg;
	const struct program *p = f->sets->program;

	if (f->sets->first[node] < f->sets->first[node + 1])
		vec_push(&f->marked, node);
	for (uint32_t e = p->first[node]; e < p->first[node + 1]; e++)
		if (is_call(&p->edges.at[e]))
			vec_push(&f->callee, f->number[p->edges.at[e].to]);
}

static void functions_walk(struct functions *f)
{
	for (size_t i = 0; i < f->nodes.count; i++) {
		vec_push(&f->first, (uint32_t)f->callee.count);
		vec_push(&f->first_marked, (uint32_t)f->marked.count);
		walk(f->sets, f->nodes.at[i], true, function_node, f);
	}
	vec_push(&f->first, (uint32_t)f->callee.count);
	vec_push(&f->first_marked, (uint32_t)f->marked.count);
}

/* Tarjan's algorithm: components are complete after all those that they call. */
struct components {
	struct functions *functions;
	uint32_t *index, *low, *next; /* index: 0 is new, UINT32_MAX is complete */
	uint32_t *open, open_count;   /* functions whose component is not complete */
	uint32_t *path, depth;
	uint32_t counter;
};

/* All functions of a component reach the same. */
static void component_complete(struct components *c, uint32_t root)
{
	struct functions *f = c->functions;
	struct sets *s = f->sets;
	uint64_t *set = NULL;
	uint32_t from = c->open_count;

	do
		from--;
	while (c->open[from] != root);
	for (uint32_t i = from; i < c->open_count; i++) {
		uint32_t function = c->open[i];

		c->index[function] = UINT32_MAX;
		for (uint32_t m = f->first_marked.at[function]; m < f->first_marked.at[function + 1]; m++)
			marks_add(s, f->marked.at[m], set ? set : (set = set_new(s)));
		for (uint32_t e = f->first.at[function]; e < f->first.at[function + 1]; e++) {
			const uint64_t *other = s->called[f->nodes.at[f->callee.at[e]]];

			if (other)
				set_unite(set ? set : (set = set_new(s)), other, s->words);
		}
	}
	while (c->open_count > from)
		s->called[f->nodes.at[c->open[--c->open_count]]] = set;
}

static void component_enter(struct components *c, uint32_t function)
{
	c->index[function] = c->low[function] = ++c->counter;
	c->next[function] = c->functions->first.at[function];
	c->open[c->open_count++] = function;
	c->path[c->depth++] = function;
}

static void component_leave(struct components *c)
{
	uint32_t function = c->path[--c->depth];

	if (c->low[function] == c->index[function]) {
		component_complete(c, function);
	} else { /* it is part of the component of the one that called it */
		uint32_t caller = c->path[c->depth - 1];

		if (c->low[function] < c->low[caller])
			c->low[caller] = c->low[function];
	}
}

static void components_visit(struct components *c, uint32_t root)
{
	if (c->index[root])
		return;
	component_enter(c, root);
	while (c->depth) {
		uint32_t function = c->path[c->depth - 1];

		if (c->next[function] == c->functions->first.at[function + 1]) {
			component_leave(c);
			continue;
		}
		uint32_t callee = c->functions->callee.at[c->next[function]++];
		if (!c->index[callee])
			component_enter(c, callee);
		else if (c->index[callee] < c->low[function])
			c->low[function] = c->index[callee];
	}
}

static void functions_unite(struct functions *f)
{
	size_t count = f->nodes.count + 1;
	struct components c = {.functions = f,
			       .index = mem_alloc(count * sizeof(*c.index)),
			       .low = mem_alloc(count * sizeof(*c.low)),
			       .next = mem_alloc(count * sizeof(*c.next)),
			       .open = mem_alloc(count * sizeof(*c.open)),
			       .path = mem_alloc(count * sizeof(*c.path))};

	for (uint32_t i = 0; i < f->nodes.count; i++)
		components_visit(&c, i);
	free(c.index);
	free(c.low);
	free(c.next);
	free(c.open);
	free(c.path);
}

void sets_make(struct sets *s, const struct program *program, const uint32_t *nodes, size_t count)
{
	struct functions f = {.sets = s};

	*s = (struct sets){.program = program, .words = count / 64 + 1};
	s->visited = mem_alloc(((size_t)program->count + 1) * sizeof(*s->visited));
	s->stack = mem_resize(NULL, (size_t)program->count + 1, sizeof(*s->stack));
	s->called = mem_alloc(((size_t)program->count + 1) * sizeof(*s->called));
	marks_order(s, nodes, count);
	functions_number(&f);
	functions_walk(&f);
	functions_unite(&f);
	free(f.number);
	vec_free(&f.nodes);
	vec_free(&f.first);
	vec_free(&f.callee);
	vec_free(&f.marked);
	vec_free(&f.first_marked);
}

void sets_free(struct sets *s)
{
	for (size_t i = 0; i < s->owned.count; i++)
		free(s->owned.at[i]);
	vec_free(&s->owned);
	map_free(&s->asked);
	free(s->first);
	free(s->marks);
	free(s->called);
	free(s->visited);
	free(s->stack);
}

/* ---- answers ---- */

struct answer {
	struct sets *sets;
	uint64_t *set;
};

static void answer_node(void *arg, uint32_t node)
{
	struct answer *a = arg;
	const struct program *p = a->sets->program;

	marks_add(a->sets, node, a->set);
	for (uint32_t e = p->first[node]; e < p->first[node + 1]; e++)
		if (is_call(&p->edges.at[e]) && a->sets->called[p->edges.at[e].to])
			set_unite(a->set, a->sets->called[p->edges.at[e].to], a->sets->words);
}

const uint64_t *sets_from(struct sets *s, uint32_t node, bool loops)
{
	uint64_t *known = map_put(&s->asked, node, loops);

	if (!*known) {
		struct answer a = {s, set_new(s)};

		walk(s, node, loops, answer_node, &a);
		*known = s->owned.count;
	}
	return s->owned.at[*known - 1];
}
