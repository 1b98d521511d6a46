/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluation.c - see evaluation.h. */
#include "expression/evaluation.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

struct evaluation {
	const struct expressions *x;
	uint64_t *values; /* by id, if the expression's round is the current one */
	uint32_t *rounds;
	uint32_t room; /* ids that both have room for */
	uint32_t round;
	VEC_OF(uint32_t) waiting; /* expressions whose operands come first; the last one is the next to compute */
};

struct evaluation *evaluation_new(const struct expressions *x)
{
	struct evaluation *evaluation = mem_alloc(sizeof(*evaluation));

	evaluation->x = x;
	evaluation->round = 1;
	return evaluation;
}

void evaluation_free(struct evaluation *evaluation)
{
	if (!evaluation)
		return;
	free(evaluation->values);
	free(evaluation->rounds);
	vec_free(&evaluation->waiting);
	free(evaluation);
}

void evaluation_forget(struct evaluation *evaluation)
{
	if (++evaluation->round)
		return;
	/* Rounds of long ago would look current again. */
	memset(evaluation->rounds, 0, evaluation->room * sizeof(*evaluation->rounds));
	evaluation->round = 1;
}

static void make_room(struct evaluation *evaluation, uint32_t id)
{
	uint32_t room = evaluation->room;

	if (id < room)
		return;
	/* The graph of a recording grows while it is read. */
	evaluation->room = expressions_count(evaluation->x) + 1 + room / 2;
	evaluation->values = mem_resize(evaluation->values, evaluation->room, sizeof(*evaluation->values));
	evaluation->rounds = mem_resize(evaluation->rounds, evaluation->room, sizeof(*evaluation->rounds));
	memset(evaluation->rounds + room, 0, (evaluation->room - room) * sizeof(*evaluation->rounds));
}

static bool is_known(const struct evaluation *evaluation, uint32_t id)
{
	return evaluation->rounds[id] == evaluation->round;
}

/* Let operands without a value wait in front of their expression.  Return false if there are none. */
static bool operands_wait(struct evaluation *evaluation, const struct expression *e)
{
	size_t before = evaluation->waiting.count;

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		if (!is_known(evaluation, e->operand[i]))
			vec_push(&evaluation->waiting, e->operand[i]);
	}
	return evaluation->waiting.count > before;
}

/* The value of an expression whose operands have values. */
static uint64_t compute(const struct evaluation *evaluation, const struct expression *e, const struct assignment *input)
{
	uint64_t values[BO_EXPR_OPERANDS_MAX] = {0};
	uint8_t widths[BO_EXPR_OPERANDS_MAX] = {1, 1, 1}; /* a width, even where there is no operand */

	BUG_ON(e->width < 1 || e->width > BO_EXPR_WIDTH_MAX);
	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		values[i] = evaluation->values[e->operand[i]];
		widths[i] = expressions_at(evaluation->x, e->operand[i])->width;
	}
	switch (e->kind) {
	case BO_EXPR_CONST: return e->own;
	case BO_EXPR_INPUT: return assignment_byte(input, expression_input_source(e), expression_input_offset(e));
	case BO_EXPR_LENGTH: return assignment_length(input, (uint32_t)e->own);
	case BO_EXPR_TABLE:
		return expression_table_load(expressions_table(evaluation->x, (uint32_t)e->own), values[0], e->width);
	default: return bo_expression_compute(e->kind, e->width, e->own, values, widths);
	}
}

uint64_t evaluation_value(struct evaluation *evaluation, uint32_t id, const struct assignment *input)
{
	make_room(evaluation, id);
	vec_push(&evaluation->waiting, id);
	while (evaluation->waiting.count) {
		uint32_t next = evaluation->waiting.at[evaluation->waiting.count - 1];
		const struct expression *e = expressions_at(evaluation->x, next);

		if (!is_known(evaluation, next)) {
			if (operands_wait(evaluation, e))
				continue;
			evaluation->values[next] = compute(evaluation, e, input);
			evaluation->rounds[next] = evaluation->round;
		}
		evaluation->waiting.count--;
	}
	return evaluation->values[id];
}

uint64_t expressions_evaluate(const struct expressions *x, uint32_t id, const struct assignment *input)
{
	struct evaluation *evaluation = evaluation_new(x);
	uint64_t value = evaluation_value(evaluation, id, input);

	evaluation_free(evaluation);
	return value;
}
