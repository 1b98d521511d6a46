/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_reach_random.c - what can be reached in random programs, compared with a slow computation from the definitions. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "flow/postdom.h"
#include "reach/ahead.h"
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

/* How many decisions lead from a node to the others, by the rules of ahead.h: repeated until nothing changes. */
struct slow_walk {
	const struct ahead *ahead; /* its post-dominators have a test of their own */
	uint32_t decisions[NODES_MOST];
	uint32_t node; /* whose callees are being visited */
	bool taken, changed;
};

static void slow_come(struct slow_walk *w, uint32_t to, uint32_t decisions)
{
	if (to >= NODES_MOST || w->decisions[to] <= decisions)
		return;
	w->decisions[to] = decisions;
	w->changed = true;
}

static void come_called(const struct slow *s, void *arg, uint32_t callee)
{
	struct slow_walk *w = arg;

	(void)s;
	if (callee != UINT32_MAX)
		slow_come(w, callee, w->decisions[w->node] + w->taken);
}

static bool is_only_way(const struct slow *s, uint32_t node, uint32_t to)
{
	for (uint32_t other = 0; other < s->base[MODULES]; other++)
		if (other != to && s->returns[other] && goes_to(s, node, true, other))
			return false;
	return s->returns[to];
}

static void slow_leave(const struct slow *s, struct slow_walk *w, uint32_t node)
{
	uint32_t before = w->decisions[node];

	if (w->ahead->after[node] != FLOW_EXIT)
		slow_come(w, w->ahead->after[node], before);
	for (uint32_t to = 0; to < s->base[MODULES]; to++)
		if (goes_to(s, node, true, to))
			slow_come(w, to, before + !is_only_way(s, node, to));
	w->node = node;
	w->taken = false;
	each_callee(s, node, false, come_called, w);
	w->taken = true;
	each_callee(s, node, true, come_called, w);
}

static void slow_go(const struct slow *s, struct slow_walk *w, uint32_t from)
{
	for (uint32_t n = 0; n < NODES_MOST; n++)
		w->decisions[n] = UINT32_MAX;
	w->decisions[from] = 0;
	do {
		w->changed = false;
		for (uint32_t n = 0; n < s->base[MODULES]; n++)
			if (w->decisions[n] != UINT32_MAX)
				slow_leave(s, w, n);
	} while (w->changed);
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

static uint32_t decisions_of(const struct ahead_list *list, uint32_t mark)
{
	uint32_t found = UINT32_MAX;

	for (size_t i = 0; i < list->marks.count; i++) {
		assert_true(i == 0 || list->marks.at[i - 1].decisions <= list->marks.at[i].decisions);
		if (list->marks.at[i].mark != mark)
			continue;
		assert_int_equal(found, UINT32_MAX);
		found = list->marks.at[i].decisions;
	}
	return found;
}

static void compare_ahead(const struct slow *s, const struct program *p, const uint32_t *nodes, uint32_t count)
{
	struct ahead ahead;

	ahead_make(&ahead, p, nodes, count);
	for (uint32_t query = 0; query < 2 * p->count; query++) { /* each twice */
		const struct ahead_list *list = ahead_from(&ahead, query / 2);
		struct slow_walk w = {.ahead = &ahead};

		slow_go(s, &w, query / 2);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t wanted = w.decisions[nodes[i]];

			assert_int_equal(decisions_of(list, i), wanted <= AHEAD_DECISIONS_MOST ? wanted : UINT32_MAX);
		}
	}
	ahead_free(&ahead);
}

/* From several nodes, each mark is as far as from the nearest of them. */
static void compare_several(const struct program *p, const uint32_t *nodes, uint32_t count)
{
	uint32_t from[2] = {roll(p->count), roll(p->count)};
	struct ahead ahead;

	ahead_make(&ahead, p, nodes, count);
	struct ahead_list both = ahead_of(&ahead, from, 2);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = decisions_of(ahead_from(&ahead, from[0]), i),
			 second = decisions_of(ahead_from(&ahead, from[1]), i);

		assert_int_equal(decisions_of(&both, i), first < second ? first : second);
	}
	vec_free(&both.marks);
	ahead_free(&ahead);
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
		compare_ahead(&s, &p, nodes, count);
		compare_several(&p, nodes, count);
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
