/* SPDX-License-Identifier: 0BSD */
/* expression_meaning.h - what an expression computes from its operands, shared by the recorder and the reader.
 *
 *     uint64_t value = bo_expression_compute(kind, width, own, values, widths);
 *
 * Values are in the low bits; the bits above a width are 0, in operands and results.  Leaves and TABLE are not computed
 * from operands, so they have no meaning here.  Only the compiler is needed. */
#ifndef BLACKOUT_EXPRESSION_MEANING_H
#define BLACKOUT_EXPRESSION_MEANING_H

#include <stdbool.h>
#include <stdint.h>

#include "blackout/expression.h"

#define BO_EXPR_OPERANDS_MAX 3
#define BO_EXPR_WIDTH_MAX 64

static inline unsigned bo_expression_operands(unsigned kind)
{
	static const uint8_t operands[] = {
#define X(name, text, count, own) count,
		BO_EXPRESSIONS(X)
#undef X
	};

	return operands[kind];
}

/* All bits of a width from 1 to 64. */
static inline uint64_t bo_width_mask(unsigned width)
{
	return UINT64_MAX >> ((BO_EXPR_WIDTH_MAX - width) & 63);
}

/* A value of `width` bits as a signed number. */
static inline int64_t bo_width_signed(uint64_t value, unsigned width)
{
	uint64_t sign = bo_width_mask(width) ^ bo_width_mask(width) >> 1;

	return (int64_t)((value ^ sign) - sign);
}

/* May an expression of this kind and width have operands of these widths?  Its own number and what its operands are is
 * not judged. */
static inline bool bo_expression_fits(unsigned kind, unsigned width, const uint8_t *widths)
{
	if (width < 1 || width > BO_EXPR_WIDTH_MAX)
		return false;
	switch (kind) {
	case BO_EXPR_CONST: return true;
	case BO_EXPR_INPUT: return width == 8;
	case BO_EXPR_LENGTH: return width == 64;
	case BO_EXPR_EXTRACT: return width <= widths[0];
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT: return width >= widths[0];
	case BO_EXPR_TABLE: return width % 8 == 0 && widths[0] == 64;
	case BO_EXPR_CONCAT: return width == widths[0] + widths[1];
	case BO_EXPR_EQ:
	case BO_EXPR_ULT:
	case BO_EXPR_ULE:
	case BO_EXPR_SLT:
	case BO_EXPR_SLE: return width == 1 && widths[0] == widths[1];
	case BO_EXPR_ITE: return widths[0] == 1 && widths[1] == width && widths[2] == width;
	default: return widths[0] == width && (bo_expression_operands(kind) == 1 || widths[1] == width);
	}
}

static inline uint64_t bo_compute_unary(unsigned kind, unsigned width, uint64_t own, uint64_t a, unsigned a_width)
{
	switch (kind) {
	case BO_EXPR_NOT: return ~a;
	case BO_EXPR_NEG: return -a;
	case BO_EXPR_EXTRACT: return a >> own;
	case BO_EXPR_SEXT: return (uint64_t)bo_width_signed(a, a_width);
	case BO_EXPR_CLZ: return a ? (uint64_t)__builtin_clzll(a) - (64 - width) : width;
	case BO_EXPR_CTZ: return a ? (uint64_t)__builtin_ctzll(a) : width;
	case BO_EXPR_POPCOUNT: {
		uint64_t count = 0;

		for (; a; a &= a - 1)
			count++;
		return count;
	}
	default: return a; /* ZEXT */
	}
}

/* Division as SMT-LIB defines it.  The recorder has no C library to trap in, so the overflow of INT64_MIN / -1 is left
 * to unsigned numbers. */
static inline uint64_t bo_compute_division(unsigned kind, unsigned width, uint64_t a, uint64_t b)
{
	bool a_negative = bo_width_signed(a, width) < 0, b_negative = bo_width_signed(b, width) < 0;
	uint64_t a_size = a_negative ? -a & bo_width_mask(width) : a;
	uint64_t b_size = b_negative ? -b & bo_width_mask(width) : b;

	switch (kind) {
	case BO_EXPR_UDIV: return b ? a / b : UINT64_MAX;
	case BO_EXPR_UREM: return b ? a % b : a;
	case BO_EXPR_SDIV:
		if (!b)
			return a_negative ? 1 : UINT64_MAX;
		return a_negative != b_negative ? -(a_size / b_size) : a_size / b_size;
	default: /* SREM */
		if (!b)
			return a;
		return a_negative ? -(a_size % b_size) : a_size % b_size;
	}
}

static inline uint64_t bo_compute_shift(unsigned kind, unsigned width, uint64_t a, uint64_t count)
{
	if (kind == BO_EXPR_ASHR)
		return (uint64_t)(bo_width_signed(a, width) >> (count < width ? count : width - 1));
	if (count >= width)
		return 0;
	return kind == BO_EXPR_SHL ? a << count : a >> count;
}

static inline uint64_t bo_compute_binary(unsigned kind, unsigned width, uint64_t a, uint64_t b, const uint8_t *widths)
{
	int64_t a_signed = bo_width_signed(a, widths[0]), b_signed = bo_width_signed(b, widths[1]);

	switch (kind) {
	case BO_EXPR_ADD: return a + b;
	case BO_EXPR_SUB: return a - b;
	case BO_EXPR_MUL: return a * b;
	case BO_EXPR_MULHU: return (uint64_t)((unsigned __int128)a * b >> width);
	case BO_EXPR_MULHS: return (uint64_t)((__int128)a_signed * b_signed >> width);
	case BO_EXPR_AND: return a & b;
	case BO_EXPR_OR: return a | b;
	case BO_EXPR_XOR: return a ^ b;
	case BO_EXPR_SHL:
	case BO_EXPR_LSHR:
	case BO_EXPR_ASHR: return bo_compute_shift(kind, width, a, b);
	case BO_EXPR_CONCAT: return a << widths[1] | b;
	case BO_EXPR_EQ: return a == b;
	case BO_EXPR_ULT: return a < b;
	case BO_EXPR_ULE: return a <= b;
	case BO_EXPR_SLT: return a_signed < b_signed;
	case BO_EXPR_SLE: return a_signed <= b_signed;
	default: return bo_compute_division(kind, width, a, b);
	}
}

/* The value of an expression that fits its operands (bo_expression_fits). */
static inline uint64_t bo_expression_compute(unsigned kind, unsigned width, uint64_t own, const uint64_t *values,
					     const uint8_t *widths)
{
	uint64_t value;

	if (kind == BO_EXPR_ITE)
		return values[0] ? values[1] : values[2];
	if (bo_expression_operands(kind) == 1)
		value = bo_compute_unary(kind, width, own, values[0], widths[0]);
	else
		value = bo_compute_binary(kind, width, values[0], values[1], widths);
	return value & bo_width_mask(width);
}

#endif
