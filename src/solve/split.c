/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.c - see split.h. */
#include "solve/split.h"

#include "solve/normal.h"

enum { DEMANDS_MAX = 4096 /* shared operands are met again and again */ };

/* Bits of an expression that must have a value: `width` of them, from bit `low`. */
struct split_demand {
	uint32_t expression;
	uint8_t low, width;
	uint64_t value;
};

static void demand(struct split *split, uint32_t expression, unsigned low, unsigned width, uint64_t value)
{
	struct split_demand d = {expression, (uint8_t)low, (uint8_t)width, value & bo_width_mask(width)};

	vec_push(&split->waiting, d);
}

/* The operand that is constant, and its value; -1: none is. */
static int constant_operand(const struct expressions *x, const struct expression *e, uint64_t *value)
{
	return constant_of(x, e->operand[1], value) ? 1 : constant_of(x, e->operand[0], value) ? 0 : -1;
}

/* ---- by kind: split the demand, and return true; or return false ---- */

static bool split_concat(struct split *split, const struct expressions *x, const struct expression *e,
			 const struct split_demand *d)
{
	unsigned border = expressions_at(x, e->operand[1])->width, end = d->low + d->width;

	if (d->low < border)
		demand(split, e->operand[1], d->low, (end < border ? end : border) - d->low, d->value);
	if (end > border) {
		unsigned low = d->low > border ? d->low - border : 0, skipped = d->low < border ? border - d->low : 0;

		demand(split, e->operand[0], low, end - border - low, d->value >> skipped);
	}
	return true;
}

/* Bits above the operand are 0, or else no value of the operand will do. */
static bool split_extension(struct split *split, const struct expressions *x, const struct expression *e,
			    const struct split_demand *d)
{
	unsigned has = expressions_at(x, e->operand[0])->width;

	if (d->low >= has)
		return false;
	if (d->low + d->width <= has) {
		demand(split, e->operand[0], d->low, d->width, d->value);
		return true;
	}
	if (e->kind != BO_EXPR_ZEXT || d->value >> (has - d->low))
		return false;
	demand(split, e->operand[0], d->low, has - d->low, d->value);
	return true;
}

/* Demand the bits of the operand that the mask has, run by run. */
static void demand_masked(struct split *split, uint32_t operand, const struct split_demand *d, uint64_t mask)
{
	for (unsigned bit = 0, end; bit < d->width; bit = end) {
		for (end = bit + 1; end < d->width && (mask >> end & 1) == (mask >> bit & 1); end++)
			;
		if (mask >> bit & 1)
			demand(split, operand, d->low + bit, end - bit, d->value >> bit);
	}
}

/* a & mask, a | mask: where the mask decides, the value must agree, which it does if the condition can hold at all. */
static bool split_logic(struct split *split, const struct expressions *x, const struct expression *e,
			const struct split_demand *d)
{
	uint64_t neutral = e->kind == BO_EXPR_AND ? bo_width_mask(d->width) : 0, constant;
	int at = constant_operand(x, e, &constant);

	if (at >= 0) {
		uint64_t decided = (constant >> d->low ^ neutral) & bo_width_mask(d->width);

		if ((d->value ^ constant >> d->low) & decided)
			return false;
		demand_masked(split, e->operand[!at], d, ~decided);
		return true;
	}
	if (d->value != neutral)
		return false;
	demand(split, e->operand[0], d->low, d->width, d->value);
	demand(split, e->operand[1], d->low, d->width, d->value);
	return true;
}

/* What can be undone from the low end on: low bits of a sum depend on low bits alone. */
static bool split_sum(struct split *split, const struct expressions *x, const struct expression *e,
		      const struct split_demand *d)
{
	uint64_t constant;
	int at = constant_operand(x, e, &constant);

	if (at < 0 || (d->low && e->kind != BO_EXPR_XOR))
		return false;
	if (e->kind == BO_EXPR_XOR)
		demand(split, e->operand[!at], d->low, d->width, d->value ^ constant >> d->low);
	else if (e->kind == BO_EXPR_ADD)
		demand(split, e->operand[!at], 0, d->width, d->value - constant);
	else
		demand(split, e->operand[!at], 0, d->width, at ? d->value + constant : constant - d->value);
	return true;
}

/* A count of zeros says what the bits up to the first one are. */
static bool split_count(struct split *split, const struct expressions *x, const struct expression *e,
			const struct split_demand *d)
{
	unsigned width = expressions_at(x, e->operand[0])->width;
	bool whole = d->low == 0 && bo_width_mask(d->width) >= width, from_top = e->kind == BO_EXPR_CLZ;

	if (!whole || d->value > width)
		return false;
	if (d->value == width)
		demand(split, e->operand[0], 0, width, 0);
	else if (from_top)
		demand(split, e->operand[0], width - 1 - (unsigned)d->value, (unsigned)d->value + 1, 1);
	else
		demand(split, e->operand[0], 0, (unsigned)d->value + 1, UINT64_C(1) << d->value);
	return true;
}

/* If one side of a choice cannot have the value, the other one was chosen, and has it. */
static bool split_choice(struct split *split, const struct expressions *x, const struct expression *e,
			 const struct split_demand *d)
{
	uint64_t mask = bo_width_mask(d->width), constant;

	for (unsigned one = 0; one < 2; one++) {
		uint32_t here = e->operand[one ? 1 : 2], there = e->operand[one ? 2 : 1];

		if (!constant_of(x, here, &constant) || (constant >> d->low & mask) == d->value)
			continue;
		demand(split, e->operand[0], 0, 1, !one);
		demand(split, there, d->low, d->width, d->value);
		return true;
	}
	return false;
}

static bool split_equality(struct split *split, const struct expressions *x, const struct expression *e,
			   const struct split_demand *d)
{
	uint64_t constant;
	int at = constant_operand(x, e, &constant);
	unsigned width = expressions_at(x, e->operand[0])->width;

	if (at < 0 || (!d->value && width > 1))
		return false;
	demand(split, e->operand[!at], 0, width, d->value ? constant : ~constant);
	return true;
}

static bool split_one(struct split *split, const struct expressions *x, const struct split_demand *d)
{
	const struct expression *e = expressions_at(x, d->expression);

	switch (e->kind) {
	case BO_EXPR_CONST: return (e->own >> d->low & bo_width_mask(d->width)) == d->value;
	case BO_EXPR_NOT: demand(split, e->operand[0], d->low, d->width, ~d->value); return true;
	case BO_EXPR_EXTRACT: demand(split, e->operand[0], d->low + (unsigned)e->own, d->width, d->value); return true;
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT: return split_extension(split, x, e, d);
	case BO_EXPR_CONCAT: return split_concat(split, x, e, d);
	case BO_EXPR_AND:
	case BO_EXPR_OR: return split_logic(split, x, e, d);
	case BO_EXPR_XOR:
	case BO_EXPR_ADD:
	case BO_EXPR_SUB: return split_sum(split, x, e, d);
	case BO_EXPR_CLZ:
	case BO_EXPR_CTZ: return split_count(split, x, e, d);
	case BO_EXPR_ITE: return split_choice(split, x, e, d);
	case BO_EXPR_EQ: return split_equality(split, x, e, d);
	default: return false;
	}
}

/* What cannot be split is a condition of its own. */
static struct condition condition_of(struct expressions *x, const struct split_demand *d, uint64_t site)
{
	uint8_t width = expressions_at(x, d->expression)->width;
	struct expression part = {.kind = BO_EXPR_EXTRACT,
				  .width = d->width,
				  .operand = {d->expression},
				  .own = d->low};
	struct expression constant = {.kind = BO_EXPR_CONST, .width = d->width, .own = d->value};
	struct expression same = {.kind = BO_EXPR_EQ, .width = 1};
	uint32_t bits = d->width < width ? expressions_add(x, &part) : d->expression;
	struct condition condition = {.expression = bits, .value = d->value, .site = site};

	if (d->width > 1) {
		same.operand[0] = bits;
		same.operand[1] = expressions_add(x, &constant);
		condition = (struct condition){.expression = expressions_add(x, &same), .value = true, .site = site};
	}
	condition_normalize(x, &condition);
	return condition;
}

/* Only an expression that must have a certain value, with all its bits, is known. */
static void demand_learn(struct expressions *x, const struct split_demand *d, struct known *known)
{
	if (d->width == expressions_at(x, d->expression)->width)
		known_put(known, x, d->expression, d->value);
}

void split_condition(struct split *split, struct expressions *x, const struct condition *condition, struct known *known)
{
	struct split_demand whole = {condition->expression, 0, 1, condition->value};
	unsigned demands = 0;

	split->parts.count = split->waiting.count = 0;
	vec_push(&split->waiting, whole);
	while (split->waiting.count && demands++ < DEMANDS_MAX) {
		struct split_demand d = split->waiting.at[--split->waiting.count];

		demand_learn(x, &d, known);
		if (!split_one(split, x, &d))
			vec_push(&split->parts, condition_of(x, &d, condition->site));
	}
	if (split->waiting.count) {
		split->parts.count = 0;
		vec_push(&split->parts, condition_of(x, &whole, condition->site));
	}
}

void split_free(struct split *split)
{
	vec_free(&split->parts);
	vec_free(&split->waiting);
}
