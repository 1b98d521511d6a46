/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_ops.c - the expressions of results of VEX's operations.
 *
 * The table at the end has a row for each operation that is known: all that VEX makes of integer and vector instructions
 * of amd64.  Floating point is not known.
 *
 * Expressions have the meaning that VEX's code has on an amd64 machine, also where VEX leaves it open: its front end often
 * computes a result that it does not use, such as a shift by the width. */
#include "bo_expr_ops.h"

/* ---- one number ---- */

static Bool form_unary(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	for (UInt lane = 0; lane < result->count; lane++)
		result->label[lane] = bo_expr_1((enum bo_expression)row->which,
						args[0].label[lane] ? bo_value_lane(&args[0], lane) : 0);
	return True;
}

static Bool form_number(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	result->label[0] =
		bo_expr_2((enum bo_expression)row->which, bo_value_lane(&args[0], 0), bo_value_lane(&args[1], 0));
	return True;
}

/* How many of the lowest bits may be 1. */
static UInt bits_of(const struct bo_value *v)
{
	if (v->label[0])
		return bo_expr_width(v->label[0]);
	return v->value[0] ? 64 - (UInt)__builtin_clzll(v->value[0]) : 1;
}

static UInt lowest_bits(const struct bo_value *v, UInt width)
{
	if (!v->label[0])
		return bo_expr_const(width, v->value[0]);
	return bo_label_widen(bo_label_part(v->label[0], 0, width), width);
}

/* Operations that mean the same at any width that both operands fit into; for AND it is enough that one does. */
static Bool form_bits(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt a = bits_of(&args[0]), b = bits_of(&args[1]);
	UInt width = (a < b) == (row->which == BO_EXPR_AND) ? a : b;

	result->label[0] =
		bo_expr_2((enum bo_expression)row->which, lowest_bits(&args[0], width), lowest_bits(&args[1], width));
	return True;
}

static Bool form_unequal(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	form_bits(row, args, n, result);
	result->label[0] = bo_expr_not(result->label[0]);
	return True;
}

/* Also into a vector, whose upper lanes are 0. */
static Bool form_widen(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	for (UInt lane = 1; lane < result->count; lane++)
		result->label[lane] = 0;
	result->label[0] = args[0].label[0];
	return True;
}

/* What is narrower than it could be has no sign. */
static Bool form_extend(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt label = args[0].label[0];

	result->label[0] = bo_expr_width(label) < args[0].width ? label : bo_expr_sext(label, result->width);
	return True;
}

/* A part of the lowest lane, from bit `which` on. */
static Bool form_extract(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	result->label[0] = bo_label_part(args[0].label[0], row->which, result->width);
	return True;
}

static Bool form_concat(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	result->label[0] = bo_expr_concat(bo_value_lane(&args[0], 0), bo_value_lane(&args[1], 0));
	return True;
}

/* The machine looks at the lowest 5 bits of an 8-bit number of bits, or 6 if it shifts 64 bits. */
static Bool form_shift(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt by = bo_expr_2(BO_EXPR_AND, bo_value_lane(&args[1], 0), bo_expr_const(8, row->bits == 64 ? 63 : 31));

	result->label[0] =
		bo_expr_2((enum bo_expression)row->which, bo_value_lane(&args[0], 0), bo_expr_zext(by, row->bits));
	return True;
}

/* ---- products and quotients ---- */

/* `which` extends the operands.  A product of 128 bits has two lanes. */
static Bool form_multiply_long(const struct bo_operation *row, const struct bo_value *args, UInt n,
			       struct bo_value *result)
{
	UInt a = bo_value_lane(&args[0], 0), b = bo_value_lane(&args[1], 0);
	enum bo_expression extend = (enum bo_expression)row->which;

	if (result->count == 1) {
		result->label[0] = bo_expr_2(BO_EXPR_MUL, bo_expr_make(extend, result->width, 0, a, 0, 0),
					     bo_expr_make(extend, result->width, 0, b, 0, 0));
	} else {
		result->label[0] = bo_expr_2(BO_EXPR_MUL, a, b);
		result->label[1] = bo_expr_2(extend == BO_EXPR_ZEXT ? BO_EXPR_MULHU : BO_EXPR_MULHS, a, b);
	}
	return True;
}

/* Is `high` what code puts above `low` to make it twice as wide? */
static Bool is_extension(enum bo_expression extend, UInt high, UInt low)
{
	UInt width = bo_expr_width(low);

	if (extend == BO_EXPR_ZEXT)
		return bo_expr_is_const(high) && !bo_expr_value(high);
	return high == bo_expr_2(BO_EXPR_ASHR, low, bo_expr_const(width, width - 1));
}

/* Quotient and rest, the rest on top.  The dividend is twice as wide as the divisor, but code that divides numbers of one
 * width extends it: then the narrow division has the same result. */
static Bool form_divide(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt low, high, by = bo_value_lane(&args[1], 0), quotient, rest, bits = row->bits, dividend;
	enum bo_expression extend = (enum bo_expression)row->which;
	enum bo_expression divide = extend == BO_EXPR_ZEXT ? BO_EXPR_UDIV : BO_EXPR_SDIV;
	enum bo_expression rest_of = extend == BO_EXPR_ZEXT ? BO_EXPR_UREM : BO_EXPR_SREM;

	dividend = low = bo_value_lane(&args[0], 0);
	if (args[0].count == 2) {
		high = bo_value_lane(&args[0], 1);
	} else {
		low = bo_expr_extract(dividend, 0, bits);
		high = bo_expr_extract(dividend, bits, bits);
	}
	if (is_extension(extend, high, low)) {
		quotient = bo_expr_2(divide, low, by);
		rest = bo_expr_2(rest_of, low, by);
	} else if (args[0].count == 1) {
		by = bo_expr_make(extend, 2 * bits, 0, by, 0, 0);
		quotient = bo_expr_extract(bo_expr_2(divide, dividend, by), 0, bits);
		rest = bo_expr_extract(bo_expr_2(rest_of, dividend, by), 0, bits);
	} else {
		return False;
	}
	result->label[0] = result->count == 2 ? quotient : bo_expr_concat(rest, quotient);
	result->label[1] = rest;
	return True;
}

/* ---- the table ---- */

#define ROW(op, form, element, bits, which) [Iop_##op - Iop_INVALID] = {form, element, bits, which}

/* Operations that exist for 8, 16, 32 and 64 bits. */
#define SIZES(op, form, element, which)                                             \
	ROW(op##8, form, element, 8, which), ROW(op##16, form, element, 16, which), \
		ROW(op##32, form, element, 32, which), ROW(op##64, form, element, 64, which)

/* Elements of vectors of 64, 128 and 256 bits. */
#define BYTES(op, suffix, element, which)                                     \
	ROW(op##8##suffix##x8, bo_form_elements, element, 8, which),          \
		ROW(op##8##suffix##x16, bo_form_elements, element, 8, which), \
		ROW(op##8##suffix##x32, bo_form_elements, element, 8, which)
#define WORDS(op, suffix, element, which)                                      \
	ROW(op##16##suffix##x4, bo_form_elements, element, 16, which),         \
		ROW(op##16##suffix##x8, bo_form_elements, element, 16, which), \
		ROW(op##16##suffix##x16, bo_form_elements, element, 16, which)
#define DOUBLES(op, suffix, element, which) \
	ROW(op##32##suffix##x2, bo_form_elements, element, 32, which), DOUBLES_WIDE(op, suffix, element, which)
#define BYTES_WIDE(op, suffix, element, which)                        \
	ROW(op##8##suffix##x16, bo_form_elements, element, 8, which), \
		ROW(op##8##suffix##x32, bo_form_elements, element, 8, which)
#define WORDS_WIDE(op, suffix, element, which)                         \
	ROW(op##16##suffix##x8, bo_form_elements, element, 16, which), \
		ROW(op##16##suffix##x16, bo_form_elements, element, 16, which)
#define DOUBLES_WIDE(op, suffix, element, which)                       \
	ROW(op##32##suffix##x4, bo_form_elements, element, 32, which), \
		ROW(op##32##suffix##x8, bo_form_elements, element, 32, which)
#define QUADS(op, suffix, element, which)                              \
	ROW(op##64##suffix##x2, bo_form_elements, element, 64, which), \
		ROW(op##64##suffix##x4, bo_form_elements, element, 64, which)

#define NUMBER(op, kind) ROW(op, form_number, NULL, 0, BO_EXPR_##kind)
#define NUMBERS(op, kind) SIZES(op, form_number, NULL, BO_EXPR_##kind)
#define BITS(op, kind) ROW(op, form_bits, NULL, 0, BO_EXPR_##kind)
#define UNEQUAL(op) ROW(op, form_unequal, NULL, 0, BO_EXPR_EQ)
#define WIDEN(op) ROW(op, form_widen, NULL, 0, 0)
#define EXTEND(op) ROW(op, form_extend, NULL, 0, 0)
#define EXTRACT(op, low) ROW(op, form_extract, NULL, 0, low)
#define LANES(op, first) ROW(op, bo_form_lanes, NULL, 0, first)
#define SHIFT_ALL(op, bits, kind) ROW(op, bo_form_shift_all, NULL, bits, BO_EXPR_##kind)

static const struct bo_operation operations[Iop_LAST - Iop_INVALID] = {
	NUMBERS(Add, ADD),
	NUMBERS(Sub, SUB),
	NUMBER(Mul16, MUL),
	NUMBER(Mul32, MUL),
	NUMBER(Mul64, MUL),
	SIZES(And, form_bits, NULL, BO_EXPR_AND),
	SIZES(Or, form_bits, NULL, BO_EXPR_OR),
	SIZES(Xor, form_bits, NULL, BO_EXPR_XOR),
	SIZES(Not, form_unary, NULL, BO_EXPR_NOT),

	SIZES(Shl, form_shift, NULL, BO_EXPR_SHL),
	SIZES(Shr, form_shift, NULL, BO_EXPR_LSHR),
	ROW(Sar16, form_shift, NULL, 16, BO_EXPR_ASHR),
	ROW(Sar32, form_shift, NULL, 32, BO_EXPR_ASHR),
	ROW(Sar64, form_shift, NULL, 64, BO_EXPR_ASHR),

	SIZES(CmpEQ, form_bits, NULL, BO_EXPR_EQ),
	SIZES(CmpNE, form_unequal, NULL, BO_EXPR_EQ),
	BITS(CasCmpEQ32, EQ),
	BITS(CasCmpEQ64, EQ),
	SIZES(CasCmpNE, form_unequal, NULL, BO_EXPR_EQ),
	UNEQUAL(ExpCmpNE32),
	UNEQUAL(ExpCmpNE64),
	BITS(CmpLT32U, ULT),
	BITS(CmpLE32U, ULE),
	NUMBER(CmpLT32S, SLT),
	NUMBER(CmpLE32S, SLE),
	BITS(CmpLT64U, ULT),
	BITS(CmpLE64U, ULE),
	NUMBER(CmpLT64S, SLT),
	NUMBER(CmpLE64S, SLE),

	ROW(Clz64, form_unary, NULL, 64, BO_EXPR_CLZ),
	ROW(Ctz64, form_unary, NULL, 64, BO_EXPR_CTZ),

	SIZES(MullU, form_multiply_long, NULL, BO_EXPR_ZEXT),
	SIZES(MullS, form_multiply_long, NULL, BO_EXPR_SEXT),
	ROW(DivModU64to32, form_divide, NULL, 32, BO_EXPR_ZEXT),
	ROW(DivModS64to32, form_divide, NULL, 32, BO_EXPR_SEXT),
	ROW(DivModU128to64, form_divide, NULL, 64, BO_EXPR_ZEXT),
	ROW(DivModS128to64, form_divide, NULL, 64, BO_EXPR_SEXT),

	WIDEN(8Uto16),
	WIDEN(8Uto32),
	WIDEN(8Uto64),
	WIDEN(16Uto32),
	WIDEN(16Uto64),
	WIDEN(32Uto64),
	WIDEN(1Uto8),
	WIDEN(1Uto64),
	WIDEN(32UtoV128),
	EXTEND(8Sto16),
	EXTEND(8Sto32),
	EXTEND(8Sto64),
	EXTEND(16Sto32),
	EXTEND(16Sto64),
	EXTEND(32Sto64),

	EXTRACT(64to8, 0),
	EXTRACT(32to8, 0),
	EXTRACT(16to8, 0),
	EXTRACT(16HIto8, 8),
	EXTRACT(64to16, 0),
	EXTRACT(32to16, 0),
	EXTRACT(32HIto16, 16),
	EXTRACT(64to32, 0),
	EXTRACT(64HIto32, 32),
	EXTRACT(64to1, 0),
	ROW(8HLto16, form_concat, NULL, 8, 0),
	ROW(16HLto32, form_concat, NULL, 16, 0),
	ROW(32HLto64, form_concat, NULL, 32, 0),

	LANES(64HLto128, 0),
	LANES(128to64, 0),
	LANES(128HIto64, 1),
	LANES(64HLtoV128, 0),
	LANES(64UtoV128, 0),
	LANES(V128to64, 0),
	LANES(V128HIto64, 1),
	LANES(64x4toV256, 0),
	LANES(V128HLtoV256, 0),
	LANES(V256to64_0, 0),
	LANES(V256to64_1, 1),
	LANES(V256to64_2, 2),
	LANES(V256to64_3, 3),
	LANES(V256toV128_0, 0),
	LANES(V256toV128_1, 2),

	ROW(NotV128, form_unary, NULL, 64, BO_EXPR_NOT),
	ROW(AndV128, bo_form_bitwise, NULL, 64, BO_EXPR_AND),
	ROW(OrV128, bo_form_bitwise, NULL, 64, BO_EXPR_OR),
	ROW(XorV128, bo_form_bitwise, NULL, 64, BO_EXPR_XOR),
	ROW(NotV256, form_unary, NULL, 64, BO_EXPR_NOT),
	ROW(AndV256, bo_form_bitwise, NULL, 64, BO_EXPR_AND),
	ROW(OrV256, bo_form_bitwise, NULL, 64, BO_EXPR_OR),
	ROW(XorV256, bo_form_bitwise, NULL, 64, BO_EXPR_XOR),

	BYTES(Add, , bo_element_plain, BO_EXPR_ADD),
	WORDS(Add, , bo_element_plain, BO_EXPR_ADD),
	DOUBLES(Add, , bo_element_plain, BO_EXPR_ADD),
	QUADS(Add, , bo_element_plain, BO_EXPR_ADD),
	BYTES(Sub, , bo_element_plain, BO_EXPR_SUB),
	WORDS(Sub, , bo_element_plain, BO_EXPR_SUB),
	DOUBLES(Sub, , bo_element_plain, BO_EXPR_SUB),
	QUADS(Sub, , bo_element_plain, BO_EXPR_SUB),
	WORDS(Mul, , bo_element_plain, BO_EXPR_MUL),
	DOUBLES(Mul, , bo_element_plain, BO_EXPR_MUL),
	WORDS(MulHi, U, bo_element_plain, BO_EXPR_MULHU),
	WORDS(MulHi, S, bo_element_plain, BO_EXPR_MULHS),
	BYTES(QAdd, U, bo_element_saturate_unsigned, BO_EXPR_ADD),
	WORDS(QAdd, U, bo_element_saturate_unsigned, BO_EXPR_ADD),
	BYTES(QAdd, S, bo_element_saturate_signed, BO_EXPR_ADD),
	WORDS(QAdd, S, bo_element_saturate_signed, BO_EXPR_ADD),
	BYTES(QSub, U, bo_element_saturate_unsigned, BO_EXPR_SUB),
	WORDS(QSub, U, bo_element_saturate_unsigned, BO_EXPR_SUB),
	BYTES(QSub, S, bo_element_saturate_signed, BO_EXPR_SUB),
	WORDS(QSub, S, bo_element_saturate_signed, BO_EXPR_SUB),
	BYTES(Avg, U, bo_element_average, 0),
	WORDS(Avg, U, bo_element_average, 0),

	BYTES(CmpEQ, , bo_element_mask, BO_EXPR_EQ),
	WORDS(CmpEQ, , bo_element_mask, BO_EXPR_EQ),
	DOUBLES(CmpEQ, , bo_element_mask, BO_EXPR_EQ),
	QUADS(CmpEQ, , bo_element_mask, BO_EXPR_EQ),
	BYTES(CmpGT, S, bo_element_mask_swapped, BO_EXPR_SLT),
	WORDS(CmpGT, S, bo_element_mask_swapped, BO_EXPR_SLT),
	DOUBLES(CmpGT, S, bo_element_mask_swapped, BO_EXPR_SLT),
	QUADS(CmpGT, S, bo_element_mask_swapped, BO_EXPR_SLT),
	BYTES(Min, U, bo_element_min, BO_EXPR_ULT),
	BYTES_WIDE(Min, S, bo_element_min, BO_EXPR_SLT),
	WORDS_WIDE(Min, U, bo_element_min, BO_EXPR_ULT),
	WORDS(Min, S, bo_element_min, BO_EXPR_SLT),
	DOUBLES_WIDE(Min, U, bo_element_min, BO_EXPR_ULT),
	DOUBLES_WIDE(Min, S, bo_element_min, BO_EXPR_SLT),
	BYTES(Max, U, bo_element_max, BO_EXPR_ULT),
	BYTES_WIDE(Max, S, bo_element_max, BO_EXPR_SLT),
	WORDS_WIDE(Max, U, bo_element_max, BO_EXPR_ULT),
	WORDS(Max, S, bo_element_max, BO_EXPR_SLT),
	DOUBLES_WIDE(Max, U, bo_element_max, BO_EXPR_ULT),
	DOUBLES_WIDE(Max, S, bo_element_max, BO_EXPR_SLT),

	SHIFT_ALL(ShlN16x4, 16, SHL),
	SHIFT_ALL(ShlN32x2, 32, SHL),
	SHIFT_ALL(ShrN16x4, 16, LSHR),
	SHIFT_ALL(ShrN32x2, 32, LSHR),
	SHIFT_ALL(SarN8x8, 8, ASHR),
	SHIFT_ALL(SarN16x4, 16, ASHR),
	SHIFT_ALL(SarN32x2, 32, ASHR),
	SHIFT_ALL(ShlN16x8, 16, SHL),
	SHIFT_ALL(ShlN32x4, 32, SHL),
	SHIFT_ALL(ShlN64x2, 64, SHL),
	SHIFT_ALL(ShrN16x8, 16, LSHR),
	SHIFT_ALL(ShrN32x4, 32, LSHR),
	SHIFT_ALL(ShrN64x2, 64, LSHR),
	SHIFT_ALL(SarN8x16, 8, ASHR),
	SHIFT_ALL(SarN16x8, 16, ASHR),
	SHIFT_ALL(SarN32x4, 32, ASHR),
	SHIFT_ALL(SarN64x2, 64, ASHR),
	SHIFT_ALL(ShlN16x16, 16, SHL),
	SHIFT_ALL(ShlN32x8, 32, SHL),
	SHIFT_ALL(ShlN64x4, 64, SHL),
	SHIFT_ALL(ShrN16x16, 16, LSHR),
	SHIFT_ALL(ShrN32x8, 32, LSHR),
	SHIFT_ALL(ShrN64x4, 64, LSHR),
	SHIFT_ALL(SarN16x16, 16, ASHR),
	SHIFT_ALL(SarN32x8, 32, ASHR),

	ROW(InterleaveLO8x8, bo_form_interleave, NULL, 8, 0),
	ROW(InterleaveHI8x8, bo_form_interleave, NULL, 8, 1),
	ROW(InterleaveLO16x4, bo_form_interleave, NULL, 16, 0),
	ROW(InterleaveHI16x4, bo_form_interleave, NULL, 16, 1),
	ROW(InterleaveLO32x2, bo_form_interleave, NULL, 32, 0),
	ROW(InterleaveHI32x2, bo_form_interleave, NULL, 32, 1),
	ROW(InterleaveLO8x16, bo_form_interleave, NULL, 8, 0),
	ROW(InterleaveHI8x16, bo_form_interleave, NULL, 8, 1),
	ROW(InterleaveLO16x8, bo_form_interleave, NULL, 16, 0),
	ROW(InterleaveHI16x8, bo_form_interleave, NULL, 16, 1),
	ROW(InterleaveLO32x4, bo_form_interleave, NULL, 32, 0),
	ROW(InterleaveHI32x4, bo_form_interleave, NULL, 32, 1),
	ROW(InterleaveLO64x2, bo_form_interleave, NULL, 64, 0),
	ROW(InterleaveHI64x2, bo_form_interleave, NULL, 64, 1),
	ROW(CatEvenLanes16x4, bo_form_cat, NULL, 16, 0),
	ROW(CatOddLanes16x4, bo_form_cat, NULL, 16, 1),

	ROW(QNarrowBin16Sto8Sx8, bo_form_narrow, NULL, 16, BO_NARROW_SIGNED),
	ROW(QNarrowBin16Sto8Ux8, bo_form_narrow, NULL, 16, BO_NARROW_UNSIGNED),
	ROW(QNarrowBin32Sto16Sx4, bo_form_narrow, NULL, 32, BO_NARROW_SIGNED),
	ROW(QNarrowBin16Sto8Sx16, bo_form_narrow, NULL, 16, BO_NARROW_SIGNED),
	ROW(QNarrowBin16Sto8Ux16, bo_form_narrow, NULL, 16, BO_NARROW_UNSIGNED),
	ROW(QNarrowBin32Sto16Sx8, bo_form_narrow, NULL, 32, BO_NARROW_SIGNED),
	ROW(QNarrowBin32Sto16Ux8, bo_form_narrow, NULL, 32, BO_NARROW_UNSIGNED),

	ROW(PermOrZero8x8, bo_form_permute, NULL, 8, 1),
	ROW(PermOrZero8x16, bo_form_permute, NULL, 8, 1),
	ROW(Perm32x4, bo_form_permute, NULL, 32, 0),
	ROW(Perm32x8, bo_form_permute, NULL, 32, 0),
	ROW(GetMSBs8x8, bo_form_upper_bits, NULL, 8, 0),
	ROW(GetMSBs8x16, bo_form_upper_bits, NULL, 8, 0),
	ROW(PwExtUSMulQAdd8x16, bo_form_multiply_add_pairs, NULL, 8, 0),
};

Bool bo_expr_knows(IROp op)
{
	return operations[op - Iop_INVALID].form != NULL;
}

enum bo_resize bo_expr_resizes(IROp op)
{
	const struct bo_operation *row = &operations[op - Iop_INVALID];

	if (row->form == form_widen && op != Iop_32UtoV128)
		return BO_RESIZE_WIDEN;
	return row->form == form_extract && !row->which ? BO_RESIZE_CUT : BO_RESIZE_NOT;
}

/* VEX gives no meaning to the zeros of 0.  Its code for a shift of vectors looks at more bits of the number than there
 * are, if the number is computed. */
Bool bo_expr_is_open(IROp op, const struct bo_value *args, Bool is_computed)
{
	const struct bo_operation *row = &operations[op - Iop_INVALID];

	if (row->which == BO_EXPR_CLZ || row->which == BO_EXPR_CTZ)
		return row->form == form_unary && !args[0].value[0];
	return row->form == bo_form_shift_all && is_computed;
}

Bool bo_expr_operation(IROp op, const struct bo_value *args, UInt n, struct bo_value *result)
{
	const struct bo_operation *row = &operations[op - Iop_INVALID];

	return row->form && row->form(row, args, n, result);
}
