/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate.c - see candidate.h. */
#include "solve/candidate.h"

enum { NEAR_TRIES = 64, LENGTH_ROOM = 64, PRINTABLE_FIRST = 0x20, PRINTABLE_END = 0x7f };

static uint64_t variable_value(const struct expression *e, const struct assignment *input)
{
	if (e->kind == BO_EXPR_LENGTH)
		return assignment_length(input, (uint32_t)e->own);
	return assignment_byte(input, expression_input_source(e), expression_input_offset(e));
}

/* A source that becomes longer gets filler behind its old end; one that becomes shorter keeps its bytes, because it may
 * become longer again. */
static void length_set(const struct trail *trail, struct assignment *input, uint32_t source, uint64_t length)
{
	for (uint64_t at = assignment_length(trail->input, source); at < length; at++)
		assignment_set_byte(input, source, at, trail->limits.at[source - 1].filler);
	assignment_set_length(input, source, length);
}

/* Without filler: what lies behind the old end has its bytes already. */
static void variable_change(const struct expression *e, uint64_t value, struct assignment *input)
{
	if (e->kind == BO_EXPR_LENGTH)
		assignment_set_length(input, (uint32_t)e->own, value);
	else
		assignment_set_byte(input, expression_input_source(e), expression_input_offset(e), (uint8_t)value);
}

static void variable_set(const struct trail *trail, const struct expression *e, uint64_t value,
			 struct assignment *input)
{
	if (e->kind == BO_EXPR_LENGTH)
		length_set(trail, input, (uint32_t)e->own, value);
	else
		variable_change(e, value, input);
}

static void variables_set(struct trail *trail, const struct slice *slice, const struct solution *solution,
			  enum bo_expression kind, struct assignment *input)
{
	for (size_t i = 0; i < slice->variables.count; i++) {
		const struct expression *e = expressions_at(trail->x, slice->variables.at[i]);
		const uint64_t *value;

		if (e->kind != kind)
			continue;
		value = solution_find(solution, meaning_of(&trail->meanings, slice->variables.at[i]));
		if (value)
			variable_set(trail, e, *value, input);
	}
}

/* A solution of another question may have lengths that this one forbids. */
static bool lengths_fit(struct trail *trail, const struct slice *slice, const struct solution *solution)
{
	for (size_t i = 0; i < slice->variables.count; i++) {
		const struct expression *e = expressions_at(trail->x, slice->variables.at[i]);
		const uint64_t *value;

		if (e->kind != BO_EXPR_LENGTH)
			continue;
		value = solution_find(solution, meaning_of(&trail->meanings, slice->variables.at[i]));
		if (value && *value > trail->limits.at[e->own - 1].length_max)
			return false;
	}
	return true;
}

bool candidate_make(struct trail *trail, const struct slice *slice, const struct solution *solution,
		    struct assignment *input)
{
	if (!lengths_fit(trail, slice, solution))
		return false;
	assignment_copy(input, trail->input);
	variables_set(trail, slice, solution, BO_EXPR_LENGTH, input);
	variables_set(trail, slice, solution, BO_EXPR_INPUT, input);
	return true;
}

static bool condition_holds(struct trail *trail, const struct slice_condition *condition,
			    const struct assignment *input)
{
	return evaluation_value(trail->evaluation, condition->expression, input) == condition->value;
}

/* The turned condition comes first: it is the one that most inputs do not fulfil. */
bool candidate_holds(struct trail *trail, const struct slice *slice, const struct assignment *input)
{
	evaluation_forget(trail->evaluation);
	for (size_t i = slice->conditions.count; i-- > 0;) {
		if (!slice->conditions.at[i].wished && !condition_holds(trail, &slice->conditions.at[i], input))
			return false;
	}
	return true;
}

/* Printable characters first, then the others. */
static uint8_t preferred_byte(unsigned index)
{
	const unsigned printable = PRINTABLE_END - PRINTABLE_FIRST;

	if (index < printable)
		return (uint8_t)(PRINTABLE_FIRST + index);
	return (uint8_t)(index - printable < PRINTABLE_FIRST ? index - printable : index);
}

bool candidate_enumerate(struct trail *trail, const struct slice *slice, enum solver_verdict *verdict,
			 struct assignment *input)
{
	if (slice->variables.count != 1)
		return false;
	struct expression e = *expressions_at(trail->x, slice->variables.at[0]);
	if (e.kind != BO_EXPR_INPUT)
		return false;
	assignment_copy(input, trail->input);
	for (unsigned i = 0; i < 256; i++) {
		variable_set(trail, &e, preferred_byte(i), input);
		if (candidate_holds(trail, slice, input)) {
			*verdict = SOLVER_SOLVED;
			return true;
		}
	}
	*verdict = SOLVER_UNSAT;
	return true;
}

/* The conditions that depend on a variable. */
static bool dependents_hold(struct trail *trail, const struct slice *slice, const struct expression *e,
			    const struct assignment *input)
{
	uint64_t variable = e->kind == BO_EXPR_LENGTH ? variable_of_length((uint32_t)e->own) : e->own;

	evaluation_forget(trail->evaluation);
	for (size_t i = slice->conditions.count; i-- > 0;) {
		const struct slice_condition *condition = &slice->conditions.at[i];

		if (variable_set_has(variables_of(trail->variables, condition->expression), variable) &&
		    !condition_holds(trail, condition, input))
			return false;
	}
	return true;
}

/* Short inputs are handled faster, and what is added has no meaning yet; but some room is good. */
static void length_draw_near(struct trail *trail, const struct slice *slice, const struct expression *e, uint64_t old,
			     struct assignment *input)
{
	uint64_t value = variable_value(e, input);

	for (uint64_t room = LENGTH_ROOM; room < value - old; room *= 4) {
		variable_change(e, old + room, input);
		if (dependents_hold(trail, slice, e, input))
			return;
	}
	variable_change(e, value, input);
}

void candidate_draw_near(struct trail *trail, const struct slice *slice, struct assignment *input)
{
	unsigned tries = 0;

	for (size_t i = 0; i < slice->variables.count && tries < NEAR_TRIES; i++) {
		struct expression e = *expressions_at(trail->x, slice->variables.at[i]);
		uint64_t value = variable_value(&e, input), old = variable_value(&e, trail->input);

		if (value == old)
			continue;
		tries++;
		variable_change(&e, old, input);
		if (dependents_hold(trail, slice, &e, input))
			continue;
		variable_change(&e, value, input);
		if (e.kind == BO_EXPR_LENGTH && value > old)
			length_draw_near(trail, slice, &e, old, input);
	}
}

void candidate_solution(struct trail *trail, const struct slice *slice, const struct assignment *input,
			struct solution *solution)
{
	for (size_t i = 0; i < slice->variables.count; i++) {
		const struct expression *e = expressions_at(trail->x, slice->variables.at[i]);

		solution_add(solution, meaning_of(&trail->meanings, slice->variables.at[i]), variable_value(e, input));
	}
	solution_sort(solution);
}
