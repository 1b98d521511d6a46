/* SPDX-License-Identifier: GPL-2.0-or-later */
/* translate.c - see translate.h. */
#include "translate.h"

#include <stdio.h>

void translation_free(struct translation *t)
{
	vec_free(&t->at);
}

Z3_ast translate_constant(Z3_context c, uint64_t value, unsigned width)
{
	return Z3_mk_unsigned_int64(c, value, Z3_mk_bv_sort(c, width));
}

Z3_ast translate_bit(Z3_context c, Z3_ast vector, unsigned bit)
{
	return Z3_simplify(c, Z3_mk_extract(c, bit, bit, vector));
}

static Z3_ast variable(Z3_context c, char letter, uint64_t number, unsigned width)
{
	char name[32];

	snprintf(name, sizeof(name), "%c%llx", letter, (unsigned long long)number);
	return Z3_mk_const(c, Z3_mk_string_symbol(c, name), Z3_mk_bv_sort(c, width));
}

/* Comparisons are bit vectors, too. */
static Z3_ast from_truth(Z3_context c, Z3_ast truth)
{
	return Z3_mk_ite(c, truth, translate_constant(c, 1, 1), translate_constant(c, 0, 1));
}

static Z3_ast is_one(Z3_context c, Z3_ast bit)
{
	return Z3_mk_eq(c, bit, translate_constant(c, 1, 1));
}

/* Counts are made of few bits, because each bit costs: programs look for the end of a line or a text by such counts. */
static unsigned count_width(unsigned width)
{
	unsigned bits = 1;

	while (width >> bits)
		bits++;
	return bits < width ? bits : width;
}

static Z3_ast widen(Z3_context c, Z3_ast a, unsigned from, unsigned to)
{
	return to > from ? Z3_mk_zero_ext(c, to - from, a) : a;
}

/* The number of zeros before the first one, from the high end if `leading`: the last bit that is looked at decides. */
static Z3_ast zeros(Z3_context c, Z3_ast a, unsigned width, bool leading)
{
	unsigned narrow = count_width(width);
	Z3_ast count = translate_constant(c, width & bo_width_mask(narrow), narrow);

	for (unsigned i = 0; i < width; i++) {
		unsigned bit = leading ? i : width - 1 - i;
		Z3_ast set = is_one(c, Z3_mk_extract(c, bit, bit, a));

		count = Z3_mk_ite(c, set, translate_constant(c, leading ? width - 1 - bit : bit, narrow), count);
	}
	return widen(c, count, narrow, width);
}

static Z3_ast ones(Z3_context c, Z3_ast a, unsigned width)
{
	unsigned narrow = count_width(width);
	Z3_ast count = translate_constant(c, 0, narrow);

	for (unsigned bit = 0; bit < width; bit++)
		count = Z3_mk_bvadd(c, count, widen(c, Z3_mk_extract(c, bit, bit, a), 1, narrow));
	return widen(c, count, narrow, width);
}

/* The high half of a product. */
static Z3_ast high_product(Z3_context c, Z3_ast a, Z3_ast b, unsigned width, bool with_sign)
{
	Z3_ast (*extend)(Z3_context, unsigned, Z3_ast) = with_sign ? Z3_mk_sign_ext : Z3_mk_zero_ext;

	return Z3_mk_extract(c, 2 * width - 1, width, Z3_mk_bvmul(c, extend(c, width, a), extend(c, width, b)));
}

static Z3_ast leaf(Z3_context c, const struct expression *e)
{
	switch (e->kind) {
	case BO_EXPR_INPUT: return variable(c, 'i', e->own, e->width);
	case BO_EXPR_LENGTH: return variable(c, 'l', e->own, e->width);
	default: return translate_constant(c, e->own, e->width);
	}
}

static Z3_ast unary(const struct translation *t, const struct expression *e, Z3_ast a)
{
	Z3_context c = t->context;
	unsigned a_width = expressions_at(t->x, e->operand[0])->width;

	switch (e->kind) {
	case BO_EXPR_NOT: return Z3_mk_bvnot(c, a);
	case BO_EXPR_NEG: return Z3_mk_bvneg(c, a);
	case BO_EXPR_EXTRACT: return Z3_mk_extract(c, (unsigned)e->own + e->width - 1, (unsigned)e->own, a);
	case BO_EXPR_ZEXT: return Z3_mk_zero_ext(c, e->width - a_width, a);
	case BO_EXPR_SEXT: return Z3_mk_sign_ext(c, e->width - a_width, a);
	case BO_EXPR_CLZ: return zeros(c, a, e->width, true);
	case BO_EXPR_CTZ: return zeros(c, a, e->width, false);
	case BO_EXPR_POPCOUNT: return ones(c, a, e->width);
	default: return translate_table(c, expressions_table(t->x, (uint32_t)e->own), a, e->width);
	}
}

static Z3_ast binary(Z3_context c, const struct expression *e, Z3_ast a, Z3_ast b)
{
	switch (e->kind) {
	case BO_EXPR_ADD: return Z3_mk_bvadd(c, a, b);
	case BO_EXPR_SUB: return Z3_mk_bvsub(c, a, b);
	case BO_EXPR_MUL: return Z3_mk_bvmul(c, a, b);
	case BO_EXPR_MULHU: return high_product(c, a, b, e->width, false);
	case BO_EXPR_MULHS: return high_product(c, a, b, e->width, true);
	case BO_EXPR_UDIV: return Z3_mk_bvudiv(c, a, b);
	case BO_EXPR_SDIV: return Z3_mk_bvsdiv(c, a, b);
	case BO_EXPR_UREM: return Z3_mk_bvurem(c, a, b);
	case BO_EXPR_SREM: return Z3_mk_bvsrem(c, a, b);
	case BO_EXPR_AND: return Z3_mk_bvand(c, a, b);
	case BO_EXPR_OR: return Z3_mk_bvor(c, a, b);
	case BO_EXPR_XOR: return Z3_mk_bvxor(c, a, b);
	case BO_EXPR_SHL: return Z3_mk_bvshl(c, a, b);
	case BO_EXPR_LSHR: return Z3_mk_bvlshr(c, a, b);
	case BO_EXPR_ASHR: return Z3_mk_bvashr(c, a, b);
	case BO_EXPR_CONCAT: return Z3_mk_concat(c, a, b);
	case BO_EXPR_EQ: return from_truth(c, Z3_mk_eq(c, a, b));
	case BO_EXPR_ULT: return from_truth(c, Z3_mk_bvult(c, a, b));
	case BO_EXPR_ULE: return from_truth(c, Z3_mk_bvule(c, a, b));
	case BO_EXPR_SLT: return from_truth(c, Z3_mk_bvslt(c, a, b));
	default: return from_truth(c, Z3_mk_bvsle(c, a, b));
	}
}

static Z3_ast operand(const struct translation *t, const struct expression *e, unsigned index)
{
	return t->at.at[e->operand[index] - 1];
}

static Z3_ast translate(const struct translation *t, const struct expression *e)
{
	Z3_context c = t->context;

	switch (bo_expression_operands(e->kind)) {
	case 0: return leaf(c, e);
	case 1: return unary(t, e, operand(t, e, 0));
	case 2: return binary(c, e, operand(t, e, 0), operand(t, e, 1));
	default: return Z3_mk_ite(c, is_one(c, operand(t, e, 0)), operand(t, e, 1), operand(t, e, 2));
	}
}

/* Operands come first, and nothing is sent that no question needs: so all are translated, one after the other. */
Z3_ast translation_of(struct translation *t, uint32_t id)
{
	while (t->at.count < id) {
		Z3_ast ast = translate(t, expressions_at(t->x, (uint32_t)t->at.count + 1));

		vec_push(&t->at, ast);
	}
	return t->at.at[id - 1];
}

Z3_ast translation_condition(struct translation *t, uint32_t id, bool value)
{
	return Z3_mk_eq(t->context, translation_of(t, id), translate_constant(t->context, value, 1));
}
