/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_shadow_ops.c - labels of the results of VEX's operations.
 *
 * Three kinds of operations are more than "the union of all operands": those that only move bytes, those that work on
 * lanes of at most 8 bytes apart, and those that give a constant.  Everything else takes the union, so an operation that
 * is not listed here costs precision and loses nothing. */
#include "bo.h"

#include "bo_shadow_ir.h"

/* ---- lanes apart ---- */

struct range {
	IROp first, last;
};

static Bool in_ranges(IROp op, const struct range *ranges, UInt count)
{
	for (UInt i = 0; i < count; i++)
		if (op >= ranges[i].first && op <= ranges[i].last)
			return True;
	return False;
}

/* Each lane of the result depends on the same lane of the operands. */
static Bool works_on_lanes(IROp op)
{
	static const struct range ranges[] = {
		{Iop_Add32Fx4, Iop_Min32Fx4},     {Iop_CmpEQ32Fx4, Iop_CmpGE32Fx4}, {Iop_Abs32Fx4, Iop_Sqrt32Fx4},
		{Iop_Add64Fx2, Iop_Sqrt64Fx2},    {Iop_NotV128, Iop_XorV128},       {Iop_CmpNEZ8x16, Iop_CmpNEZ64x2},
		{Iop_Add8x16, Iop_Add64x2},       {Iop_QAdd8Ux16, Iop_QAdd64Sx2},   {Iop_Sub8x16, Iop_Sub64x2},
		{Iop_QSub8Ux16, Iop_QSub64Sx2},   {Iop_Mul8x16, Iop_MullEven32Sx4}, {Iop_Abs8x16, Iop_Cls32x4},
		{Iop_ShlN8x16, Iop_SarN64x2},     {Iop_Shl8x16, Iop_Rol64x2},       {Iop_AndV256, Iop_NotV256},
		{Iop_CmpNEZ8x32, Iop_CmpNEZ64x4}, {Iop_Add8x32, Iop_Avg16Ux16},     {Iop_Add64Fx4, Iop_Div32Fx8},
		{Iop_Sqrt32Fx8, Iop_Min64Fx4},
	};

	return in_ranges(op, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

/* Only the lowest lane is computed; the others are those of the first operand. */
static Bool works_on_lowest(IROp op)
{
	static const struct range ranges[] = {
		{Iop_Add32F0x4, Iop_RSqrtEst32F0x4},
		{Iop_Add64F0x2, Iop_Sqrt64F0x2},
	};

	return in_ranges(op, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

/* An operand of one lane, such as a rounding mode or a number of bits, has its influence on every lane. */
static struct label label_in_lane(const struct lanes *operand, UInt lane)
{
	return operand->at[operand->count == 1 ? 0 : lane];
}

static struct lanes join_lanes(struct block *b, IRType type, const struct lanes *operands, UInt count)
{
	struct lanes result = lanes_none(type);

	for (UInt i = 0; i < result.count; i++)
		for (UInt k = 0; k < count; k++)
			result.at[i] = label_union(b, result.at[i], label_in_lane(&operands[k], i));
	return result;
}

static struct lanes join_lowest(struct block *b, IRType type, const struct lanes *operands, UInt count)
{
	struct lanes result = operands[0];
	struct label low = NO_LABEL;

	for (UInt k = 0; k < count; k++)
		low = label_union(b, low, operands[k].at[0]);
	result.at[0] = low;
	return result;
}

static struct lanes join_all(struct block *b, IRType type, const struct lanes *operands, UInt count)
{
	struct label all = NO_LABEL;

	for (UInt k = 0; k < count; k++)
		all = label_union(b, all, label_of_all(b, &operands[k]));
	return lanes_same(type, all);
}

/* ---- moves ---- */

static struct lanes one(struct label l)
{
	return (struct lanes){1, {l}};
}

static struct lanes two(struct label low, struct label high)
{
	return (struct lanes){2, {low, high}};
}

static Bool unary_move(struct block *b, IROp op, const struct lanes *x, struct lanes *result)
{
	const struct label *at = x->at;

	switch (op) {
	case Iop_8Uto16:
	case Iop_8Uto32:
	case Iop_8Uto64:
	case Iop_16Uto32:
	case Iop_16Uto64:
	case Iop_32Uto64:
	case Iop_1Uto8:
	case Iop_1Uto32:
	case Iop_1Uto64:
	case Iop_Not1:
	case Iop_ReinterpF64asI64:
	case Iop_ReinterpI64asF64:
	case Iop_ReinterpF32asI32:
	case Iop_ReinterpI32asF32:
	case Iop_ReinterpV128asI128:
	case Iop_ReinterpI128asV128: *result = *x; return True;
	case Iop_64to8:
	case Iop_32to8:
	case Iop_16to8: *result = one(label_extract(b, at[0], 0, 1)); return True;
	case Iop_16HIto8: *result = one(label_extract(b, at[0], 1, 1)); return True;
	case Iop_64to16:
	case Iop_32to16: *result = one(label_extract(b, at[0], 0, 2)); return True;
	case Iop_32HIto16: *result = one(label_extract(b, at[0], 2, 2)); return True;
	case Iop_V128to32:
	case Iop_64to32: *result = one(label_extract(b, at[0], 0, 4)); return True;
	case Iop_64HIto32: *result = one(label_extract(b, at[0], 4, 4)); return True;
	case Iop_128to64:
	case Iop_V128to64:
	case Iop_V256to64_0: *result = one(at[0]); return True;
	case Iop_128HIto64:
	case Iop_V128HIto64:
	case Iop_V256to64_1: *result = one(at[1]); return True;
	case Iop_V256to64_2: *result = one(at[2]); return True;
	case Iop_V256to64_3: *result = one(at[3]); return True;
	case Iop_64UtoV128:
	case Iop_32UtoV128:
	case Iop_ZeroHI64ofV128: *result = two(at[0], NO_LABEL); return True;
	case Iop_ZeroHI96ofV128: *result = two(label_extract(b, at[0], 0, 4), NO_LABEL); return True;
	case Iop_ZeroHI112ofV128: *result = two(label_extract(b, at[0], 0, 2), NO_LABEL); return True;
	case Iop_ZeroHI120ofV128: *result = two(label_extract(b, at[0], 0, 1), NO_LABEL); return True;
	case Iop_V256toV128_0: *result = two(at[0], at[1]); return True;
	case Iop_V256toV128_1: *result = two(at[2], at[3]); return True;
	default: return False;
	}
}

/* The 32-bit lane `index` of two 8-byte lanes, `low` below `high`. */
static struct label pair_of_words(struct block *b, struct label high, struct label low, UInt index)
{
	struct label h = label_extract(b, high, 4 * index, 4), l = label_extract(b, low, 4 * index, 4);

	return label_concat(b, h, l, 4);
}

static Bool binary_move(struct block *b, IROp op, const struct lanes *x, const struct lanes *y, struct lanes *result)
{
	switch (op) {
	case Iop_8HLto16: *result = one(label_concat(b, x->at[0], y->at[0], 1)); return True;
	case Iop_16HLto32: *result = one(label_concat(b, x->at[0], y->at[0], 2)); return True;
	case Iop_32HLto64: *result = one(label_concat(b, x->at[0], y->at[0], 4)); return True;
	case Iop_64HLto128:
	case Iop_64HLtoV128:
	case Iop_InterleaveLO64x2: *result = two(y->at[0], x->at[0]); return True;
	case Iop_InterleaveHI64x2: *result = two(y->at[1], x->at[1]); return True;
	case Iop_InterleaveLO32x4:
		*result = two(pair_of_words(b, x->at[0], y->at[0], 0), pair_of_words(b, x->at[0], y->at[0], 1));
		return True;
	case Iop_InterleaveHI32x4:
		*result = two(pair_of_words(b, x->at[1], y->at[1], 0), pair_of_words(b, x->at[1], y->at[1], 1));
		return True;
	case Iop_SetV128lo64: *result = two(y->at[0], x->at[1]); return True;
	case Iop_SetV128lo32: *result = two(label_insert(b, x->at[0], y->at[0], 0, 4), x->at[1]); return True;
	case Iop_V128HLtoV256: *result = (struct lanes){4, {y->at[0], y->at[1], x->at[0], x->at[1]}}; return True;
	default: return False;
	}
}

/* Shifts of a whole register by a constant number of bits: what leaves one lane enters the other. */
static Bool shift_lanes(struct block *b, IROp op, IRExpr *const *args, const struct lanes *x, struct lanes *result)
{
	struct label low = x->at[0], high = x->at[1], from = op == Iop_ShlV128 ? low : high, to;
	UInt bits;

	if ((op != Iop_ShlV128 && op != Iop_ShrV128) || args[1]->tag != Iex_Const)
		return False;
	bits = args[1]->Iex.Const.con->Ico.U8;
	to = bits == 64 ? from : bits > 64 ? label_flatten(b, from) : label_union(b, low, high);
	from = bits >= 64 ? NO_LABEL : label_flatten(b, from);
	*result = op == Iop_ShlV128 ? two(from, to) : two(to, from);
	return True;
}

/* ---- constants ---- */

/* x ^ x and x - x: how code clears a register. */
static Bool is_clearing(IROp op, IRExpr *const *args)
{
	static const struct range ranges[] = {
		{Iop_Xor8, Iop_Xor64},      {Iop_Sub8, Iop_Sub64},      {Iop_XorV128, Iop_XorV128},
		{Iop_Sub8x16, Iop_Sub64x2}, {Iop_XorV256, Iop_XorV256}, {Iop_Sub8x32, Iop_Sub64x4},
	};

	return in_ranges(op, ranges, sizeof(ranges) / sizeof(ranges[0])) && eqIRAtom(args[0], args[1]);
}

struct lanes lanes_of_operation(struct block *b, IRType type, IROp op, IRExpr *const *args,
				const struct lanes *operands, UInt count)
{
	struct lanes result;

	if (count == 1 && unary_move(b, op, operands, &result))
		return result;
	if (count == 2) {
		if (is_clearing(op, args))
			return lanes_none(type);
		if (binary_move(b, op, &operands[0], &operands[1], &result))
			return result;
		if (shift_lanes(b, op, args, &operands[0], &result))
			return result;
	}
	if (op == Iop_64x4toV256)
		return (struct lanes){4, {operands[3].at[0], operands[2].at[0], operands[1].at[0], operands[0].at[0]}};
	if (works_on_lanes(op))
		return join_lanes(b, type, operands, count);
	if (works_on_lowest(op))
		return join_lowest(b, type, operands, count);
	return join_all(b, type, operands, count);
}
