/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_flow_random.c - post-dominators of random graphs, by their definition; graphs of random bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "flow/postdom.h"
#include "flow_own.h"

enum { NODES = 12, GRAPHS = 20000, BYTES = 400, TEXTS = 3000 };

static uint64_t random_state;

static uint32_t roll(uint32_t limit)
{
	return (uint32_t)random_below(&random_state, limit);
}

struct random_graph {
	uint32_t nodes, first[NODES + 1], to[3 * NODES];
};

static void graph_randomize(struct random_graph *r)
{
	uint32_t count = 0;

	r->nodes = 1 + roll(NODES);
	for (uint32_t n = 0; n < r->nodes; n++) {
		r->first[n] = count;
		for (uint32_t left = roll(4); left; left--)
			r->to[count++] = roll(8) ? roll(r->nodes) : FLOW_EXIT;
	}
	r->first[r->nodes] = count;
}

/* Is there a way from `node` to the exit that avoids `without`?  `visited` is a set of nodes. */
static bool can_end(const struct random_graph *r, uint32_t node, uint32_t without, uint32_t *visited)
{
	if (node == FLOW_EXIT)
		return true;
	if (node == without || *visited >> node & 1)
		return false;
	*visited |= 1u << node;
	if (r->first[node] == r->first[node + 1])
		return true;
	for (uint32_t e = r->first[node]; e < r->first[node + 1]; e++)
		if (can_end(r, r->to[e], without, visited))
			return true;
	return false;
}

static bool ends(const struct random_graph *r, uint32_t node, uint32_t without)
{
	uint32_t visited = 0;

	return can_end(r, node, without, &visited);
}

/* By the definition: every way to the exit leads over it. */
static bool postdominates(const struct random_graph *r, uint32_t p, uint32_t node)
{
	return p == FLOW_EXIT || !ends(r, node, p);
}

static void after_check(const struct random_graph *r, uint32_t node, uint32_t after)
{
	assert_true(after != node && postdominates(r, after, node));
	for (uint32_t q = 0; q < r->nodes; q++)
		if (q != node && postdominates(r, q, node) && !(q == after || postdominates(r, q, after)))
			fail_msg("node %u is followed by %u before %u", node, q, after);
	/* The first of them: no other one comes before it. */
	for (uint32_t q = 0; q < r->nodes; q++)
		if (q != node && q != after && postdominates(r, q, node))
			assert_true(after != FLOW_EXIT && !postdominates(r, after, q));
}

static void postdominators_are_as_defined(void **state)
{
	struct random_graph r;
	uint32_t after[NODES], checked = 0;

	(void)state;
	random_state = random_seed(3, 1);
	for (unsigned i = 0; i < GRAPHS; i++) {
		bool all_end = true;

		graph_randomize(&r);
		flow_postdominators(&(struct flow_edges){r.nodes, r.first, r.to}, after, flow_own_resize);
		for (uint32_t n = 0; n < r.nodes; n++)
			all_end &= ends(&r, n, FLOW_EXIT);
		for (uint32_t n = 0; n < r.nodes; n++) {
			assert_true(after[n] < r.nodes || after[n] == FLOW_EXIT);
			if (all_end)
				after_check(&r, n, after[n]);
		}
		checked += all_end;
	}
	assert_true(checked > GRAPHS / 4);
}

static size_t read_text(void *arg, uint64_t at, void *to, size_t size)
{
	if (at < 0x1000 || at >= 0x1000 + BYTES)
		return 0;
	if (size > 0x1000 + BYTES - at)
		size = 0x1000 + BYTES - at;
	memcpy(to, (uint8_t *)arg + (at - 0x1000), size);
	return size;
}

static bool begins_nowhere(void *arg, uint64_t at)
{
	(void)arg;
	(void)at;
	return false;
}

static enum flow_return returns_always(void *arg, uint64_t at)
{
	(void)arg;
	(void)at;
	return FLOW_RETURNS;
}

/* Any bytes have a graph, in which every point has its place. */
static void any_bytes_have_a_graph(void **state)
{
	static const uint8_t likely[] = {0x74, 0x75, 0x77, 0xeb, 0xe8, 0xff, 0xc3, 0x48, 0x8d, 0x63, 0x01, 0x90};
	uint8_t text[BYTES];
	const struct flow_range part = {0x1000, 0x1000 + BYTES};
	struct flow_code code = {flow_own_resize, read_text, begins_nowhere, returns_always, text};

	(void)state;
	random_state = random_seed(4, 1);
	for (unsigned i = 0; i < TEXTS; i++) {
		for (unsigned n = 0; n < BYTES; n++)
			text[n] = roll(2) ? likely[roll(sizeof(likely))] : (uint8_t)roll(256);
		struct flow_graph *g = flow_graph_new(&code, &(struct flow_function){0x1000, &part, 1, NULL, 0});
		assert_non_null(g);
		for (uint32_t n = 0; n < flow_graph_count(g); n++) {
			struct flow_point p = flow_graph_point(g, n);
			if (p.after)
				(void)point(g, p.after);
		}
		flow_graph_free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(postdominators_are_as_defined),
		cmocka_unit_test(any_bytes_have_a_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
