/* SPDX-License-Identifier: GPL-2.0-or-later */
/* normal.c - see normal.h. */
#include "solve/normal.h"

bool constant_of(const struct expressions *x, uint32_t id, uint64_t *value)
{
	const struct expression *e = expressions_at(x, id);

	*value = e->own;
	return e->kind == BO_EXPR_CONST;
}

static bool is_constant(const struct expressions *x, uint32_t id)
{
	return expressions_at(x, id)->kind == BO_EXPR_CONST;
}

/* a == constant or a ^ constant, where all have width 1, is a or its opposite. */
static bool bit_reduce(const struct expressions *x, const struct expression *e, struct condition *condition)
{
	unsigned constant = is_constant(x, e->operand[0]) ? 0 : 1;

	if (!is_constant(x, e->operand[constant]) || expressions_at(x, e->operand[constant])->width != 1)
		return false;
	bool flips = expressions_at(x, e->operand[constant])->own == (e->kind == BO_EXPR_XOR);
	condition->expression = e->operand[!constant];
	condition->value ^= flips;
	return true;
}

/* a <= b is not b < a. */
static bool order_reduce(struct expressions *x, struct expression e, struct condition *condition)
{
	struct expression less = {.kind = e.kind == BO_EXPR_ULE ? BO_EXPR_ULT : BO_EXPR_SLT,
				  .width = 1,
				  .operand = {e.operand[1], e.operand[0]}};

	condition->expression = expressions_add(x, &less);
	condition->value = !condition->value;
	return true;
}

/* Equality has no direction. */
static bool equality_order(struct expressions *x, struct expression e, struct condition *condition)
{
	struct expression ordered = {.kind = BO_EXPR_EQ, .width = 1, .operand = {e.operand[1], e.operand[0]}};

	if (e.operand[0] < e.operand[1])
		return false;
	condition->expression = expressions_add(x, &ordered);
	return e.operand[0] != e.operand[1];
}

static bool reduce(struct expressions *x, struct condition *condition)
{
	const struct expression *e = expressions_at(x, condition->expression);

	switch (e->kind) {
	case BO_EXPR_NOT:
		condition->expression = e->operand[0];
		condition->value = !condition->value;
		return true;
	case BO_EXPR_EQ: return bit_reduce(x, e, condition) || equality_order(x, *e, condition);
	case BO_EXPR_XOR: return bit_reduce(x, e, condition);
	case BO_EXPR_ULE:
	case BO_EXPR_SLE: return order_reduce(x, *e, condition);
	default: return false;
	}
}

void condition_normalize(struct expressions *x, struct condition *condition)
{
	while (reduce(x, condition))
		;
}

uint32_t compared_with_constant(const struct expressions *x, uint32_t id)
{
	const struct expression *e = expressions_at(x, id);

	if (e->kind != BO_EXPR_EQ || is_constant(x, e->operand[0]) == is_constant(x, e->operand[1]))
		return 0;
	return e->operand[is_constant(x, e->operand[0])];
}
