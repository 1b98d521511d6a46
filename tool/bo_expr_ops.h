/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_ops.h - rows of the table in bo_expr_ops.c, and the forms of operations that its files share.
 *
 * A row says what an operation of VEX does to its operands: its form, and for vectors what happens to each element.  A
 * vector of VEX is a value of 64, 128 or 256 bits; its elements are pieces of a lane, the lowest first. */
#ifndef BO_EXPR_OPS_H
#define BO_EXPR_OPS_H

#include "bo_expr.h"

struct bo_operation;

/* Gives labels to the result, or returns False: it is not known. */
typedef Bool bo_form(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result);

/* What happens to two elements of the same place. */
typedef UInt bo_element(UInt a, UInt b, enum bo_expression kind);

struct bo_operation {
	bo_form *form; /* NULL: the operation is not known */
	bo_element *element;
	UChar bits;  /* of an element, or of the smaller operand */
	UChar which; /* enum bo_expression, or what the form says */
};

/* ---- bo_expr_vector.c ---- */

bo_form bo_form_elements;   /* a result for each pair of elements */
bo_form bo_form_bitwise;    /* a result for each pair of bits */
bo_form bo_form_shift_all;  /* all elements by the same number of bits */
bo_form bo_form_lanes;      /* whole lanes, the first operand on top, without the `which` lowest ones */
bo_form bo_form_set_low;    /* the lowest `bits` are replaced */
bo_form bo_form_interleave; /* elements of the lower (0) or upper (1) halves, in turn */
bo_form bo_form_cat;        /* even (0) or odd (1) elements of both */
bo_form bo_form_narrow;     /* two vectors into elements of half the size; kind says how they are cut */
bo_form bo_form_permute;    /* elements chosen by the second operand; with `which`, its upper bit says 0 */
bo_form bo_form_upper_bits; /* of each element, as a number */
bo_form bo_form_multiply_add_pairs;

bo_element bo_element_plain; /* kind */
bo_element bo_element_mask;  /* all ones if kind holds */
bo_element bo_element_mask_swapped;
bo_element bo_element_min; /* kind: how they are compared */
bo_element bo_element_max;
bo_element bo_element_average;
bo_element bo_element_saturate_unsigned; /* kind: ADD or SUB */
bo_element bo_element_saturate_signed;

enum bo_narrow {
	BO_NARROW_SIGNED,
	BO_NARROW_UNSIGNED
}; /* signed numbers, cut to what signed or unsigned ones can hold */

/* ---- pieces that all of them use ---- */

UInt bo_value_element(const struct bo_value *v, UInt bits, UInt index);
/* A whole of `count` elements of the same width; the first one is the lowest. */
UInt bo_expr_join(const UInt *elements, UInt count);
/* A signed number, cut to what `bits` can hold, signed or unsigned. */
UInt bo_expr_saturate(UInt wide, UInt bits, enum bo_narrow how);

static inline UInt bo_expr_equal_zero(UInt x)
{
	return bo_expr_2(BO_EXPR_EQ, x, bo_expr_const(bo_expr_width(x), 0));
}

static inline UInt bo_expr_not(UInt x)
{
	return bo_expr_1(BO_EXPR_NOT, x);
}

/* ---- bo_expr_flags.c: the flags of amd64 ---- */
Bool bo_expr_condition(const struct bo_value *args, UInt n, struct bo_value *result);
Bool bo_expr_carry(const struct bo_value *args, UInt n, struct bo_value *result);
Bool bo_expr_all_flags(const struct bo_value *args, UInt n, struct bo_value *result);

/* ---- bo_expr_strings.c: PCMPISTRI and the like ---- */
Bool bo_expr_compare_strings(const struct bo_value *args, UInt n, const struct bo_value *registers, UInt m,
			     struct bo_value *result);

#endif
