/* SPDX-License-Identifier: GPL-2.0-or-later */
/* postdom.c - K. Cooper, T. Harvey, K. Kennedy: "A Simple, Fast Dominance Algorithm", applied to the reversed graph.
 *
 * The exit has number `nodes` here.  Nodes are visited in reverse postorder of the reversed graph; the candidates for
 * the immediate post-dominator of a node are its successors, and two candidates are replaced by where their chains meet.
 * Repeated until nothing changes, which takes two rounds for code without strange loops. */
#include "flow/postdom.h"

#include <stdbool.h>

#define NONE UINT32_MAX

struct work {
	const struct flow_edges *edges;
	uint32_t exit;
	flow_resize *resize;
	bool *ends;             /* an endless loop ends here: one more edge to the exit */
	uint32_t *first, *from; /* reversed edges, as in struct flow_edges */
	uint32_t *order;        /* nodes in postorder of the reversed graph, the exit last */
	uint32_t *number;       /* position of each node in `order`; NONE: not reached */
	uint32_t *stack, *next; /* of a search: the way to here, and the edge to take next at each node */
	uint32_t ordered;
};

static uint32_t *numbers(const struct work *w, size_t count, uint32_t value)
{
	uint32_t *block = w->resize(NULL, (count ? count : 1) * sizeof(*block));

	for (size_t i = 0; i < count; i++)
		block[i] = value;
	return block;
}

static uint32_t successor(const struct work *w, uint32_t edge)
{
	return w->edges->to[edge] == FLOW_EXIT ? w->exit : w->edges->to[edge];
}

/* Does the node lead to the exit directly? */
static bool leads_to_exit(const struct work *w, uint32_t node)
{
	if (w->edges->first[node] == w->edges->first[node + 1] || w->ends[node])
		return true;
	for (uint32_t e = w->edges->first[node]; e < w->edges->first[node + 1]; e++)
		if (successor(w, e) == w->exit)
			return true;
	return false;
}

/* Reversed edges.  Those from the exit are not listed: they follow from leads_to_exit. */
static void reverse_edges(struct work *w)
{
	const struct flow_edges *edges = w->edges;
	uint32_t *at, count = edges->first[edges->nodes];

	w->first = numbers(w, (size_t)edges->nodes + 1, 0);
	w->from = numbers(w, count, 0);
	for (uint32_t e = 0; e < count; e++)
		if (successor(w, e) != w->exit)
			w->first[successor(w, e) + 1]++;
	for (uint32_t n = 0; n < edges->nodes; n++)
		w->first[n + 1] += w->first[n];
	at = numbers(w, edges->nodes, 0);
	for (uint32_t n = 0; n < edges->nodes; n++)
		for (uint32_t e = edges->first[n]; e < edges->first[n + 1]; e++)
			if (successor(w, e) != w->exit)
				w->from[w->first[successor(w, e)] + at[successor(w, e)]++] = n;
	w->resize(at, 0);
}

/* Depth first from `root` against the edges; number the nodes that were not numbered yet, in postorder. */
static void number_backward(struct work *w, uint32_t root)
{
	uint32_t depth = 0;

	if (w->number[root] != NONE)
		return;
	w->stack[depth++] = root;
	w->number[root] = 0; /* being visited */
	w->next[root] = w->first[root];
	while (depth) {
		uint32_t node = w->stack[depth - 1];

		if (w->next[node] < w->first[node + 1]) {
			uint32_t before = w->from[w->next[node]++];
			if (w->number[before] == NONE) {
				w->number[before] = 0;
				w->next[before] = w->first[before];
				w->stack[depth++] = before;
			}
		} else {
			w->number[node] = w->ordered;
			w->order[w->ordered++] = node;
			depth--;
		}
	}
}

/* Nodes from which the exit can be reached, that is, all that will be numbered. */
static void mark_ending(struct work *w, bool *reaches, uint32_t root)
{
	uint32_t depth = 0;

	if (reaches[root])
		return;
	reaches[root] = true;
	w->stack[depth++] = root;
	while (depth) {
		uint32_t node = w->stack[--depth];

		for (uint32_t e = w->first[node]; e < w->first[node + 1]; e++)
			if (!reaches[w->from[e]]) {
				reaches[w->from[e]] = true;
				w->stack[depth++] = w->from[e];
			}
	}
}

/* Depth first from `root` along the edges.  The first node of an endless loop that is left by this search has only
 * edges back to where the search came from: it is the end of the loop's body. */
static void end_loops_from(struct work *w, bool *reaches, bool *visited, uint32_t root)
{
	uint32_t depth = 0;

	if (visited[root])
		return;
	visited[root] = true;
	w->stack[depth++] = root;
	w->next[root] = w->edges->first[root];
	while (depth) {
		uint32_t node = w->stack[depth - 1];

		if (w->next[node] < w->edges->first[node + 1]) {
			uint32_t to = successor(w, w->next[node]++);
			if (to != w->exit && !visited[to]) {
				visited[to] = true;
				w->next[to] = w->edges->first[to];
				w->stack[depth++] = to;
			}
			continue;
		}
		depth--;
		if (!reaches[node]) {
			/* The rest of the stack is in use: mark with a search of its own. */
			struct work marking = *w;
			marking.stack = w->stack + depth;
			w->ends[node] = true;
			mark_ending(&marking, reaches, node);
		}
	}
}

static void end_loops(struct work *w)
{
	uint32_t nodes = w->edges->nodes;
	bool *reaches = w->resize(NULL, nodes + 1), *visited = w->resize(NULL, nodes + 1);

	for (uint32_t n = 0; n < nodes; n++)
		reaches[n] = visited[n] = false;
	for (uint32_t n = 0; n < nodes; n++)
		if (leads_to_exit(w, n))
			mark_ending(w, reaches, n);
	for (uint32_t n = 0; n < nodes; n++)
		end_loops_from(w, reaches, visited, n);
	w->resize(reaches, 0);
	w->resize(visited, 0);
}

static uint32_t meet(const struct work *w, const uint32_t *after, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (w->number[a] < w->number[b])
			a = after[a];
		else
			b = after[b];
	}
	return a;
}

static uint32_t meet_of_successors(const struct work *w, const uint32_t *after, uint32_t node)
{
	uint32_t met = leads_to_exit(w, node) ? w->exit : NONE;

	for (uint32_t e = w->edges->first[node]; e < w->edges->first[node + 1]; e++) {
		uint32_t to = successor(w, e);

		if (to != w->exit && after[to] == NONE)
			continue; /* not known in this round */
		met = met == NONE ? to : meet(w, after, met, to);
	}
	return met;
}

static void iterate(const struct work *w, uint32_t *after)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = w->ordered - 1; i-- > 0;) {
			uint32_t node = w->order[i], met = meet_of_successors(w, after, node);

			if (after[node] != met) {
				after[node] = met;
				changed = true;
			}
		}
	}
}

void flow_postdominators(const struct flow_edges *edges, uint32_t *after, flow_resize *resize)
{
	struct work w = {.edges = edges, .exit = edges->nodes, .resize = resize};
	size_t nodes = edges->nodes;
	uint32_t *all;

	w.ends = resize(NULL, nodes + 1);
	for (uint32_t n = 0; n < nodes; n++)
		w.ends[n] = false;
	reverse_edges(&w);
	w.stack = numbers(&w, 2 * nodes + 1, 0);
	w.next = numbers(&w, nodes, 0);
	end_loops(&w);
	w.order = numbers(&w, nodes + 1, 0);
	w.number = numbers(&w, nodes + 1, NONE);
	for (uint32_t n = 0; n < nodes; n++)
		if (leads_to_exit(&w, n))
			number_backward(&w, n);
	w.number[w.exit] = w.ordered;
	w.order[w.ordered++] = w.exit;
	all = numbers(&w, nodes + 1, NONE);
	all[w.exit] = w.exit;
	iterate(&w, all);
	for (uint32_t n = 0; n < nodes; n++)
		after[n] = all[n] == w.exit ? FLOW_EXIT : all[n];
	resize(all, 0);
	resize(w.number, 0);
	resize(w.order, 0);
	resize(w.next, 0);
	resize(w.stack, 0);
	resize(w.from, 0);
	resize(w.first, 0);
	resize(w.ends, 0);
}
