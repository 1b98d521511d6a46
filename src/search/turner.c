/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turner.c - see turner.h. */
#include "search/turner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "expression/evaluation.h"
#include "expression/variables.h"
#include "search/keyword.h"
#include "search/number.h"
#include "search/route.h"
#include "search/vary.h"
#include "solve/normal.h"

enum {
	ROUTES_KEPT = 8,
	ADDRESS_STEPS = 8,  /* towards the largest address */
	MESSAGE_GROWTH = 64 /* bytes that a message may become longer at a time */
};

#define FILLER '0'

/* A route that is ready for questions. */
struct ready_route {
	uint64_t execution; /* 0: none */
	uint64_t used;      /* when it was asked last */
	struct route route;
	struct assignment input;
	struct trail *trail;
};

struct turner {
	const struct execution_plan *plan;
	size_t max_input;
	struct solver *solver;
	struct ready_route routes[ROUTES_KEPT];
	uint64_t clock;
};

struct turner *turner_new(const struct execution_plan *plan, size_t max_input, const struct stop *stop, struct err *err)
{
	const struct solver_limits limits = {.stop = *stop};
	struct turner *t;
	char path[PATH_MAX];

	if (recorder_find_shipped(path, SOLVER_PROGRAM, err) < 0)
		return NULL;
	t = mem_alloc(sizeof(*t));
	t->plan = plan;
	t->max_input = max_input;
	t->solver = solver_new(path, &limits);
	return t;
}

uint64_t turner_lost(const struct turner *t)
{
	struct solver_counts counts = solver_counts(t->solver);

	return counts.slow + counts.late + counts.dead;
}

static void route_drop(struct ready_route *ready)
{
	if (ready->trail)
		trail_free(ready->trail);
	assignment_free(&ready->input);
	route_free(&ready->route);
	*ready = (struct ready_route){0};
}

void turner_free(struct turner *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < ROUTES_KEPT; i++)
		route_drop(&t->routes[i]);
	solver_free(t->solver);
	free(t);
}

/* ---- sources ---- */

/* Operations are read from a file of the recording, or from standard input. */
static bool source_is(const struct input_source *source, const struct expression_source *of)
{
	char number[16];

	if (source->kind != of->kind)
		return false;
	switch (of->kind) {
	case BO_SOURCE_STDIN: return true;
	case BO_SOURCE_FILE: return source->ops ? true : !strcmp(source->path, of->name);
	case BO_SOURCE_ARG: snprintf(number, sizeof(number), "%u", source->number); return !strcmp(number, of->name);
	case BO_SOURCE_SOCKET: return !strcmp(source->name + strlen(SOCKET_WORD), of->name);
	default: return false;
	}
}

int turner_source(const struct execution_plan *plan, const struct expressions *x, uint32_t id)
{
	const struct expression_source *of = expressions_source(x, id);
	int ops = -1;

	for (size_t i = 0; of && i < plan->sources->count; i++) {
		if (!source_is(&plan->sources->at[i], of))
			continue;
		if (!plan->sources->at[i].ops)
			return (int)i;
		ops = (int)i;
	}
	return ops;
}

static void byte_forbid(struct trail_limits *limits, uint8_t byte)
{
	limits->forbidden[byte / 64] |= UINT64_C(1) << byte % 64;
}

/* The lines of operations stay as they are; their words change.  A server often reads a longer message in many parts, so
 * messages grow little by little. */
static struct trail_limits source_limits(const struct turner *t, size_t source, uint64_t length)
{
	const struct input_source *of = &t->plan->sources->at[source];
	struct trail_limits limits = {.length_max = t->max_input, .filler = FILLER};

	if (of->kind == BO_SOURCE_SOCKET && length + MESSAGE_GROWTH < limits.length_max)
		limits.length_max = length + MESSAGE_GROWTH;
	if (of->ops) {
		byte_forbid(&limits, '\n');
		byte_forbid(&limits, '\r');
		byte_forbid(&limits, 0);
	}
	return limits;
}

/* ---- routes ---- */

static struct trail *trail_make(const struct turner *t, struct ready_route *ready)
{
	struct route *route = &ready->route;
	uint32_t sources = expressions_source_count(route->x);
	struct condition *conditions = mem_alloc((route->branches.count + 1) * sizeof(*conditions));
	struct trail_limits *limits = mem_alloc((sources + 1) * sizeof(*limits));

	for (size_t i = 0; i < route->branches.count; i++)
		conditions[i] = route_condition(&route->branches.at[i]);
	for (uint32_t id = 1; id <= sources; id++) {
		int source = turner_source(t->plan, route->x, id);

		limits[id - 1].length_max = source < 0 ? 0 : t->max_input;
		if (source >= 0)
			limits[id - 1] = source_limits(t, (size_t)source, assignment_length(&ready->input, id));
	}
	struct trail *trail = trail_new(route->x, conditions, route->branches.count, &ready->input, limits, sources);
	free(conditions);
	free(limits);
	return trail;
}

static void input_assign(const struct turner *t, const struct route *route, const struct input *input,
			 struct assignment *to)
{
	for (uint32_t id = 1; id <= expressions_source_count(route->x); id++) {
		int source = turner_source(t->plan, route->x, id);

		if (source >= 0)
			assignment_put(to, id, input->of[source].at, input->of[source].size);
	}
}

static int route_prepare(struct turner *t, struct ready_route *ready, uint64_t execution, const struct input *input,
			 struct err *err)
{
	char dir[PATH_MAX], recording[PATH_MAX];

	if (execution_dir(dir, t->plan, execution, err) < 0 ||
	    path_make(recording, sizeof(recording), err, "%s/" EXECUTION_RECORDING, dir) < 0 ||
	    route_read(&ready->route, recording, NULL, err) < 0)
		return -1;
	input_assign(t, &ready->route, input, &ready->input);
	ready->trail = trail_make(t, ready);
	ready->execution = execution;
	return 0;
}

/* The route of an execution, in place of the one that was not asked for the longest time. */
static struct ready_route *route_get(struct turner *t, uint64_t execution, const struct input *input, struct err *err)
{
	struct ready_route *oldest = &t->routes[0];

	for (size_t i = 0; i < ROUTES_KEPT; i++) {
		struct ready_route *ready = &t->routes[i];

		if (ready->execution == execution) {
			ready->used = ++t->clock;
			return ready;
		}
		if (ready->used < oldest->used)
			oldest = ready;
	}
	route_drop(oldest);
	if (route_prepare(t, oldest, execution, input, err) < 0) {
		route_drop(oldest);
		return NULL;
	}
	oldest->used = ++t->clock;
	return oldest;
}

/* ---- answers ---- */

/* An argument ends at its first zero byte: that is how a solver makes it shorter. */
static void source_take(const struct turner *t, struct input *input, size_t source, const struct assignment *answer,
			uint32_t id)
{
	uint64_t length = assignment_length(answer, id);
	uint8_t *bytes;

	if (length > INPUT_BYTES_MAX)
		length = INPUT_BYTES_MAX;
	bytes = mem_alloc(length + 1);
	for (uint64_t i = 0; i < length; i++)
		bytes[i] = assignment_byte(answer, id, i);
	if (t->plan->sources->at[source].kind == BO_SOURCE_ARG)
		length = strlen((const char *)bytes);
	input_set(input, source, bytes, length);
	free(bytes);
}

/* What is tried for each hope, one after the other. */
static const struct {
	enum relaxation first, last;
} relaxations[HOPES] = {
	[HOPE_NONE] = {RELAX_NOTHING, RELAX_NOTHING},
	[HOPE_INSIDE] = {RELAX_PLACES, RELAX_INSIDE},
	[HOPE_ALL] = {RELAX_ALL, RELAX_ALL},
};

/* Ask for an input that makes the expression larger than `value`. */
static int larger_ask(struct turner *t, struct ready_route *ready, size_t branch, uint32_t compared, uint64_t value,
		      enum relaxation relaxation, enum solver_verdict *verdict, struct assignment *answer,
		      struct err *err)
{
	struct expressions *x = ready->route.x;
	struct trail *trail = trail_relaxed(ready->trail, relaxation);
	size_t mine = trail->exclusions.count;
	uint8_t width = expressions_at(x, compared)->width;
	uint32_t constant =
		expressions_add(x, &(struct expression){.kind = BO_EXPR_CONST, .width = width, .own = value});
	uint32_t small =
		expressions_add(x,
				&(struct expression){.kind = BO_EXPR_ULE, .width = 1, .operand = {compared, constant}});
	int result;

	vec_push(&trail->exclusions, ((struct trail_exclusion){branch, small}));
	result = solver_hope(t->solver, ready->trail, branch, relaxation, verdict, answer, err);
	trail_include(trail, mine, 1);
	return result;
}

/* An address that depends on input is often where two texts differ first, or where one ends: C libraries load what is
 * there.  So the largest one is the most interesting: all is equal, or the text is long. */
static int address_turn(struct turner *t, struct ready_route *ready, size_t branch, enum turner_hope hope,
			enum solver_verdict *verdict, struct assignment *answer, struct err *err)
{
	enum relaxation relaxation = relaxations[hope].last;
	struct expressions *x = ready->route.x;
	uint32_t compared = compared_with_constant(x, ready->route.branches.at[branch].expression);
	bool solved = false;
	uint64_t value;

	*verdict = SOLVER_UNSAT;
	if (compared)
		value = expressions_evaluate(x, compared, &ready->input);
	for (int i = 0; compared && i < ADDRESS_STEPS && (i == 0 || *verdict == SOLVER_SOLVED); i++) {
		if (larger_ask(t, ready, branch, compared, value, relaxation, verdict, answer, err) < 0)
			return -1;
		if (*verdict == SOLVER_SOLVED)
			value = expressions_evaluate(x, compared, answer);
		solved |= *verdict == SOLVER_SOLVED;
	}
	if (!solved && hope == HOPE_NONE)
		return solver_turn(t->solver, ready->trail, branch, verdict, answer, err);
	if (!solved)
		return 0;
	*verdict = SOLVER_SOLVED;
	return 0;
}

/* The program has loaded, stored or jumped where the input said.  With another address, and with another case of a switch, it
 * often comes to the same branch.  A C library often computes the same result in another way.  So such conditions may be
 * given up for a branch that cannot be turned otherwise; but the input may then not do what it should. */
static int branch_turn(struct turner *t, struct ready_route *ready, size_t branch, enum turner_hope hope,
		       enum solver_verdict *verdict, struct assignment *answer, struct err *err)
{
	if (ready->route.branches.at[branch].kind == BO_BRANCH_ADDRESS)
		return address_turn(t, ready, branch, hope, verdict, answer, err);
	*verdict = SOLVER_UNSAT;
	for (enum relaxation r = relaxations[hope].first; r <= relaxations[hope].last && *verdict == SOLVER_UNSAT; r++)
		if (solver_hope(t->solver, ready->trail, branch, r, verdict, answer, err) < 0)
			return -1;
	return 0;
}

/* A jump to where none has gone yet.  If there is none, any other one. */
static int jump_turn(struct turner *t, struct ready_route *ready, const struct turner_question *q,
		     enum solver_verdict *verdict, struct assignment *answer, struct err *err)
{
	size_t mine = ready->trail->exclusions.count, count;
	int result;

	for (size_t i = 0; i < q->taken_count; i++)
		trail_exclude_value(ready->trail, q->branch, q->taken[i]);
	count = ready->trail->exclusions.count - mine;
	result = branch_turn(t, ready, q->branch, HOPE_NONE, verdict, answer, err);
	trail_include(ready->trail, mine, count);
	if (result < 0 || *verdict != SOLVER_UNSAT)
		return result;
	*q->exhausted = true;
	return branch_turn(t, ready, q->branch, HOPE_NONE, verdict, answer, err);
}

/* A byte of the source, after the offset, that the program compared with something, and that was equal. */
static uint64_t delimiter_after(const struct route *route, size_t branch, const struct keyword *keyword)
{
	uint64_t first = (uint64_t)keyword->source << BO_EXPR_SOURCE_SHIFT | keyword->offset, best = 0;

	for (size_t i = 0; i < branch; i++) {
		const struct route_branch *b = &route->branches.at[i];
		uint32_t compared = compared_with_constant(route->x, b->expression);
		const struct expression *e = compared ? expressions_at(route->x, compared) : NULL;

		if (b->inside || b->kind != BO_BRANCH_CONDITION || !b->value || !e || e->kind != BO_EXPR_INPUT ||
		    expressions_at(route->x, b->expression)->kind != BO_EXPR_EQ)
			continue;
		if (e->own >= first && e->own >> BO_EXPR_SOURCE_SHIFT == keyword->source && (!best || e->own < best))
			best = e->own;
	}
	return best ? best & bo_width_mask(BO_EXPR_SOURCE_SHIFT) : 0;
}

/* A branch that no input of the same lengths can turn may be about a word of another length. */
static bool keyword_hope(const struct turner *t, const struct ready_route *ready, const struct turner_question *q,
			 struct input *input)
{
	const struct expressions *x = ready->route.x;
	struct keyword keyword;
	int source;

	if (!keyword_find(&keyword, x, ready->route.branches.at[q->branch].expression))
		return false;
	source = turner_source(t->plan, x, keyword.source);
	if (source < 0)
		return false;
	keyword.end = delimiter_after(&ready->route, q->branch, &keyword);
	*input = input_copy(q->input);
	if (keyword_put(&keyword, input, (size_t)source, t->max_input))
		return true;
	input_free(input);
	*input = (struct input){0};
	return false;
}

/* ... or about a number with another count of digits. */
static bool number_hope(const struct turner *t, const struct ready_route *ready, const struct turner_question *q,
			struct input *input)
{
	const struct expressions *x = ready->route.x;
	const struct route_branch *branch = &ready->route.branches.at[q->branch];
	struct number_list numbers = {0};
	bool found = branch->kind == BO_BRANCH_CONDITION && !branch->inside &&
		     numbers_find(&numbers, x, branch->expression, !branch->value, &ready->input);

	*input = found ? input_copy(q->input) : (struct input){0};
	for (uint32_t id = 1; found && id <= expressions_source_count(x); id++) {
		int source = turner_source(t->plan, x, id);
		number_bytes bytes = {0};

		if (source < 0)
			continue;
		numbers_put(&numbers, id, q->input->of[source].at, q->input->of[source].size, &bytes);
		input_set(input, (size_t)source, bytes.at, bytes.count < t->max_input ? bytes.count : t->max_input);
		vec_free(&bytes);
	}
	numbers_free(&numbers);
	return found;
}

static bool is_length(uint64_t variable)
{
	return variable == variable_of_length((uint32_t)(variable >> BO_EXPR_SOURCE_SHIFT));
}

/* The last byte of the input that a branch looks at, or the length of a source; 0: neither. */
static uint64_t byte_looked_at(const struct route *route, size_t branch)
{
	struct variables *variables = variables_new(route->x);
	const struct variable_set *set = variables_of(variables, route->branches.at[branch].expression);
	uint64_t byte = set->count ? set->at[set->count - 1].last : 0;

	for (size_t i = set->count; i-- > 0 && is_length(byte);)
		byte = is_length(set->at[i].last) ? byte : set->at[i].last;
	variables_free(variables);
	return byte;
}

static bool longer_make(const struct turner *t, const struct ready_route *ready, const struct turner_question *q,
			struct input *input)
{
	uint64_t byte = byte_looked_at(&ready->route, q->branch);
	int source = turner_source(t->plan, ready->route.x, (uint32_t)(byte >> BO_EXPR_SOURCE_SHIFT));

	if (!byte || source < 0)
		return false;
	*input = vary_line(q->input, (size_t)source, byte & bo_width_mask(BO_EXPR_SOURCE_SHIFT), t->max_input);
	return true;
}

/* Answers were given when the route was here before, or by the search that this one goes on with. */
static void answers_exclude(const struct turner *t, struct ready_route *ready, const struct turner_question *q)
{
	for (size_t i = 0; i < q->made_count; i++) {
		struct assignment made = {0};

		input_assign(t, &ready->route, q->made[i], &made);
		for (enum relaxation r = relaxations[q->hope].first; r <= relaxations[q->hope].last; r++)
			trail_exclude(trail_relaxed(ready->trail, r), q->branch, &made);
		assignment_free(&made);
	}
}

int turner_turn(struct turner *t, const struct turner_question *q, enum solver_verdict *verdict, struct input *input,
		struct err *err)
{
	struct ready_route *ready = route_get(t, q->execution, q->input, err);
	struct assignment answer = {0};
	int result;

	if (!ready)
		return -1;
	if (q->hope == HOPE_INSIDE && number_hope(t, ready, q, input)) {
		*verdict = SOLVER_SOLVED;
		return 0;
	}
	if (q->hope == HOPE_LONGER) {
		*verdict = longer_make(t, ready, q, input) ? SOLVER_SOLVED : SOLVER_UNSAT;
		return 0;
	}
	answers_exclude(t, ready, q);
	solver_hurry(t->solver, !q->patient);
	result = q->hope == HOPE_NONE && q->taken_count
			 ? jump_turn(t, ready, q, verdict, &answer, err)
			 : branch_turn(t, ready, q->branch, q->hope, verdict, &answer, err);
	if (result == 0 && *verdict == SOLVER_SOLVED) {
		*input = input_copy(q->input);
		for (uint32_t id = 1; id <= expressions_source_count(ready->route.x); id++) {
			int source = turner_source(t->plan, ready->route.x, id);

			if (source >= 0)
				source_take(t, input, (size_t)source, &answer, id);
		}
	}
	if (result == 0 && *verdict == SOLVER_UNSAT && q->hope == HOPE_INSIDE && keyword_hope(t, ready, q, input))
		*verdict = SOLVER_SOLVED;
	assignment_free(&answer);
	return result;
}
