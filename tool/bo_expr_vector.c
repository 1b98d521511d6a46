/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_vector.c - operations on vectors, element by element. */
#include "bo_expr_ops.h"

#define ELEMENTS_MOST 64

/* ---- elements ---- */

UInt bo_value_element(const struct bo_value *v, UInt bits, UInt index)
{
	UInt in_lane = v->width / bits;

	return bo_expr_extract(bo_value_lane(v, index / in_lane), index % in_lane * bits, bits);
}

static UInt element_count(const struct bo_value *v, UInt bits)
{
	return v->count * v->width / bits;
}

UInt bo_expr_join(const UInt *elements, UInt count)
{
	UInt whole = elements[0];

	for (UInt i = 1; i < count; i++)
		whole = bo_expr_concat(elements[i], whole);
	return whole;
}

/* The labels of a result, from all its elements. */
static void put_elements(struct bo_value *result, UInt bits, const UInt *elements)
{
	UInt in_lane = result->width / bits;

	for (UInt lane = 0; lane < result->count; lane++)
		result->label[lane] = bo_expr_join(elements + lane * in_lane, in_lane);
}

Bool bo_form_elements(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], in_lane = args[0].width / row->bits;

	for (UInt lane = 0; lane < result->count; lane++) {
		result->label[lane] = 0;
		if (!args[0].label[lane] && !args[1].label[lane])
			continue;
		for (UInt i = 0; i < in_lane; i++) {
			UInt a = bo_value_element(&args[0], row->bits, lane * in_lane + i);
			UInt b = bo_value_element(&args[1], row->bits, lane * in_lane + i);

			/* Without room for both, there is none for more. */
			elements[i] = a && b ? row->element(a, b, (enum bo_expression)row->which) : 0;
		}
		result->label[lane] = bo_expr_join(elements, in_lane);
	}
	return True;
}

UInt bo_element_plain(UInt a, UInt b, enum bo_expression kind)
{
	return bo_expr_2(kind, a, b);
}

UInt bo_element_mask(UInt a, UInt b, enum bo_expression kind)
{
	UInt width = bo_expr_width(a);

	return bo_expr_ite(bo_expr_2(kind, a, b), bo_expr_const(width, ~0ULL), bo_expr_const(width, 0));
}

UInt bo_element_mask_swapped(UInt a, UInt b, enum bo_expression kind)
{
	return bo_element_mask(b, a, kind);
}

static Bool is_all_or_nothing(UInt x)
{
	const struct bo_expr *e = bo_expr_at(x);
	UInt yes = e->operand[1], no = e->operand[2];

	return e->kind == BO_EXPR_ITE && bo_expr_is_const(yes) && bo_expr_is_const(no) &&
	       (bo_expr_value(yes) ^ bo_expr_value(no)) == bo_width_mask(e->width) &&
	       (!bo_expr_value(yes) || !bo_expr_value(no));
}

/* Two elements that comparisons made have one bit each to say; 0: they are others. */
static UInt bitwise_masks(enum bo_expression kind, UInt a, UInt b)
{
	UInt width = bo_expr_width(a);

	if (!is_all_or_nothing(a) || !is_all_or_nothing(b))
		return 0;
	return bo_expr_ite(bo_expr_2(kind, bo_expr_extract(a, 0, 1), bo_expr_extract(b, 0, 1)),
			   bo_expr_const(width, ~0ULL), bo_expr_const(width, 0));
}

UInt bo_element_min(UInt a, UInt b, enum bo_expression kind)
{
	UInt mask = kind == BO_EXPR_ULT ? bitwise_masks(BO_EXPR_AND, a, b) : 0;

	return mask ? mask : bo_expr_ite(bo_expr_2(kind, a, b), a, b);
}

UInt bo_element_max(UInt a, UInt b, enum bo_expression kind)
{
	UInt mask = kind == BO_EXPR_ULT ? bitwise_masks(BO_EXPR_OR, a, b) : 0;

	return mask ? mask : bo_expr_ite(bo_expr_2(kind, a, b), b, a);
}

/* Rounded up; the sum has a bit more. */
UInt bo_element_average(UInt a, UInt b, enum bo_expression kind)
{
	UInt width = bo_expr_width(a);
	UInt sum = bo_expr_2(BO_EXPR_ADD, bo_expr_zext(a, width + 1), bo_expr_zext(b, width + 1));

	return bo_expr_extract(bo_expr_2(BO_EXPR_ADD, sum, bo_expr_const(width + 1, 1)), 1, width);
}

UInt bo_element_saturate_unsigned(UInt a, UInt b, enum bo_expression kind)
{
	UInt width = bo_expr_width(a), result = bo_expr_2(kind, a, b);

	if (kind == BO_EXPR_SUB)
		return bo_expr_ite(bo_expr_2(BO_EXPR_ULT, a, b), bo_expr_const(width, 0), result);
	return bo_expr_ite(bo_expr_2(BO_EXPR_ULT, result, a), bo_expr_const(width, ~0ULL), result);
}

UInt bo_element_saturate_signed(UInt a, UInt b, enum bo_expression kind)
{
	UInt width = bo_expr_width(a);

	return bo_expr_saturate(bo_expr_2(kind, bo_expr_sext(a, width + 1), bo_expr_sext(b, width + 1)), width,
				BO_NARROW_SIGNED);
}

UInt bo_expr_saturate(UInt wide, UInt bits, enum bo_narrow how)
{
	UInt width = bo_expr_width(wide);
	ULong most = how == BO_NARROW_SIGNED ? bo_width_mask(bits - 1) : bo_width_mask(bits);
	ULong least = how == BO_NARROW_SIGNED ? ~bo_width_mask(bits - 1) : 0;
	UInt above = bo_expr_2(BO_EXPR_SLT, bo_expr_const(width, most), wide);
	UInt below = bo_expr_2(BO_EXPR_SLT, wide, bo_expr_const(width, least));

	return bo_expr_ite(above, bo_expr_const(bits, most),
			   bo_expr_ite(below, bo_expr_const(bits, least), bo_expr_extract(wide, 0, bits)));
}

/* ---- bits ---- */

/* Vectors are put together of elements, whose borders are kept: what is extracted later is one of them again. */
static UInt bitwise(enum bo_expression kind, UInt a, UInt b)
{
	Bool a_is_whole = bo_expr_at(a)->kind != BO_EXPR_CONCAT;
	const struct bo_expr *parts = bo_expr_at(a_is_whole ? b : a);
	UInt border, width = bo_expr_width(a);

	if (!a || !b)
		return 0;
	if (parts->kind != BO_EXPR_CONCAT) {
		UInt mask = bitwise_masks(kind, a, b);

		return mask ? mask : bo_expr_2(kind, a, b);
	}
	border = bo_expr_width(parts->operand[1]);
	return bo_expr_concat(bitwise(kind, bo_expr_extract(a, border, width - border),
				      bo_expr_extract(b, border, width - border)),
			      bitwise(kind, bo_expr_extract(a, 0, border), bo_expr_extract(b, 0, border)));
}

Bool bo_form_bitwise(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	for (UInt lane = 0; lane < result->count; lane++) {
		if (args[0].label[lane] || args[1].label[lane])
			result->label[lane] = bitwise((enum bo_expression)row->which, bo_value_lane(&args[0], lane),
						      bo_value_lane(&args[1], lane));
		else
			result->label[lane] = 0;
	}
	return True;
}

/* The number of bits is an 8-bit value. */
Bool bo_form_shift_all(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], by = bo_expr_zext(bo_value_lane(&args[1], 0), row->bits);

	for (UInt i = 0; i < element_count(result, row->bits); i++)
		elements[i] = bo_expr_2((enum bo_expression)row->which, bo_value_element(&args[0], row->bits, i), by);
	put_elements(result, row->bits, elements);
	return True;
}

/* ---- moves ---- */

Bool bo_form_lanes(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt labels[2 * BO_LANES_MAX] = {0}, count = 0;

	for (UInt i = n; i-- > 0;)
		for (UInt lane = 0; lane < args[i].count; lane++)
			labels[count++] = args[i].label[lane];
	for (UInt lane = 0; lane < result->count; lane++)
		result->label[lane] = labels[lane + row->which]; /* above the last one there is 0 */
	return True;
}

Bool bo_form_set_low(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt low = bo_value_lane(&args[1], 0);

	for (UInt lane = 1; lane < result->count; lane++)
		result->label[lane] = args[0].label[lane];
	if (row->bits < result->width)
		low = bo_expr_concat(bo_expr_extract(bo_value_lane(&args[0], 0), row->bits, result->width - row->bits),
				     low);
	result->label[0] = low;
	return True;
}

Bool bo_form_interleave(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], count = element_count(result, row->bits), first = row->which * count / 2;

	for (UInt i = 0; i < count; i++)
		elements[i] = bo_value_element(&args[i % 2 ? 0 : 1], row->bits, first + i / 2);
	put_elements(result, row->bits, elements);
	return True;
}

Bool bo_form_cat(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], count = element_count(result, row->bits);

	for (UInt i = 0; i < count; i++)
		elements[i] =
			bo_value_element(&args[i < count / 2 ? 1 : 0], row->bits, i % (count / 2) * 2 + row->which);
	put_elements(result, row->bits, elements);
	return True;
}

Bool bo_form_narrow(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], bits = row->bits / 2, count = element_count(result, bits);

	for (UInt i = 0; i < count; i++)
		elements[i] =
			bo_expr_saturate(bo_value_element(&args[i < count / 2 ? 1 : 0], row->bits, i % (count / 2)),
					 bits, (enum bo_narrow)row->which);
	put_elements(result, bits, elements);
	return True;
}

/* The element whose number is in the lowest bits of `index`. */
static UInt choose(const UInt *elements, UInt count, UInt index)
{
	if (count == 1)
		return elements[0];
	if (bo_expr_is_const(index))
		return elements[bo_expr_value(index) % count];
	return bo_expr_ite(bo_expr_extract(index, (UInt)__builtin_ctz(count / 2), 1),
			   choose(elements + count / 2, count / 2, index), choose(elements, count / 2, index));
}

Bool bo_form_permute(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], from[ELEMENTS_MOST], count = element_count(result, row->bits);

	for (UInt i = 0; i < count; i++)
		from[i] = bo_value_element(&args[0], row->bits, i);
	for (UInt i = 0; i < count; i++) {
		UInt index = bo_value_element(&args[1], row->bits, i);

		elements[i] = choose(from, count, index);
		if (row->which)
			elements[i] = bo_expr_ite(bo_expr_extract(index, row->bits - 1u, 1),
						  bo_expr_const(row->bits, 0), elements[i]);
	}
	put_elements(result, row->bits, elements);
	return True;
}

Bool bo_form_upper_bits(const struct bo_operation *row, const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], count = element_count(&args[0], row->bits);

	for (UInt i = 0; i < count; i++)
		elements[i] = bo_expr_extract(bo_value_element(&args[0], row->bits, i), row->bits - 1u, 1);
	result->label[0] = bo_expr_join(elements, count);
	return True;
}

/* PMADDUBSW: unsigned bytes of the first operand times signed ones of the second, added in pairs. */
Bool bo_form_multiply_add_pairs(const struct bo_operation *row, const struct bo_value *args, UInt n,
				struct bo_value *result)
{
	UInt elements[ELEMENTS_MOST], bits = row->bits, wide = 2 * bits + 2, count = element_count(result, 2 * bits);

	for (UInt i = 0; i < count; i++) {
		UInt product[2];

		for (UInt k = 0; k < 2; k++)
			product[k] =
				bo_expr_2(BO_EXPR_MUL, bo_expr_zext(bo_value_element(&args[0], bits, 2 * i + k), wide),
					  bo_expr_sext(bo_value_element(&args[1], bits, 2 * i + k), wide));
		elements[i] =
			bo_expr_saturate(bo_expr_2(BO_EXPR_ADD, product[0], product[1]), 2 * bits, BO_NARROW_SIGNED);
	}
	put_elements(result, 2 * bits, elements);
	return True;
}
