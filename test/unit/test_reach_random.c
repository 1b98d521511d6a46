/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_reach_random.c - what can be reached in random programs, compared with a slow computation from the definitions. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "reach/sets.h"
#include "scratch.h"

enum {
	ROUNDS = 4000,
	MODULES = 2,
	BLOCKS_MOST = 14,
	MARKS_MOST = 70,
	NAMES = 3,
	NODES_MOST = MODULES * (BLOCKS_MOST + 1)
};

static uint64_t random_state;

static uint32_t roll(uint32_t limit)
{
	return (uint32_t)random_below(&random_state, limit);
}

/* ---- random modules ---- */

static void edge_random(struct module *m, uint32_t blocks, enum module_edge_kind kind)
{
	uint32_t to = kind == EDGE_INDIRECT ? 0 : kind == EDGE_IMPORT ? 2 * roll(NAMES) : roll(blocks);

	vec_push(&m->edges, ((struct module_edge){to, kind}));
}

static void block_random(struct module *m, uint32_t blocks)
{
	static const enum module_edge_kind called[] = {EDGE_CALL, EDGE_CALL, EDGE_IMPORT, EDGE_INDIRECT};
	struct module_block b = {.ending = roll(MODULE_ENDINGS), .edges = (uint32_t)m->edges.count};

	if (b.ending == ENDS_CALLING || b.ending == ENDS_LEAVING)
		edge_random(m, blocks, called[roll(4)]);
	if (b.ending == ENDS_OPEN)
		edge_random(m, blocks, EDGE_INDIRECT);
	if (b.ending == ENDS_CALLING && roll(8))
		edge_random(m, blocks, roll(4) ? EDGE_JUMP : EDGE_BACK);
	for (uint32_t left = b.ending == ENDS_GOING ? roll(3) : 0; left; left--)
		edge_random(m, blocks, roll(3) ? EDGE_JUMP : EDGE_BACK);
	if (!roll(6))
		edge_random(m, blocks, EDGE_TAKES);
	vec_push(&m->blocks, b);
}

/* Names are "a", "b", "c". */
static void module_random(struct module *m)
{
	uint32_t blocks = 1 + roll(BLOCKS_MOST);

	*m = (struct module){0};
	vec_append(&m->names, "a\0b\0c", 2 * NAMES);
	for (uint32_t i = 0; i < blocks; i++)
		block_random(m, blocks);
	vec_push(&m->blocks, ((struct module_block){.edges = (uint32_t)m->edges.count}));
	for (uint32_t i = 0; i < blocks; i++)
		if (!roll(5))
			vec_push(&m->taken, i);
	for (uint32_t i = 0; i < NAMES; i++)
		if (roll(2))
			vec_push(&m->exports, ((struct module_export){2 * i, roll(blocks)}));
}

/* ---- the slow way: edges as the definitions say ---- */

struct slow {
	struct module modules[MODULES];
	bool is_library[MODULES];
	uint32_t base[MODULES + 1];
	struct program_call seen[4];
	uint32_t seen_count;
	bool returns[NODES_MOST];
};

static uint32_t module_of(const struct slow *s, uint32_t node)
{
	return node >= s->base[1];
}

static bool is_any(const struct slow *s, uint32_t node)
{
	return node + 1 == s->base[module_of(s, node) + 1];
}

/* Call `use` for each callee of a node; UINT32_MAX: unknown. */
static void each_callee(const struct slow *s, uint32_t node, bool taken,
			void (*use)(const struct slow *s, void *arg, uint32_t callee), void *arg)
{
	uint32_t number = module_of(s, node), block = node - s->base[number];
	const struct module *m = &s->modules[number];

	if (is_any(s, node)) {
		for (size_t i = 0; taken && i < m->taken.count; i++)
			use(s, arg, s->base[number] + m->taken.at[i]);
		return;
	}
	for (uint32_t i = 0; i < s->seen_count; i++)
		if (s->seen[i].from == node)
			use(s, arg, s->seen[i].to);
	for (uint32_t e = m->blocks.at[block].edges; e < m->blocks.at[block + 1].edges; e++) {
		const struct module_edge *edge = &m->edges.at[e];
		uint32_t callee = UINT32_MAX;

		if (edge->kind == EDGE_CALL || (edge->kind == EDGE_TAKES && taken)) {
			use(s, arg, s->base[number] + edge->to);
		} else if (edge->kind == EDGE_INDIRECT) {
			use(s, arg, s->is_library[number] ? UINT32_MAX : s->base[number + 1] - 1);
		} else if (edge->kind == EDGE_IMPORT) {
			for (uint32_t k = MODULES; k-- > 0;)
				for (size_t i = 0; i < s->modules[k].exports.count; i++)
					if (s->modules[k].exports.at[i].name == edge->to)
						callee = s->base[k] + s->modules[k].exports.at[i].block;
			use(s, arg, callee);
		}
	}
}

static void any_returns(const struct slow *s, void *arg, uint32_t callee)
{
	*(bool *)arg |= callee == UINT32_MAX || s->returns[callee];
}

static bool call_returns(const struct slow *s, uint32_t node)
{
	bool returns = false;

	each_callee(s, node, false, any_returns, &returns);
	return returns;
}

static enum module_ending ending_of(const struct slow *s, uint32_t node)
{
	return is_any(s, node) ? ENDS_RETURNING
			       : s->modules[module_of(s, node)].blocks.at[node - s->base[module_of(s, node)]].ending;
}

/* Call for each place that the program may go on at, without calling or returning. */
static bool goes_to(const struct slow *s, uint32_t node, bool loops, uint32_t to)
{
	uint32_t number = module_of(s, node), block = node - s->base[number];
	const struct module *m = &s->modules[number];

	if (is_any(s, node) || ending_of(s, node) == ENDS_STOPPING ||
	    (ending_of(s, node) == ENDS_CALLING && !call_returns(s, node)))
		return false;
	for (uint32_t e = m->blocks.at[block].edges; e < m->blocks.at[block + 1].edges; e++) {
		enum module_edge_kind kind = m->edges.at[e].kind;

		if ((kind == EDGE_JUMP || (loops && kind == EDGE_BACK)) && s->base[number] + m->edges.at[e].to == to)
			return true;
	}
	return false;
}

static bool node_may_return(const struct slow *s, uint32_t node)
{
	switch (ending_of(s, node)) {
	case ENDS_RETURNING:
	case ENDS_OPEN: return true;
	case ENDS_LEAVING: return call_returns(s, node);
	default: break;
	}
	for (uint32_t to = 0; to < s->base[MODULES]; to++)
		if (s->returns[to] && goes_to(s, node, true, to))
			return true;
	return false;
}

static void slow_returns(struct slow *s)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t n = 0; n < s->base[MODULES]; n++) {
			if (s->returns[n] || !node_may_return(s, n))
				continue;
			s->returns[n] = changed = true;
		}
	}
}

/* visited[0]: in the function itself; visited[1]: in functions that it calls. */
struct slow_walk {
	bool visited[2][NODES_MOST];
	bool loops;
};

static void slow_visit(const struct slow *s, struct slow_walk *w, bool called, uint32_t node);

static void visit_callee(const struct slow *s, void *arg, uint32_t callee)
{
	if (callee != UINT32_MAX)
		slow_visit(s, arg, true, callee);
}

static void slow_visit(const struct slow *s, struct slow_walk *w, bool called, uint32_t node)
{
	if (w->visited[called][node])
		return;
	w->visited[called][node] = true;
	for (uint32_t to = 0; to < s->base[MODULES]; to++)
		if (goes_to(s, node, w->loops || called, to))
			slow_visit(s, w, called, to);
	each_callee(s, node, true, visit_callee, w);
}

/* ---- comparing ---- */

static void slow_random(struct slow *s, struct program *p)
{
	*s = (struct slow){0};
	*p = (struct program){0};
	for (uint32_t i = 0; i < MODULES; i++) {
		module_random(&s->modules[i]);
		s->is_library[i] = roll(2);
		s->base[i + 1] = s->base[i] + module_size(&s->modules[i]) + 1;
		program_add(p, &s->modules[i], s->is_library[i]);
	}
	for (uint32_t left = roll(4); left; left--) {
		struct program_call call = {roll(s->base[MODULES]), roll(s->base[MODULES])};
		enum module_ending ending = ending_of(s, call.from);

		if (is_any(s, call.from) || is_any(s, call.to) || (ending != ENDS_CALLING && ending != ENDS_LEAVING))
			continue;
		if (program_see(p, call.from, call.to))
			s->seen[s->seen_count++] = call;
		assert_false(program_see(p, call.from, call.to));
	}
}

static void compare_sets(const struct slow *s, const struct program *p, const uint32_t *nodes, uint32_t count)
{
	struct sets sets;

	sets_make(&sets, p, nodes, count);
	for (uint32_t query = 0; query < 2 * p->count; query++) {
		struct slow_walk w = {.loops = query & 1};
		const uint64_t *set = sets_from(&sets, query / 2, w.loops);

		slow_visit(s, &w, false, query / 2);
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(set[i / 64] >> i % 64 & 1, w.visited[0][nodes[i]] || w.visited[1][nodes[i]]);
		assert_ptr_equal(sets_from(&sets, query / 2, w.loops), set);
	}
	sets_free(&sets);
}

static void test_random(void **state)
{
	uint32_t reached = 0;

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint32_t nodes[MARKS_MOST], count = roll(round % 10 ? 8 : MARKS_MOST);
		struct program p;
		struct slow s;

		random_state = random_seed(1, round);
		slow_random(&s, &p);
		slow_returns(&s);
		program_link(&p);
		program_link(&p); /* again, as when more is seen */
		assert_int_equal(p.count, s.base[MODULES]);
		for (uint32_t n = 0; n < p.count; n++) {
			assert_int_equal(p.returns[n], s.returns[n]);
			reached += p.returns[n];
		}
		for (uint32_t i = 0; i < count; i++)
			nodes[i] = roll(p.count);
		compare_sets(&s, &p, nodes, count);
		program_free(&p);
		for (uint32_t i = 0; i < MODULES; i++)
			module_free(&s.modules[i]);
	}
	assert_true(reached > ROUNDS); /* the programs are no trivial ones */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
