/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digits.c - see digits.h. */
#include "solve/digits.h"

#include "base/map.h"
#include "solve/normal.h"

enum { DEPTH_MOST = 256, DIGITS_MOST = 64 };

struct interval {
	uint64_t least, most;
};

/* What conditions say about expressions. */
struct facts {
	const struct expressions *x;
	struct map number; /* expression -> number of its interval, from 1 */
	VEC_OF(struct interval) intervals;
};

/* The other operand of an operation with a constant; 0: there is no constant. */
static uint32_t operand_beside_constant(const struct expressions *x, const struct expression *e, uint64_t *constant)
{
	if (constant_of(x, e->operand[1], constant))
		return e->operand[0];
	return constant_of(x, e->operand[0], constant) ? e->operand[1] : 0;
}

/* ---- what conditions say ---- */

static uint64_t mask_of(const struct expressions *x, uint32_t id)
{
	return bo_width_mask(expressions_at(x, id)->width);
}

static void fact_put(struct facts *facts, uint32_t id, struct interval as)
{
	uint64_t *number = map_put(&facts->number, id, 0);

	if (!*number) {
		vec_push(&facts->intervals, ((struct interval){0, mask_of(facts->x, id)}));
		*number = facts->intervals.count;
	}
	struct interval *fact = &facts->intervals.at[*number - 1];
	fact->least = as.least > fact->least ? as.least : fact->least;
	fact->most = as.most < fact->most ? as.most : fact->most;
}

/* What is known of a byte plus a constant is known of the byte. */
static void learn(struct facts *facts, uint32_t id, struct interval as)
{
	for (unsigned depth = 0; id && depth < DEPTH_MOST; depth++) {
		const struct expression *e = expressions_at(facts->x, id);
		uint64_t mask = bo_width_mask(e->width), constant;

		fact_put(facts, id, as);
		if (e->kind == BO_EXPR_ADD) {
			id = operand_beside_constant(facts->x, e, &constant);
			as = (struct interval){(as.least - constant) & mask, (as.most - constant) & mask};
		} else {
			id = e->kind == BO_EXPR_ZEXT ? e->operand[0] : 0;
		}
		if (as.least > as.most)
			return;
	}
}

/* Conditions are normalized: there is no ULE.  Of wishes, only upper limits matter: a digit is below ten, but that it is above
 * five may be given up. */
static void learn_condition(struct facts *facts, const struct slice_condition *condition)
{
	const struct expression *e = expressions_at(facts->x, condition->expression);
	uint64_t k;

	bool is_limit = e->kind == BO_EXPR_ULT && constant_of(facts->x, e->operand[condition->value], &k);

	if (condition->wished && !is_limit)
		return;
	if (e->kind == BO_EXPR_EQ && condition->value) {
		uint32_t other = operand_beside_constant(facts->x, e, &k);

		learn(facts, other, (struct interval){k, k});
	} else if (e->kind == BO_EXPR_ULT && constant_of(facts->x, e->operand[1], &k)) {
		uint64_t mask = mask_of(facts->x, e->operand[0]);

		if (!condition->value || k)
			learn(facts, e->operand[0],
			      condition->value ? (struct interval){0, k - 1} : (struct interval){k, mask});
	} else if (e->kind == BO_EXPR_ULT && constant_of(facts->x, e->operand[0], &k)) {
		uint64_t mask = mask_of(facts->x, e->operand[1]);

		if (!condition->value || k < mask)
			learn(facts, e->operand[1],
			      condition->value ? (struct interval){k + 1, mask} : (struct interval){0, k});
	}
}

/* ---- which values an expression can have ---- */

static struct interval interval_of(const struct facts *facts, uint32_t id, unsigned depth);

/* If the highest value has room, none of them goes around. */
static struct interval of_sum(struct interval a, struct interval b, uint64_t mask)
{
	if (a.most > mask - b.most)
		return (struct interval){0, mask};
	return (struct interval){a.least + b.least, a.most + b.most};
}

static struct interval of_operation(const struct facts *facts, const struct expression *e, unsigned depth)
{
	uint64_t mask = bo_width_mask(e->width), constant;
	uint32_t other;

	switch (e->kind) {
	case BO_EXPR_CONST: return (struct interval){e->own, e->own};
	case BO_EXPR_ZEXT: return interval_of(facts, e->operand[0], depth + 1);
	case BO_EXPR_ADD:
		return of_sum(interval_of(facts, e->operand[0], depth + 1),
			      interval_of(facts, e->operand[1], depth + 1), mask);
	case BO_EXPR_MUL: {
		other = operand_beside_constant(facts->x, e, &constant);
		struct interval a = other ? interval_of(facts, other, depth + 1) : (struct interval){0, mask};
		if (other && constant && a.most <= mask / constant)
			return (struct interval){a.least * constant, a.most * constant};
		break;
	}
	default: break;
	}
	return (struct interval){0, mask};
}

static struct interval interval_of(const struct facts *facts, uint32_t id, unsigned depth)
{
	const struct expression *e = expressions_at(facts->x, id);
	const uint64_t *number = map_get(&facts->number, id, 0);
	struct interval r = {0, bo_width_mask(e->width)};

	if (depth < DEPTH_MOST)
		r = of_operation(facts, e, depth);
	if (number) {
		struct interval fact = facts->intervals.at[*number - 1];

		r.least = fact.least > r.least ? fact.least : r.least;
		r.most = fact.most < r.most ? fact.most : r.most;
	}
	return r;
}

/* ---- digits ---- */

struct demand {
	uint32_t expression;
	uint64_t value;
};

/* x * m + y = value, where there are at most m values of y.  Make the demand that of x, and *digit that of y. */
static bool digit_take(const struct facts *facts, struct demand *whole, struct demand *digit)
{
	struct expression sum = *expressions_at(facts->x, whole->expression);
	uint64_t mask = bo_width_mask(sum.width), m;

	for (unsigned i = 0; i < 2; i++) {
		const struct expression *product = expressions_at(facts->x, sum.operand[i]);
		uint32_t x = product->kind == BO_EXPR_MUL ? operand_beside_constant(facts->x, product, &m) : 0;

		if (!x || !m)
			continue;
		struct interval of_x = interval_of(facts, x, 0), y = interval_of(facts, sum.operand[!i], 0);
		if (y.least > y.most || y.most - y.least >= m || of_x.most > (mask - y.most) / m ||
		    whole->value < y.least)
			continue;
		*digit = (struct demand){sum.operand[!i], y.least + (whole->value - y.least) % m};
		*whole = (struct demand){x, (whole->value - y.least) / m};
		return true;
	}
	return false;
}

/* The same demand of an operand.  False: it cannot be put simpler. */
static bool demand_reduce(const struct facts *facts, struct demand *demand)
{
	const struct expression *e = expressions_at(facts->x, demand->expression);
	uint64_t mask = bo_width_mask(e->width), constant;
	uint32_t inner = e->operand[0];

	switch (e->kind) {
	case BO_EXPR_ZEXT:
		if (demand->value > mask_of(facts->x, inner))
			return false;
		demand->expression = inner;
		return true;
	case BO_EXPR_EXTRACT:
		if (e->own || interval_of(facts, inner, 0).most > mask)
			return false;
		demand->expression = inner;
		return true;
	case BO_EXPR_ADD:
		inner = operand_beside_constant(facts->x, e, &constant);
		if (!inner)
			return false;
		*demand = (struct demand){inner, (demand->value - constant) & mask};
		return true;
	default: return false;
	}
}

static void demand_add(struct expressions *x, struct slice *slice, struct demand demand)
{
	struct expression constant = {.kind = BO_EXPR_CONST,
				      .width = expressions_at(x, demand.expression)->width,
				      .own = demand.value};
	struct expression same = {.kind = BO_EXPR_EQ,
				  .width = 1,
				  .operand = {demand.expression, expressions_add(x, &constant)}};

	vec_push(&slice->conditions,
		 ((struct slice_condition){.expression = expressions_add(x, &same), .value = true}));
}

void digits_demand(struct expressions *x, struct slice *slice, uint32_t expression, uint64_t value)
{
	struct facts facts = {.x = x};
	struct demand whole = {expression, value}, digit;
	unsigned digits = 0;

	for (size_t i = 0; i < slice->conditions.count; i++)
		learn_condition(&facts, &slice->conditions.at[i]);
	for (;;) {
		if (digits < DIGITS_MOST && expressions_at(x, whole.expression)->kind == BO_EXPR_ADD &&
		    digit_take(&facts, &whole, &digit)) {
			demand_add(x, slice, digit);
			digits++;
		} else if (!demand_reduce(&facts, &whole)) {
			break;
		}
	}
	if (digits)
		demand_add(x, slice, whole);
	map_free(&facts.number);
	vec_free(&facts.intervals);
}
