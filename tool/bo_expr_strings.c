/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_strings.c - PCMPISTRI and PCMPESTRI, by which strspn, strcasecmp and others compare 16 bytes at a time.
 *
 * VEX has one function for all of them.  Its result has the index in bits 16 to 31 and the flags below; the instructions
 * whose result is a mask are not known. */
#include "bo_expr_ops.h"

#define ELEMENTS_MOST 16

struct string {
	UInt at[ELEMENTS_MOST];    /* bytes or words */
	UInt valid[ELEMENTS_MOST]; /* conditions: it is part of the string; once one is not, no later one is */
};

struct comparison {
	struct string left, right; /* as VEX calls them: the left one is searched, the right one says for what */
	UInt count, bits;          /* elements, and bits of each */
	Bool with_sign;
	UInt holds[ELEMENTS_MOST]; /* the result, for each element of the left one */
};

enum aggregation { EQUAL_ANY, RANGES, EQUAL_EACH, EQUAL_ORDERED };

static UInt bit(UInt value)
{
	return bo_expr_const(1, value);
}

static UInt both(UInt x, UInt y)
{
	return bo_expr_2(BO_EXPR_AND, x, y);
}

static UInt either(UInt x, UInt y)
{
	return bo_expr_2(BO_EXPR_OR, x, y);
}

/* ---- operands ---- */

static void read_elements(struct string *string, const struct comparison *c, const struct bo_value *value)
{
	for (UInt i = 0; i < c->count; i++)
		string->at[i] = bo_value_element(value, c->bits, i);
}

/* The string ends before its first 0. */
static void end_at_zero(struct string *string, UInt count)
{
	UInt valid = bit(1);

	for (UInt i = 0; i < count; i++)
		string->valid[i] = valid = both(valid, bo_expr_not(bo_expr_equal_zero(string->at[i])));
}

/* The string has as many elements as the size of a signed number says. */
static void end_at_length(struct string *string, UInt count, const struct bo_value *value)
{
	UInt length = bo_expr_extract(bo_value_lane(value, 0), 0, 32);

	for (UInt i = 0; i < count; i++)
		string->valid[i] = either(bo_expr_2(BO_EXPR_SLT, bo_expr_const(32, i), length),
					  bo_expr_2(BO_EXPR_SLT, length, bo_expr_const(32, -(ULong)i)));
}

/* ---- what each aggregation means for an element ---- */

static UInt equal(UInt x, UInt y)
{
	return bo_expr_2(BO_EXPR_EQ, x, y);
}

static UInt is_any(const struct comparison *c, UInt index)
{
	UInt any = bit(0);

	for (UInt i = 0; i < c->count; i++)
		any = either(any, both(c->right.valid[i], equal(c->right.at[i], c->left.at[index])));
	return both(c->left.valid[index], any);
}

static UInt is_in_range(const struct comparison *c, UInt index)
{
	enum bo_expression compare = c->with_sign ? BO_EXPR_SLE : BO_EXPR_ULE;
	UInt any = bit(0), x = c->left.at[index];

	for (UInt i = 0; i < c->count; i += 2) {
		UInt inside = both(bo_expr_2(compare, c->right.at[i], x), bo_expr_2(compare, x, c->right.at[i + 1]));

		any = either(any, both(c->right.valid[i + 1], inside));
	}
	return both(c->left.valid[index], any);
}

/* After both strings, elements count as equal. */
static UInt is_each(const struct comparison *c, UInt index)
{
	UInt left = c->left.valid[index], right = c->right.valid[index];
	UInt is_equal = both(both(left, right), equal(c->left.at[index], c->right.at[index]));

	return either(is_equal, bo_expr_not(either(left, right)));
}

/* The right string, or as much of it as there is room for, begins here. */
static UInt is_begin(const struct comparison *c, UInt index)
{
	UInt all = index ? c->left.valid[index - 1] : bit(1);

	for (UInt i = 0; index + i < c->count; i++)
		all = both(all, either(bo_expr_not(c->right.valid[i]), equal(c->left.at[index + i], c->right.at[i])));
	return all;
}

static UInt holds_at(const struct comparison *c, enum aggregation aggregation, UInt index)
{
	switch (aggregation) {
	case EQUAL_ANY: return is_any(c, index);
	case RANGES: return is_in_range(c, index);
	case EQUAL_EACH: return is_each(c, index);
	default: return is_begin(c, index);
	}
}

/* ---- the result ---- */

static UInt with_polarity(const struct comparison *c, UInt polarity, UInt index)
{
	UInt holds = c->holds[index];

	if (polarity == 1)
		return bo_expr_not(holds);
	return polarity == 3 ? bo_expr_2(BO_EXPR_XOR, holds, c->left.valid[index]) : holds;
}

/* The number of the first (or last) element for which it holds, or of elements if there is none. */
static UInt index_of(UInt all, UInt count, Bool last)
{
	UInt from_above;

	if (!last)
		return bo_expr_zext(bo_expr_1(BO_EXPR_CTZ, all), 16);
	from_above =
		bo_expr_2(BO_EXPR_SUB, bo_expr_const(16, count - 1), bo_expr_zext(bo_expr_1(BO_EXPR_CLZ, all), 16));
	return bo_expr_ite(bo_expr_equal_zero(all), bo_expr_const(16, count), from_above);
}

/* C: it holds for any; Z: the left string ends here; S: the right one does; O: it holds for the first. */
static UInt flags_of(const struct comparison *c, UInt all)
{
	UInt bits[16];

	for (UInt i = 0; i < 16; i++)
		bits[i] = bit(0);
	bits[0] = bo_expr_not(bo_expr_equal_zero(all));
	bits[6] = bo_expr_not(c->left.valid[c->count - 1]);
	bits[7] = bo_expr_not(c->right.valid[c->count - 1]);
	bits[11] = c->holds[0];
	return bo_expr_join(bits, 16);
}

/* Arguments: opcode << 8 | control byte; the places of both registers, which do not matter; both lengths. */
Bool bo_expr_compare_strings(const struct bo_value *args, UInt n, const struct bo_value *registers, UInt m,
			     struct bo_value *result)
{
	ULong control = args[0].value[0];
	Bool has_index = control >> 8 & 1, ends_at_zero = control >> 9 & 1, is_wide = control & 1;
	struct comparison c = {.count = is_wide ? 8 : 16,
			       .bits = is_wide ? 16 : 8,
			       .with_sign = (control >> 1 & 1) != 0};
	UInt all;

	if (n != 5 || m != 2 || !has_index)
		return False;
	read_elements(&c.left, &c, &registers[0]);
	read_elements(&c.right, &c, &registers[1]);
	if (ends_at_zero) {
		end_at_zero(&c.left, c.count);
		end_at_zero(&c.right, c.count);
	} else {
		end_at_length(&c.left, c.count, &args[3]);
		end_at_length(&c.right, c.count, &args[4]);
	}
	for (UInt i = 0; i < c.count; i++)
		c.holds[i] = holds_at(&c, (enum aggregation)(control >> 2 & 3), i);
	for (UInt i = 0; i < c.count; i++)
		c.holds[i] = with_polarity(&c, control >> 4 & 3, i);
	all = bo_expr_join(c.holds, c.count);
	result->label[0] =
		bo_expr_zext(bo_expr_concat(index_of(all, c.count, control >> 6 & 1), flags_of(&c, all)), 64);
	return True;
}
