/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_simplify.c - expressions as small as the code that made them meant.
 *
 * Machine code takes values apart and puts them together again: it loads words, shifts and masks, and widens bytes.  So
 * shifts by constants and masks become EXTRACT, CONCAT and ZEXT, and these undo each other.  Vector code compares all
 * lanes, which gives masks (ITE of two constants), and extracts bits of them: whatever is computed from such a mask and
 * constants is such a mask again, and in the end the comparison itself.
 *
 * Each rule gives an expression of the same value for every input. */
#include "bo_expr.h"

static const struct bo_expr *at(UInt expr)
{
	return bo_expr_at(expr);
}

static Bool is_kind(UInt expr, enum bo_expression kind)
{
	return at(expr)->kind == kind;
}

static Bool is_value(UInt expr, ULong value)
{
	return bo_expr_is_const(expr) && at(expr)->own == (value & bo_width_mask(at(expr)->width));
}

static Bool is_zero(UInt expr)
{
	return is_value(expr, 0);
}

static Bool is_ones(UInt expr)
{
	return is_value(expr, ~0ULL);
}

static Bool is_single_bit(ULong value)
{
	return value && !(value & (value - 1));
}

static UInt not_of(UInt expr)
{
	return bo_expr_1(BO_EXPR_NOT, expr);
}

static UInt bit(UInt value)
{
	return bo_expr_const(1, value);
}

/* ---- masks: ITE of two constants ---- */

static Bool is_mask(UInt expr)
{
	return is_kind(expr, BO_EXPR_ITE) && bo_expr_is_const(at(expr)->operand[1]) &&
	       bo_expr_is_const(at(expr)->operand[2]);
}

/* What the operand is if the condition holds (side 1), or does not (2). */
static UInt side_of(UInt expr, UInt side)
{
	return expr && is_mask(expr) ? at(expr)->operand[side] : expr;
}

/* The operation moves into both sides, where all operands are constants. */
static UInt push_into_mask(const struct bo_expr *e)
{
	UInt condition = 0, sides[3];

	if (e->kind == BO_EXPR_ITE)
		return 0;
	for (UInt i = 0; i < 3; i++) {
		UInt x = e->operand[i];
		if (!x || bo_expr_is_const(x))
			continue;
		if (!is_mask(x) || (condition && condition != at(x)->operand[0]))
			return 0;
		condition = at(x)->operand[0];
	}
	for (UInt side = 1; side < 3; side++)
		sides[side] = bo_expr_make((enum bo_expression)e->kind, e->width, e->own, side_of(e->operand[0], side),
					   side_of(e->operand[1], side), side_of(e->operand[2], side));
	return bo_expr_ite(condition, sides[1], sides[2]);
}

static UInt simplify_ite(const struct bo_expr *e)
{
	UInt condition = e->operand[0], yes = e->operand[1], no = e->operand[2];

	if (bo_expr_is_const(condition))
		return at(condition)->own ? yes : no;
	if (yes == no)
		return yes;
	if (is_kind(condition, BO_EXPR_NOT))
		return bo_expr_ite(at(condition)->operand[0], no, yes);
	if (e->width == 1 && is_value(yes, 1) && is_zero(no))
		return condition;
	if (e->width == 1 && is_zero(yes) && is_value(no, 1))
		return not_of(condition);
	if (is_kind(yes, BO_EXPR_ITE) && at(yes)->operand[0] == condition)
		return bo_expr_ite(condition, at(yes)->operand[1], no);
	if (is_kind(no, BO_EXPR_ITE) && at(no)->operand[0] == condition)
		return bo_expr_ite(condition, yes, at(no)->operand[2]);
	return 0;
}

/* ---- parts and wholes ---- */

static UInt extract_of_concat(const struct bo_expr *x, UInt low, UInt width)
{
	UInt high_part = x->operand[0], low_part = x->operand[1], border = at(low_part)->width;

	if (low >= border)
		return bo_expr_extract(high_part, low - border, width);
	if (low + width <= border)
		return bo_expr_extract(low_part, low, width);
	return bo_expr_concat(bo_expr_extract(high_part, 0, low + width - border),
			      bo_expr_extract(low_part, low, border - low));
}

static UInt extract_of_extension(const struct bo_expr *x, UInt low, UInt width)
{
	UInt inner = x->operand[0], border = at(inner)->width;

	if (low + width <= border)
		return bo_expr_extract(inner, low, width);
	if (low < border)
		return bo_expr_make((enum bo_expression)x->kind, width, 0, bo_expr_extract(inner, low, border - low), 0,
				    0);
	if (x->kind == BO_EXPR_ZEXT)
		return bo_expr_const(width, 0);
	return bo_expr_sext(bo_expr_extract(inner, border - 1, 1), width);
}

/* Is a part of this smaller than a part of just any expression? */
static Bool has_parts(UInt expr)
{
	if (is_kind(expr, BO_EXPR_NOT))
		expr = at(expr)->operand[0];
	switch (at(expr)->kind) {
	case BO_EXPR_CONST:
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT:
	case BO_EXPR_CONCAT:
	case BO_EXPR_EXTRACT: return True;
	default: return False;
	}
}

/* The lowest bits of a sum, difference or product need only the lowest bits of its operands. */
static UInt lowest_of_arithmetic(const struct bo_expr *x, UInt width)
{
	if (!has_parts(x->operand[0]) || !has_parts(x->operand[1]))
		return 0;
	return bo_expr_2((enum bo_expression)x->kind, bo_expr_extract(x->operand[0], 0, width),
			 bo_expr_extract(x->operand[1], 0, width));
}

static UInt simplify_extract(const struct bo_expr *e)
{
	const struct bo_expr *x = at(e->operand[0]);
	UInt low = (UInt)e->own, width = e->width;

	if (width == x->width)
		return e->operand[0];
	switch (x->kind) {
	case BO_EXPR_EXTRACT: return bo_expr_extract(x->operand[0], low + (UInt)x->own, width);
	case BO_EXPR_CONCAT: return extract_of_concat(x, low, width);
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT: return extract_of_extension(x, low, width);
	case BO_EXPR_NOT: return not_of(bo_expr_extract(x->operand[0], low, width));
	case BO_EXPR_AND:
	case BO_EXPR_OR:
	case BO_EXPR_XOR:
		if (!bo_expr_is_const(x->operand[1]) && (!has_parts(x->operand[0]) || !has_parts(x->operand[1])))
			return 0;
		return bo_expr_2((enum bo_expression)x->kind, bo_expr_extract(x->operand[0], low, width),
				 bo_expr_extract(x->operand[1], low, width));
	case BO_EXPR_ADD:
	case BO_EXPR_SUB:
	case BO_EXPR_MUL: return low ? 0 : lowest_of_arithmetic(x, width);
	default: return 0;
	}
}

static UInt simplify_extension(const struct bo_expr *e)
{
	UInt inner = e->operand[0];
	const struct bo_expr *x = at(inner);

	if (x->width == e->width)
		return inner;
	if (x->kind == BO_EXPR_ZEXT)
		return bo_expr_zext(x->operand[0], e->width);
	if (x->kind == BO_EXPR_SEXT && e->kind == BO_EXPR_SEXT)
		return bo_expr_sext(x->operand[0], e->width);
	return 0;
}

/* Two neighbors in the same expression are one part of it. */
static UInt join_neighbors(UInt high, UInt low)
{
	const struct bo_expr *h = at(high), *l = at(low);

	if (h->kind == BO_EXPR_CONST && l->kind == BO_EXPR_CONST)
		return bo_expr_concat(high, low);
	if (h->kind != BO_EXPR_EXTRACT || l->kind != BO_EXPR_EXTRACT || h->operand[0] != l->operand[0] ||
	    h->own != l->own + l->width)
		return 0;
	return bo_expr_extract(h->operand[0], (UInt)l->own, (UInt)h->width + l->width);
}

static UInt simplify_concat(const struct bo_expr *e)
{
	UInt high = e->operand[0], low = e->operand[1], joined = join_neighbors(high, low);

	if (joined)
		return joined;
	if (is_zero(high))
		return bo_expr_zext(low, e->width);
	if (is_kind(high, BO_EXPR_ZEXT))
		return bo_expr_zext(bo_expr_concat(at(high)->operand[0], low), e->width);
	if (is_kind(high, BO_EXPR_CONCAT) && (joined = join_neighbors(at(high)->operand[1], low)))
		return bo_expr_concat(at(high)->operand[0], joined);
	if (is_kind(low, BO_EXPR_CONCAT) && (joined = join_neighbors(high, at(low)->operand[0])))
		return bo_expr_concat(joined, at(low)->operand[1]);
	return 0;
}

/* ---- shifts by constants ---- */

static UInt simplify_shift(const struct bo_expr *e)
{
	UInt x = e->operand[0], width = e->width;
	ULong by = at(e->operand[1])->own;

	if (!bo_expr_is_const(e->operand[1]))
		return 0;
	if (!by)
		return x;
	if (e->kind == BO_EXPR_ASHR)
		return bo_expr_sext(bo_expr_extract(x, by < width ? (UInt)by : width - 1,
						    by < width ? width - (UInt)by : 1),
				    width);
	if (by >= width)
		return bo_expr_const(width, 0);
	if (e->kind == BO_EXPR_LSHR)
		return bo_expr_zext(bo_expr_extract(x, (UInt)by, width - (UInt)by), width);
	return bo_expr_concat(bo_expr_extract(x, 0, width - (UInt)by), bo_expr_const((UInt)by, 0));
}

/* ---- bits ---- */

/* Constants are on the right, and other operands have one order. */
static void sort_operands(struct bo_expr *e)
{
	UInt a = e->operand[0], b = e->operand[1];

	if (bo_expr_is_const(b) || (!bo_expr_is_const(a) && a <= b))
		return;
	e->operand[0] = b;
	e->operand[1] = a;
}

/* (x op k1) op k2, for operations that are associative. */
static UInt join_constants(const struct bo_expr *e)
{
	const struct bo_expr *x = at(e->operand[0]);

	if (x->kind != e->kind || !bo_expr_is_const(x->operand[1]) || !bo_expr_is_const(e->operand[1]))
		return 0;
	return bo_expr_2((enum bo_expression)e->kind, x->operand[0],
			 bo_expr_2((enum bo_expression)e->kind, x->operand[1], e->operand[1]));
}

/* An operation on bits with a constant, on each part of a CONCAT; on a ZEXT, if the upper bits stay 0. */
static UInt push_into_parts(const struct bo_expr *e)
{
	const struct bo_expr *x = at(e->operand[0]);
	enum bo_expression kind = (enum bo_expression)e->kind;
	UInt k = e->operand[1], inner = x->operand[0];

	if (!bo_expr_is_const(k))
		return 0;
	if (x->kind == BO_EXPR_ZEXT && (kind == BO_EXPR_AND || !(at(k)->own & ~bo_width_mask(at(inner)->width))))
		return bo_expr_zext(bo_expr_2(kind, inner, bo_expr_extract(k, 0, at(inner)->width)), e->width);
	if (x->kind == BO_EXPR_CONCAT) {
		UInt low = x->operand[1], border = at(low)->width;
		return bo_expr_concat(bo_expr_2(kind, inner, bo_expr_extract(k, border, e->width - border)),
				      bo_expr_2(kind, low, bo_expr_extract(k, 0, border)));
	}
	return 0;
}

static Bool is_equal_to_constant(UInt expr)
{
	return is_kind(expr, BO_EXPR_EQ) && bo_expr_is_const(at(expr)->operand[1]);
}

/* x == k1 and not x == k2: string functions ask for a character, and for the end. */
static UInt join_comparisons(UInt a, UInt b)
{
	UInt same = is_kind(a, BO_EXPR_NOT) ? b : a, other = same == a ? b : a;

	if (!is_kind(other, BO_EXPR_NOT) || !is_equal_to_constant(same))
		return 0;
	other = at(other)->operand[0];
	if (!is_equal_to_constant(other) || at(same)->operand[0] != at(other)->operand[0])
		return 0;
	return same == other ? bit(0) : same;
}

/* A mask of the lowest bits cuts off the others. */
static UInt simplify_and(const struct bo_expr *e)
{
	UInt x = e->operand[0], k = e->operand[1], pushed;
	ULong mask = at(k)->own;

	if (x == k || is_ones(k))
		return x;
	if (!bo_expr_is_const(k))
		return e->width == 1 ? join_comparisons(x, k) : 0;
	if (!mask)
		return k;
	if ((pushed = join_constants(e)) || (pushed = push_into_parts(e)))
		return pushed;
	if (!is_single_bit(mask + 1))
		return 0;
	return bo_expr_zext(bo_expr_extract(x, 0, (UInt)__builtin_ctzll(mask + 1)), e->width);
}

/* How many of the lowest bits are certainly 0. */
static UInt zeros_below(UInt expr)
{
	const struct bo_expr *x = at(expr);

	if (x->kind == BO_EXPR_ZEXT)
		x = at(x->operand[0]);
	return x->kind == BO_EXPR_CONCAT && is_zero(x->operand[1]) ? at(x->operand[1])->width : 0;
}

/* How many bits may be 1, the highest ones being 0. */
static UInt bits_used(UInt expr)
{
	return is_kind(expr, BO_EXPR_ZEXT) ? at(at(expr)->operand[0])->width : at(expr)->width;
}

/* x << n | y, where y is below: how code puts bytes together. */
static UInt put_together(UInt high, UInt low)
{
	UInt width = at(high)->width, border = zeros_below(high);

	if (!border || bits_used(low) > border)
		return 0;
	return bo_expr_concat(bo_expr_extract(high, border, width - border), bo_expr_extract(low, 0, border));
}

static UInt simplify_or(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1], whole;

	if (x == y || is_zero(y))
		return x;
	if (is_ones(y))
		return y;
	if ((whole = put_together(x, y)) || (whole = put_together(y, x)))
		return whole;
	if ((whole = join_constants(e)))
		return whole;
	return push_into_parts(e);
}

static UInt simplify_xor(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1], joined;

	if (x == y)
		return bo_expr_const(e->width, 0);
	if (is_zero(y))
		return x;
	if (is_ones(y))
		return not_of(x);
	if ((joined = join_constants(e)))
		return joined;
	return push_into_parts(e);
}

/* A negated comparison is the opposite one. */
static UInt simplify_not(const struct bo_expr *e)
{
	const struct bo_expr *x = at(e->operand[0]);

	switch (x->kind) {
	case BO_EXPR_NOT: return x->operand[0];
	case BO_EXPR_ULT: return bo_expr_2(BO_EXPR_ULE, x->operand[1], x->operand[0]);
	case BO_EXPR_ULE: return bo_expr_2(BO_EXPR_ULT, x->operand[1], x->operand[0]);
	case BO_EXPR_SLT: return bo_expr_2(BO_EXPR_SLE, x->operand[1], x->operand[0]);
	case BO_EXPR_SLE: return bo_expr_2(BO_EXPR_SLT, x->operand[1], x->operand[0]);
	default: return 0;
	}
}

/* ---- arithmetic ---- */

static UInt simplify_add(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1], whole;

	if (is_zero(y))
		return x;
	if (is_kind(y, BO_EXPR_NEG))
		return bo_expr_2(BO_EXPR_SUB, x, at(y)->operand[0]);
	if ((whole = put_together(x, y)) || (whole = put_together(y, x)))
		return whole;
	return join_constants(e);
}

static UInt simplify_sub(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1];

	if (x == y)
		return bo_expr_const(e->width, 0);
	if (bo_expr_is_const(y))
		return bo_expr_2(BO_EXPR_ADD, x, bo_expr_const(e->width, -at(y)->own));
	return is_zero(x) ? bo_expr_1(BO_EXPR_NEG, y) : 0;
}

static UInt simplify_mul(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1];

	if (!bo_expr_is_const(y))
		return 0;
	if (!at(y)->own)
		return y;
	if (is_single_bit(at(y)->own))
		return bo_expr_2(BO_EXPR_SHL, x, bo_expr_const(e->width, (ULong)__builtin_ctzll(at(y)->own)));
	return join_constants(e);
}

static UInt simplify_division(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1];
	ULong by = at(y)->own;

	if (!bo_expr_is_const(y) || !is_single_bit(by))
		return 0;
	if (e->kind == BO_EXPR_UREM)
		return bo_expr_2(BO_EXPR_AND, x, bo_expr_const(e->width, by - 1));
	return bo_expr_2(BO_EXPR_LSHR, x, bo_expr_const(e->width, (ULong)__builtin_ctzll(by)));
}

/* ---- comparisons ---- */

/* Does the constant have the value that an extension of this kind gives to its lowest bits? */
static Bool is_extended(enum bo_expression kind, UInt k, UInt width)
{
	ULong part = at(k)->own & bo_width_mask(width);
	ULong extended = kind == BO_EXPR_ZEXT ? part : (ULong)bo_width_signed(part, width);

	return at(k)->own == (extended & bo_width_mask(at(k)->width));
}

static UInt equal_extension(const struct bo_expr *x, UInt k)
{
	UInt inner = x->operand[0], width = at(inner)->width;

	if (!is_extended((enum bo_expression)x->kind, k, width))
		return bit(0);
	return bo_expr_2(BO_EXPR_EQ, inner, bo_expr_extract(k, 0, width));
}

/* If one part of the CONCAT is known, the other one decides. */
static UInt equal_concat(const struct bo_expr *x, UInt k)
{
	UInt high = x->operand[0], low = x->operand[1], border = at(low)->width;
	UInt k_high = bo_expr_extract(k, border, at(high)->width), k_low = bo_expr_extract(k, 0, border);

	if (bo_expr_is_const(low))
		return low == k_low ? bo_expr_2(BO_EXPR_EQ, high, k_high) : bit(0);
	if (bo_expr_is_const(high))
		return high == k_high ? bo_expr_2(BO_EXPR_EQ, low, k_low) : bit(0);
	return 0;
}

/* x & (1 << n) == 0, or == 1 << n */
static UInt equal_single_bit(const struct bo_expr *x, UInt k)
{
	ULong mask = at(x->operand[1])->own, wanted = at(k)->own;
	UInt one;

	if (!bo_expr_is_const(x->operand[1]) || !is_single_bit(mask))
		return 0;
	one = bo_expr_extract(x->operand[0], (UInt)__builtin_ctzll(mask), 1);
	return !wanted ? not_of(one) : wanted == mask ? one : bit(0);
}

static UInt equal_constant(UInt expr, UInt k)
{
	const struct bo_expr *x = at(expr);
	UInt a = x->operand[0], b = x->operand[1];

	if (x->width == 1)
		return at(k)->own ? expr : not_of(expr);
	switch (x->kind) {
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT: return equal_extension(x, k);
	case BO_EXPR_CONCAT: return equal_concat(x, k);
	case BO_EXPR_AND: return equal_single_bit(x, k);
	case BO_EXPR_NOT: return bo_expr_2(BO_EXPR_EQ, a, not_of(k));
	case BO_EXPR_NEG: return bo_expr_2(BO_EXPR_EQ, a, bo_expr_1(BO_EXPR_NEG, k));
	case BO_EXPR_ADD: return bo_expr_is_const(b) ? bo_expr_2(BO_EXPR_EQ, a, bo_expr_2(BO_EXPR_SUB, k, b)) : 0;
	case BO_EXPR_SUB: return is_zero(k) ? bo_expr_2(BO_EXPR_EQ, a, b) : 0;
	case BO_EXPR_XOR:
		if (is_zero(k))
			return bo_expr_2(BO_EXPR_EQ, a, b);
		return bo_expr_is_const(b) ? bo_expr_2(BO_EXPR_EQ, a, bo_expr_2(BO_EXPR_XOR, k, b)) : 0;
	default: return 0;
	}
}

/* Two expressions that were widened from the same width, the same way. */
static Bool are_extended(UInt x, UInt y, enum bo_expression kind)
{
	return is_kind(x, kind) && is_kind(y, kind) && at(at(x)->operand[0])->width == at(at(y)->operand[0])->width;
}

/* What is left of an expression if a constant that is added to it is not: the same for x and x + k. */
static UInt without_constant(UInt expr)
{
	return is_kind(expr, BO_EXPR_ADD) && bo_expr_is_const(at(expr)->operand[1]) ? at(expr)->operand[0] : expr;
}

static UInt simplify_eq(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1];

	if (x == y)
		return bit(1);
	if (bo_expr_is_const(y))
		return equal_constant(x, y);
	if (without_constant(x) == without_constant(y))
		return bit(0); /* their constants differ, or they would be the same */
	if (are_extended(x, y, BO_EXPR_ZEXT) || are_extended(x, y, BO_EXPR_SEXT))
		return bo_expr_2(BO_EXPR_EQ, at(x)->operand[0], at(y)->operand[0]);
	return 0;
}

/* x < k, x <= k, k < x, k <= x where x has upper bits that are 0. */
static UInt compare_narrow(const struct bo_expr *e)
{
	UInt a = e->operand[0], b = e->operand[1], wide = bo_expr_is_const(b) ? a : b, k = wide == a ? b : a;
	UInt narrow, width;

	if (!is_kind(wide, BO_EXPR_ZEXT) || !bo_expr_is_const(k))
		return 0;
	narrow = at(wide)->operand[0];
	width = at(narrow)->width;
	if (at(k)->own > bo_width_mask(width))
		return bit(wide == a);
	k = bo_expr_extract(k, 0, width);
	return bo_expr_2((enum bo_expression)e->kind, wide == a ? narrow : k, wide == a ? k : narrow);
}

static UInt simplify_unsigned(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1];

	if (x == y)
		return bit(e->kind == BO_EXPR_ULE);
	if (e->kind == BO_EXPR_ULT) {
		if (is_zero(y) || is_ones(x))
			return bit(0);
		if (is_value(y, 1)) /* below 1 */
			return bo_expr_2(BO_EXPR_EQ, x, bo_expr_const(at(x)->width, 0));
		if (is_zero(x))
			return not_of(bo_expr_2(BO_EXPR_EQ, y, x));
	} else {
		if (is_zero(x) || is_ones(y))
			return bit(1);
		if (is_zero(y))
			return bo_expr_2(BO_EXPR_EQ, x, y);
	}
	if (are_extended(x, y, BO_EXPR_ZEXT))
		return bo_expr_2((enum bo_expression)e->kind, at(x)->operand[0], at(y)->operand[0]);
	return compare_narrow(e);
}

static Bool is_never_negative(UInt expr)
{
	const struct bo_expr *x = at(expr);

	return x->kind == BO_EXPR_ZEXT || (x->kind == BO_EXPR_CONST && !(x->own >> (x->width - 1)));
}

static UInt simplify_signed(const struct bo_expr *e)
{
	UInt x = e->operand[0], y = e->operand[1];
	enum bo_expression same = e->kind == BO_EXPR_SLT ? BO_EXPR_ULT : BO_EXPR_ULE;

	if (x == y)
		return bit(e->kind == BO_EXPR_SLE);
	if (is_never_negative(x) && is_never_negative(y))
		return bo_expr_2(same, x, y);
	if (is_never_negative(x) && bo_expr_is_const(y))
		return bit(0);
	if (is_never_negative(y) && bo_expr_is_const(x))
		return bit(1);
	if (e->kind == BO_EXPR_SLT && is_zero(y)) /* its sign */
		return bo_expr_extract(x, (UInt)at(x)->width - 1, 1);
	if (e->kind == BO_EXPR_SLE && is_zero(x))
		return not_of(bo_expr_extract(y, (UInt)at(y)->width - 1, 1));
	return 0;
}

UInt bo_expr_simplify(struct bo_expr *e)
{
	UInt pushed = push_into_mask(e);

	if (pushed)
		return pushed;
	switch (e->kind) {
	case BO_EXPR_ADD:
	case BO_EXPR_MUL:
	case BO_EXPR_AND:
	case BO_EXPR_OR:
	case BO_EXPR_XOR:
	case BO_EXPR_EQ: sort_operands(e); break;
	default: break;
	}
	switch (e->kind) {
	case BO_EXPR_NOT: return simplify_not(e);
	case BO_EXPR_NEG: return is_kind(e->operand[0], BO_EXPR_NEG) ? at(e->operand[0])->operand[0] : 0;
	case BO_EXPR_EXTRACT: return simplify_extract(e);
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT: return simplify_extension(e);
	case BO_EXPR_ADD: return simplify_add(e);
	case BO_EXPR_SUB: return simplify_sub(e);
	case BO_EXPR_MUL: return simplify_mul(e);
	case BO_EXPR_UDIV:
	case BO_EXPR_UREM: return simplify_division(e);
	case BO_EXPR_AND: return simplify_and(e);
	case BO_EXPR_OR: return simplify_or(e);
	case BO_EXPR_XOR: return simplify_xor(e);
	case BO_EXPR_SHL:
	case BO_EXPR_LSHR:
	case BO_EXPR_ASHR: return simplify_shift(e);
	case BO_EXPR_CONCAT: return simplify_concat(e);
	case BO_EXPR_EQ: return simplify_eq(e);
	case BO_EXPR_ULT:
	case BO_EXPR_ULE: return simplify_unsigned(e);
	case BO_EXPR_SLT:
	case BO_EXPR_SLE: return simplify_signed(e);
	case BO_EXPR_ITE: return simplify_ite(e);
	default: return 0;
	}
}
