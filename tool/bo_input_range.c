/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_range.c - which values an expression can have: from what it is, and from the branches that were taken.
 *
 * A range is a first value and how many follow, modulo the width, so that it may go from -1 to 1.  It may have too many
 * values, but never too few. */
#include "bo_input.h"

#define DEPTH_MOST 24

/* ---- ranges ---- */

static struct bo_range full(UInt width)
{
	return (struct bo_range){0, bo_width_mask(width)};
}

static ULong last(struct bo_range r)
{
	return r.first + r.span;
}

/* Does it go from the highest value of the width to 0? */
static Bool wraps(struct bo_range r, UInt width)
{
	return r.span > bo_width_mask(width) - r.first;
}

/* ---- what branches said ---- */

struct fact { /* of one expression */
	ULong least, most;
	Long signed_least, signed_most;
};

static struct fact *facts; /* numbered from 1 */
static UInt fact_count = 1, fact_room;

static Long signed_most(UInt width)
{
	return (Long)(bo_width_mask(width) >> 1);
}

static struct fact *fact_at(UInt expr)
{
	UInt number = bo_expr_at(expr)->fact, width = bo_expr_width(expr);

	if (number)
		return &facts[number];
	if (fact_count >= fact_room) {
		fact_room = 2 * fact_count + 64;
		facts = VG_(realloc)("bo.facts", facts, fact_room * sizeof(*facts));
	}
	bo_expr_to_tell(expr)->fact = fact_count;
	facts[fact_count] = (struct fact){0, bo_width_mask(width), -signed_most(width) - 1, signed_most(width)};
	return &facts[fact_count++];
}

/* What is known of a sum with a constant, or of a wider copy, is known of what it is made from: other code may add another
 * constant, or copy it to another width.  If two values united are small, so is each of them. */
static void learn_between(UInt x, ULong least, ULong most, UInt depth)
{
	const struct bo_expr *e = bo_expr_at(x);
	UInt from = e->operand[0];
	ULong mask = bo_width_mask(from ? bo_expr_width(from) : 64), by;
	struct fact *f = fact_at(x);

	least = f->least = least > f->least ? least : f->least;
	most = f->most = most < f->most ? most : f->most;
	if (depth == DEPTH_MOST)
		return;
	if (e->kind == BO_EXPR_ADD && bo_expr_is_const(e->operand[1])) {
		by = bo_expr_value(e->operand[1]);
		if (((least - by) & mask) <= ((most - by) & mask))
			learn_between(from, (least - by) & mask, (most - by) & mask, depth + 1);
	} else if (e->kind == BO_EXPR_ZEXT) {
		learn_between(from, least, most < mask ? most : mask, depth + 1);
	} else if (e->kind == BO_EXPR_OR) {
		learn_between(from, 0, most, depth + 1);
		learn_between(e->operand[1], 0, most, depth + 1);
	}
}

/* x < k or x <= k, or the opposite. */
static void learn_unsigned(UInt x, ULong k, Bool is_below, Bool or_equal)
{
	if (is_below && (k || or_equal))
		learn_between(x, 0, or_equal ? k : k - 1, 0);
	else if (!is_below && (or_equal || k != ~0ULL))
		learn_between(x, or_equal ? k : k + 1, ~0ULL, 0);
}

/* The part of a value is 0: if that is its upper part, the value is small. */
static void learn_small(const struct bo_expr *e)
{
	UInt x = e->operand[0];

	if (e->kind == BO_EXPR_EXTRACT && e->own + e->width == bo_expr_width(x))
		learn_unsigned(x, bo_width_mask((UInt)e->own), True, True);
}

static void learn_signed(UInt x, Long k, Bool is_below, Bool or_equal)
{
	struct fact *f = fact_at(x);

	if (is_below && (or_equal || k > -signed_most(64))) {
		Long most = or_equal ? k : k - 1;
		f->signed_most = most < f->signed_most ? most : f->signed_most;
	} else if (!is_below && (or_equal || k < signed_most(64))) {
		Long least = or_equal ? k : k + 1;
		f->signed_least = least > f->signed_least ? least : f->signed_least;
	}
}

static void learn_order(const struct bo_expr *e, Bool holds)
{
	UInt a = e->operand[0], b = e->operand[1], x = bo_expr_is_const(b) ? a : b, k = x == a ? b : a;
	Bool or_equal = (e->kind == BO_EXPR_ULE || e->kind == BO_EXPR_SLE) == holds, is_below = (x == a) == holds;

	if (!bo_expr_is_const(k))
		return;
	if (e->kind == BO_EXPR_ULT || e->kind == BO_EXPR_ULE)
		learn_unsigned(x, bo_expr_value(k), is_below, or_equal);
	else
		learn_signed(x, bo_width_signed(bo_expr_value(k), bo_expr_width(k)), is_below, or_equal);
}

/* If they differ, that says something about a range only if it begins or ends there. */
static void learn_equality(UInt x, ULong k, Bool holds)
{
	Bool ignored;
	struct bo_range r;

	if (holds) {
		learn_unsigned(x, k, True, True);
		learn_unsigned(x, k, False, True);
		if (!k)
			learn_small(bo_expr_at(x));
		return;
	}
	r = bo_range_of(x, &ignored);
	if (wraps(r, bo_expr_width(x)) || !r.span)
		return;
	if (k == r.first)
		learn_unsigned(x, k, False, False);
	else if (k == last(r))
		learn_unsigned(x, k, True, False);
}

void bo_range_learn(UInt condition, Bool holds)
{
	const struct bo_expr *e = bo_expr_at(condition);
	UInt x = e->operand[0], k = e->operand[1];

	switch (e->kind) {
	case BO_EXPR_ULT:
	case BO_EXPR_ULE:
	case BO_EXPR_SLT:
	case BO_EXPR_SLE: learn_order(e, holds); break;
	case BO_EXPR_EQ:
		if (bo_expr_is_const(k))
			learn_equality(x, bo_expr_value(k), holds);
		break;
	case BO_EXPR_EXTRACT: /* the sign */
		if (e->own + 1 == bo_expr_width(x))
			learn_signed(x, 0, holds, !holds);
		break;
	default: break;
	}
}

/* ---- what an expression is ---- */

static struct bo_range range(UInt expr, Bool *uses_path, UInt depth);

static struct bo_range of_sign_extension(struct bo_range r, UInt from, UInt width)
{
	ULong lowest = 1ULL << (from - 1), above_lowest = (r.first - lowest) & bo_width_mask(from);

	if (r.span > bo_width_mask(from) - above_lowest)
		r = (struct bo_range){lowest, bo_width_mask(from)};
	r.first = (ULong)bo_width_signed(r.first, from) & bo_width_mask(width);
	return r;
}

static struct bo_range of_extract(struct bo_range r, UInt from, UInt low, UInt width)
{
	if (low) {
		if (wraps(r, from))
			return full(width);
		r = (struct bo_range){r.first >> low, (last(r) >> low) - (r.first >> low)};
	}
	if (r.span >= bo_width_mask(width))
		return full(width);
	r.first &= bo_width_mask(width);
	return r;
}

static struct bo_range of_sum(struct bo_range a, struct bo_range b, UInt width)
{
	if (a.span > bo_width_mask(width) - b.span)
		return full(width);
	return (struct bo_range){(a.first + b.first) & bo_width_mask(width), a.span + b.span};
}

static struct bo_range of_negation(struct bo_range r, UInt width)
{
	return (struct bo_range){-last(r) & bo_width_mask(width), r.span};
}

static struct bo_range of_product(struct bo_range r, ULong by, UInt width)
{
	if (by && r.span > bo_width_mask(width) / by)
		return full(width);
	return (struct bo_range){r.first * by & bo_width_mask(width), r.span * by};
}

static struct bo_range of_concat(struct bo_range high, struct bo_range low, UInt low_width, UInt width)
{
	struct bo_range r = of_product(high, 1ULL << low_width, width);

	if (wraps(low, low_width))
		low = full(low_width);
	return of_sum(r, low, width);
}

/* The smaller one of the two ranges that have both. */
static struct bo_range of_either(struct bo_range a, struct bo_range b, UInt width)
{
	ULong mask = bo_width_mask(width), to_b = (b.first - a.first) & mask, to_a = (a.first - b.first) & mask;
	ULong from_a = b.span > mask - to_b ? mask : to_b + b.span,
	      from_b = a.span > mask - to_a ? mask : to_a + a.span;

	from_a = from_a > a.span ? from_a : a.span;
	from_b = from_b > b.span ? from_b : b.span;
	if (from_a >= mask && from_b >= mask)
		return full(width);
	return from_a < from_b ? (struct bo_range){a.first, from_a} : (struct bo_range){b.first, from_b};
}

/* A choice that takes the smaller of two values, as a read of what is there does. */
static Bool is_minimum(const struct bo_expr *e)
{
	const struct bo_expr *condition = bo_expr_at(e->operand[0]);

	return (condition->kind == BO_EXPR_ULT || condition->kind == BO_EXPR_ULE) &&
	       condition->operand[0] == e->operand[1] && condition->operand[1] == e->operand[2];
}

static struct bo_range of_choice(const struct bo_expr *e, struct bo_range yes, struct bo_range no)
{
	ULong most;

	if (!is_minimum(e))
		return of_either(yes, no, e->width);
	most = wraps(yes, e->width) || (!wraps(no, e->width) && last(no) < last(yes)) ? last(no) : last(yes);
	return (struct bo_range){0, wraps(yes, e->width) && wraps(no, e->width) ? bo_width_mask(e->width) : most};
}

static ULong ones_up_to(ULong value)
{
	return value ? ~0ULL >> __builtin_clzll(value) : 0;
}

static struct bo_range of_bits(const struct bo_expr *e, struct bo_range a, struct bo_range b)
{
	ULong a_most = wraps(a, e->width) ? bo_width_mask(e->width) : last(a);
	ULong b_most = wraps(b, e->width) ? bo_width_mask(e->width) : last(b);

	if (e->kind == BO_EXPR_AND)
		return (struct bo_range){0, a_most < b_most ? a_most : b_most};
	return (struct bo_range){0, ones_up_to(a_most | b_most)};
}

static struct bo_range of_division(const struct bo_expr *e, struct bo_range a, ULong by)
{
	if (!by || wraps(a, e->width))
		return full(e->width);
	if (e->kind == BO_EXPR_UREM)
		return (struct bo_range){0, by - 1 < last(a) ? by - 1 : last(a)};
	return (struct bo_range){a.first / by, last(a) / by - a.first / by};
}

/* The lowest 1 is at most where the highest one of the largest value is. */
static struct bo_range of_lowest_one(struct bo_range a, UInt width)
{
	if (!a.first || wraps(a, width))
		return (struct bo_range){0, width};
	return (struct bo_range){0, 63 - (UInt)__builtin_clzll(last(a))};
}

static struct bo_range of_unary(const struct bo_expr *e, struct bo_range a)
{
	UInt from = bo_expr_width(e->operand[0]);

	switch (e->kind) {
	case BO_EXPR_ZEXT: return wraps(a, from) ? full(from) : a;
	case BO_EXPR_SEXT: return of_sign_extension(a, from, e->width);
	case BO_EXPR_EXTRACT: return of_extract(a, from, (UInt)e->own, e->width);
	case BO_EXPR_NEG: return of_negation(a, e->width);
	case BO_EXPR_NOT: return (struct bo_range){~last(a) & bo_width_mask(from), a.span};
	case BO_EXPR_CTZ: return of_lowest_one(a, from);
	case BO_EXPR_CLZ:
	case BO_EXPR_POPCOUNT: return (struct bo_range){0, from};
	default: return full(e->width);
	}
}

static struct bo_range of_binary(const struct bo_expr *e, struct bo_range a, struct bo_range b)
{
	Bool by_constant = bo_expr_is_const(e->operand[1]);

	switch (e->kind) {
	case BO_EXPR_ADD: return of_sum(a, b, e->width);
	case BO_EXPR_SUB: return of_sum(a, of_negation(b, e->width), e->width);
	case BO_EXPR_MUL: return by_constant ? of_product(a, b.first, e->width) : full(e->width);
	case BO_EXPR_UDIV:
	case BO_EXPR_UREM: return by_constant ? of_division(e, a, b.first) : full(e->width);
	case BO_EXPR_AND:
	case BO_EXPR_OR:
	case BO_EXPR_XOR: return of_bits(e, a, b);
	case BO_EXPR_LSHR: return wraps(a, e->width) ? full(e->width) : (struct bo_range){0, last(a)};
	case BO_EXPR_CONCAT: return of_concat(a, b, bo_expr_width(e->operand[1]), e->width);
	default: return full(e->width);
	}
}

static struct bo_range range_of_what_it_is(const struct bo_expr *e, Bool *uses_path, UInt depth)
{
	const UInt *operand = e->operand;

	if (e->kind == BO_EXPR_CONST)
		return (struct bo_range){e->own, 0};
	if (!operand[0] || depth == DEPTH_MOST || e->kind == BO_EXPR_TABLE)
		return full(e->width);
	if (operand[2])
		return of_choice(e, range(operand[1], uses_path, depth + 1), range(operand[2], uses_path, depth + 1));
	if (operand[1])
		return of_binary(e, range(operand[0], uses_path, depth + 1), range(operand[1], uses_path, depth + 1));
	return of_unary(e, range(operand[0], uses_path, depth + 1));
}

static struct bo_range range_of_fact(const struct fact *f, UInt width)
{
	ULong span = f->most - f->least, signed_span = (ULong)f->signed_most - (ULong)f->signed_least;

	if (span <= signed_span)
		return (struct bo_range){f->least, span};
	return (struct bo_range){(ULong)f->signed_least & bo_width_mask(width), signed_span};
}

static struct bo_range range(UInt expr, Bool *uses_path, UInt depth)
{
	const struct bo_expr *e = bo_expr_at(expr);
	Bool uses = False;
	struct bo_range r = range_of_what_it_is(e, &uses, depth);
	struct bo_range learned = e->fact ? range_of_fact(&facts[e->fact], e->width) : r;

	if (learned.span < r.span) {
		*uses_path = True;
		return learned;
	}
	*uses_path |= uses;
	return r;
}

/* Values of `a` that are all below those of `b`, or equal to the lowest one. */
static Bool is_below(struct bo_range a, struct bo_range b, UInt width, Bool or_equal)
{
	if (wraps(a, width) || wraps(b, width))
		return False;
	return or_equal ? last(a) <= b.first : last(a) < b.first;
}

Bool bo_range_decides(UInt condition)
{
	const struct bo_expr *e = bo_expr_at(condition);
	Bool uses_path = False, or_equal = e->kind == BO_EXPR_ULE;
	UInt width = bo_expr_width(e->operand[0]);
	struct bo_range a, b;

	if (e->kind != BO_EXPR_ULT && e->kind != BO_EXPR_ULE)
		return False;
	a = range(e->operand[0], &uses_path, 0);
	b = range(e->operand[1], &uses_path, 0);
	return !uses_path && (is_below(a, b, width, or_equal) || is_below(b, a, width, !or_equal));
}

struct bo_range bo_range_of(UInt expr, Bool *uses_path)
{
	*uses_path = False;
	return range(expr, uses_path, 0);
}
