/* SPDX-License-Identifier: GPL-2.0-or-later */
/* route.c - see route.h. */
#include "search/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "expression/variables.h"
#include "search/behavior.h"
#include "search/bulk.h"
#include "search/code_chains.h"
#include "trace/library.h"
#include "trace/trace.h"

struct reading {
	struct route *route;
	const struct trace *trace;
	const struct route_learning *learning;
	struct code_chains chains;
	struct bulk bulk;
	VEC_OF(uint32_t) modules;         /* by module of the trace: its number for reach + 1; 0: not asked yet */
	VEC_OF(struct reach_place) stack; /* of the context at hand */
	VEC_OF(bool) told;                /* by context: reach knows it */
};

/* ---- what is learned ---- */

static uint32_t module_number(struct reading *r, uint32_t module)
{
	const struct trace_module *m = trace_module(r->trace, module);

	while (r->modules.count <= module)
		vec_push(&r->modules, 0);
	if (!r->modules.at[module])
		r->modules.at[module] = 1 + (m && *m->path ? reach_module(r->learning->reach, m->path) : 0);
	return r->modules.at[module] - 1;
}

/* The stack of a context, innermost first. */
static void stack_fill(struct reading *r, uint32_t context)
{
	r->stack.count = 0;
	for (; context; context = trace_context_parent(r->trace, context)) {
		const struct trace_context *at = trace_context(r->trace, context);

		vec_push(&r->stack, ((struct reach_place){module_number(r, at->module), at->offset}));
	}
}

/* How deep a context is inside well-known libraries. */
static unsigned frames_inside(const struct reading *r, uint32_t context)
{
	unsigned frames = 0;

	for (; context; context = trace_context_parent(r->trace, context)) {
		const struct trace_module *m = trace_module(r->trace, trace_context(r->trace, context)->module);
		const char *slash = m ? strrchr(m->path, '/') : NULL;

		if (!slash || library_kind(slash + 1) == LIBRARY_NONE)
			break;
		frames++;
	}
	return frames;
}

static bool is_new_context(struct reading *r, uint32_t context)
{
	while (r->told.count <= context)
		vec_push(&r->told, false);
	if (!context || r->told.at[context])
		return false;
	return r->told.at[context] = true;
}

/* The target that was taken: what the condition compares with. */
static uint64_t jump_target(const struct reading *r, const struct route_branch *branch)
{
	const struct expressions *x = trace_expressions(r->trace);
	const struct expression *e = expressions_at(x, branch->expression);

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++)
		if (expressions_at(x, e->operand[i])->kind == BO_EXPR_CONST)
			return expressions_at(x, e->operand[i])->own;
	return 0;
}

static void condition_learn(struct reading *r, const struct route_branch *branch, size_t taken)
{
	struct sides *sides = r->learning->sides;
	bool is_bulk = branch->inside && bulk_is(&r->bulk, trace_expressions(r->trace), branch->expression);

	sides->all.at[taken].is_bulk = sides->all.at[branch->side].is_bulk = is_bulk;
	sides_take(sides, taken, branch->side, !branch->inside);
}

static void branch_learn(struct reading *r, const struct event *ev, struct route_branch *branch)
{
	struct code_place context = code_chain(&r->chains, r->trace, ev->context);
	struct sides *sides = r->learning->sides;
	unsigned other = branch->kind == BO_BRANCH_JUMP      ? SIDE_JUMP
			 : branch->kind == BO_BRANCH_ADDRESS ? SIDE_ADDRESS
							     : !branch->value;

	uint64_t taken = sides->taken;

	branch->side = sides_number(sides, sides_key(context, other));
	branch->state = sides->state;
	if (branch->kind == BO_BRANCH_CONDITION)
		condition_learn(r, branch, sides_number(sides, sides_key(context, branch->value)));
	else if (branch->kind == BO_BRANCH_JUMP)
		sides_jump(sides, branch->side, context, jump_target(r, branch), !branch->inside);
	branch->is_new = sides->taken > taken;
	sides->all.at[branch->side].is_code = branch->kind != BO_BRANCH_ADDRESS;
	if (sides->all.at[branch->side].depth)
		return;
	stack_fill(r, ev->context);
	if (is_new_context(r, ev->context))
		reach_see(r->learning->reach, r->stack.at, r->stack.count);
	struct reach_place site = r->stack.count ? r->stack.at[0] : (struct reach_place){0};
	if (ev->module && r->stack.count)
		r->stack.at[0] = (struct reach_place){module_number(r, ev->module), ev->offset};
	sides_lead(sides, branch->side, site, r->stack.at, r->stack.count, frames_inside(r, ev->context));
}

static void modification_learn(struct reading *r, const struct event *ev)
{
	if (!is_new_context(r, ev->context))
		return;
	stack_fill(r, ev->context);
	reach_mark(r->learning->reach, r->stack.at, r->stack.count);
}

/* ---- events ---- */

static void branch_take(struct reading *r, const struct event *ev)
{
	struct route_branch branch = {
		.kind = (enum bo_branch)ev->flags,
		.value = ev->value,
		.expression = ev->expression,
		.site = code_chain(&r->chains, r->trace, ev->context).offset,
		.inside = frames_inside(r, ev->context),
	};

	r->route->reads_input = true; /* also if it is mapped */
	if (r->learning && branch.kind != BO_BRANCH_BOUND)
		branch_learn(r, ev, &branch);
	vec_push(&r->route->branches, branch);
}

static void input_take(struct reading *r, const struct event *ev)
{
	r->route->reads_input = true;
	while (r->route->ended.count <= ev->source)
		vec_push(&r->route->ended, false);
	if (ev->size < ev->value)
		r->route->ended.at[ev->source] = true;
}

static void event_take(struct reading *r, const struct event *ev)
{
	if (ev->type == EVENT_BRANCH)
		branch_take(r, ev);
	else if (ev->type == EVENT_INPUT)
		input_take(r, ev);
	else if (r->learning && event_modifies_pm(ev))
		modification_learn(r, ev);
}

/* ---- the rest ---- */

static void code_learn(struct reading *r)
{
	const struct trace_block *block;

	for (size_t i = 0; (block = trace_block(r->trace, i)); i++) {
		const struct reach_code code = {{module_number(r, block->module), block->offset}, block->size};

		reach_execute(r->learning->reach, &code);
		vec_push(&r->route->code, code);
	}
}

static void concrete_take(struct route *route, const struct trace *trace)
{
	const char *key, *value;

	for (size_t i = 0; (key = trace_meta_at(trace, i, &value)); i++)
		if (!strncmp(key, BO_META_CONCRETE, strlen(BO_META_CONCRETE))) {
			struct route_concrete concrete = {.name = strdup(key + strlen(BO_META_CONCRETE)),
							  .count = strtoull(value, NULL, 10)};

			BUG_ON(!concrete.name);
			vec_push(&route->concrete, concrete);
		}
}

int route_read(struct route *route, const char *recording, const struct route_learning *learning, struct err *err)
{
	struct reading r = {.route = route, .learning = learning};
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, recording, err) < 0)
		return -1;
	r.trace = trace;
	if (learning)
		sides_begin(learning->sides);
	while ((more = trace_next(trace, &ev, err)) > 0)
		event_take(&r, &ev);
	if (learning)
		code_learn(&r);
	route->x = trace_take_expressions(trace);
	concrete_take(route, trace);
	trace_close(trace);
	code_chains_free(&r.chains);
	bulk_free(&r.bulk);
	vec_free(&r.modules);
	vec_free(&r.stack);
	vec_free(&r.told);
	return more;
}

/* How long a source must be to have its bytes of the set. */
static uint64_t bytes_up_to(const struct variable_set *set, uint32_t source)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->count; i++)
		if (set->at[i].last >> BO_EXPR_SOURCE_SHIFT == source && set->at[i].last != variable_of_length(source))
			bytes = (set->at[i].last & bo_width_mask(BO_EXPR_SOURCE_SHIFT)) + 1;
	return bytes;
}

uint64_t route_looked_at(const struct route *route, uint32_t source)
{
	struct variables *variables = variables_new(route->x);
	uint64_t bytes = 0;

	for (size_t i = route->branches.count; i-- > 0 && !bytes;)
		if (!route->branches.at[i].inside && route->branches.at[i].kind == BO_BRANCH_CONDITION)
			bytes = bytes_up_to(variables_of(variables, route->branches.at[i].expression), source);
	variables_free(variables);
	return bytes;
}

struct condition route_condition(const struct route_branch *branch)
{
	struct condition condition = {.expression = branch->expression,
				      .value = branch->value,
				      .site = branch->site,
				      .kind = branch->inside ? CONDITION_INSIDE : CONDITION_OWN};

	if (branch->kind == BO_BRANCH_BOUND)
		condition.kind = CONDITION_BOUND;
	else if (branch->kind != BO_BRANCH_CONDITION)
		condition.kind = CONDITION_PLACE;
	return condition;
}

void route_free(struct route *route)
{
	if (route->x)
		expressions_free(route->x);
	for (size_t i = 0; i < route->concrete.count; i++)
		free(route->concrete.at[i].name);
	vec_free(&route->concrete);
	vec_free(&route->branches);
	vec_free(&route->code);
	vec_free(&route->ended);
	*route = (struct route){0};
}
