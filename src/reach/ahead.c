/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.c - see ahead.h: a search that visits the nearest nodes first. */
#include "reach/ahead.h"

#include <stdlib.h>

#include "flow/postdom.h"

/* ---- what is known before the first question ---- */

static void marks_order(struct ahead *a, const uint32_t *nodes, size_t count)
{
	a->first = mem_alloc(((size_t)a->program->count + 2) * sizeof(*a->first));
	a->marks = mem_resize(NULL, count + 1, sizeof(*a->marks));
	/* Counted two further, so that after the sums first[n + 1] is where the list of n is filled next. */
	for (size_t i = 0; i < count; i++)
		a->first[nodes[i] + 2]++;
	for (uint32_t n = 2; n < a->program->count + 2; n++)
		a->first[n] += a->first[n - 1];
	for (size_t i = 0; i < count; i++)
		a->marks[a->first[nodes[i] + 1]++] = (uint32_t)i;
}

/* Does an end of the program on the other sides leave only one way to go on? */
static bool is_only_way(const struct program *p, uint32_t node, uint32_t to)
{
	for (uint32_t e = p->first[node]; e < p->first[node + 1]; e++)
		if (program_goes(p, node, &p->edges.at[e]) && p->edges.at[e].to != to && p->returns[p->edges.at[e].to])
			return false;
	return p->returns[to];
}

/* Sides on which the program ends do not keep the others from meeting. */
static bool counts_for_meeting(const struct program *p, uint32_t node, const struct module_edge *edge)
{
	return program_goes(p, node, edge) && (p->returns[edge->to] || !p->returns[node]);
}

static void *plain_memory(void *block, size_t bytes)
{
	if (bytes)
		return mem_resize(block, bytes, 1);
	free(block);
	return NULL;
}

static void meetings_find(struct ahead *a)
{
	const struct program *p = a->program;
	VEC_OF(uint32_t) to = {0};
	uint32_t *first = mem_alloc(((size_t)p->count + 1) * sizeof(*first));

	for (uint32_t n = 0; n < p->count; n++) {
		for (uint32_t e = p->first[n]; e < p->first[n + 1]; e++)
			if (counts_for_meeting(p, n, &p->edges.at[e]))
				vec_push(&to, p->edges.at[e].to);
		first[n + 1] = (uint32_t)to.count;
	}
	a->after = mem_resize(NULL, (size_t)p->count + 1, sizeof(*a->after));
	flow_postdominators(&(struct flow_edges){p->count, first, to.at}, a->after, plain_memory);
	vec_free(&to);
	free(first);
}

static bool is_call(const struct module_edge *edge)
{
	return edge->kind == EDGE_CALL || edge->kind == EDGE_TAKES;
}

/* Most code leads to no mark: it is not worth a visit. */
static void leading_find(struct ahead *a)
{
	const struct program *p = a->program;
	struct program_reverse back;

	program_reverse_make(p, &back);
	a->leads = mem_alloc((size_t)p->count + 1);
	a->now.count = 0;
	for (uint32_t n = 0; n < p->count; n++)
		if (a->first[n] < a->first[n + 1])
			vec_push(&a->now, n);
	while (a->now.count) {
		uint32_t node = a->now.at[--a->now.count];

		if (a->leads[node])
			continue;
		a->leads[node] = 1;
		for (uint32_t i = back.first[node]; i < back.first[node + 1]; i++)
			vec_push(&a->now, back.from[i]);
	}
	program_reverse_free(&back);
}

void ahead_make(struct ahead *a, const struct program *program, const uint32_t *nodes, size_t count)
{
	*a = (struct ahead){.program = program};
	a->visited = mem_alloc(((size_t)program->count + 1) * sizeof(*a->visited));
	marks_order(a, nodes, count);
	meetings_find(a);
	leading_find(a);
}

void ahead_free(struct ahead *a)
{
	for (size_t i = 0; i < a->answers.count; i++)
		vec_free(&a->answers.at[i].marks);
	vec_free(&a->answers);
	map_free(&a->asked);
	vec_free(&a->now);
	vec_free(&a->next);
	free(a->after);
	free(a->leads);
	free(a->first);
	free(a->marks);
	free(a->visited);
}

/* ---- answers ---- */

static void node_push(struct ahead *a, uint32_t node, bool decides)
{
	if (node == FLOW_EXIT || !a->leads[node] || a->visited[node] == a->round)
		return;
	if (decides)
		vec_push(&a->next, node);
	else
		vec_push(&a->now, node);
}

/* The rules of ahead.h. */
static void node_leave(struct ahead *a, uint32_t node)
{
	const struct program *p = a->program;

	node_push(a, a->after[node], false);
	for (uint32_t e = p->first[node]; e < p->first[node + 1]; e++) {
		const struct module_edge *edge = &p->edges.at[e];

		if (is_call(edge))
			node_push(a, edge->to, edge->kind == EDGE_TAKES);
		else if (program_goes(p, node, edge))
			node_push(a, edge->to, !is_only_way(p, node, edge->to));
	}
}

static void node_visit(struct ahead *a, uint32_t node, uint32_t decisions, struct ahead_list *list)
{
	a->visited[node] = a->round;
	for (uint32_t i = a->first[node]; i < a->first[node + 1]; i++)
		vec_push(&list->marks, ((struct ahead_mark){a->marks[i], decisions}));
	node_leave(a, node);
}

struct ahead_list ahead_of(struct ahead *a, const uint32_t *nodes, size_t count)
{
	struct ahead_list list = {0};
	uint32_t visited = 0;

	a->round++;
	a->now.count = a->next.count = 0;
	for (size_t i = 0; i < count; i++)
		node_push(a, nodes[i], false);
	for (uint32_t decisions = 0; decisions <= AHEAD_DECISIONS_MOST && a->now.count; decisions++) {
		while (a->now.count && visited < AHEAD_NODES_MOST) {
			uint32_t node = a->now.at[--a->now.count];

			if (a->visited[node] == a->round)
				continue;
			node_visit(a, node, decisions, &list);
			visited++;
		}
		a->now.count = 0;
		vec_append(&a->now, a->next.at, a->next.count);
		a->next.count = 0;
	}
	return list;
}

const struct ahead_list *ahead_from(struct ahead *a, uint32_t node)
{
	uint64_t *known = map_put(&a->asked, node, 0);

	if (!*known) {
		vec_push(&a->answers, ahead_of(a, &node, 1));
		*known = a->answers.count;
	}
	return &a->answers.at[*known - 1];
}
