/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_calls.c - the expressions of results of VEX's helper functions for amd64.
 *
 * VEX computes flags and rare instructions by functions instead of operations.  The table at the end has those that are
 * known. */
#include "bo_expr_ops.h"

typedef Bool call_form(const struct bo_value *args, UInt n, struct bo_value *result);

/* A lane of a 64-bit argument, or of a result. */
static UInt word_of(const struct bo_value *arg)
{
	return bo_value_lane(arg, 0);
}

/* ---- CRC32 ---- */

#define CRC32_POLYNOMIAL 0x82f63b78

/* A word of `bits`; the argument may have others above it. */
static UInt crc32_of(UInt crc, UInt data, UInt bits)
{
	crc = bo_expr_2(BO_EXPR_XOR, crc, bo_expr_zext(bo_expr_extract(data, 0, bits), 32));
	for (UInt i = 0; i < bits; i++) {
		UInt half = bo_expr_2(BO_EXPR_LSHR, crc, bo_expr_const(32, 1));
		UInt with = bo_expr_2(BO_EXPR_XOR, half, bo_expr_const(32, CRC32_POLYNOMIAL));

		crc = bo_expr_ite(bo_expr_extract(crc, 0, 1), with, half);
	}
	return crc;
}

static Bool crc32(const struct bo_value *args, UInt bits, struct bo_value *result)
{
	UInt crc = bo_expr_extract(word_of(&args[0]), 0, 32), data = word_of(&args[1]);

	for (UInt done = 0; done < bits; done += 32)
		crc = crc32_of(crc, bo_expr_extract(data, done, 32), bits < 32 ? bits : 32);
	result->label[0] = bo_expr_zext(crc, 64);
	return True;
}

static Bool call_crc32_byte(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return crc32(args, 8, result);
}

static Bool call_crc32_word(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return crc32(args, 16, result);
}

static Bool call_crc32_double(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return crc32(args, 32, result);
}

static Bool call_crc32_quad(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return crc32(args, 64, result);
}

/* ---- bits chosen by a mask ---- */

/* PEXT: the bits under the mask, moved together. */
static Bool call_pext(const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt bits[64], count = 0;

	if (args[1].label[0])
		return False;
	for (UInt i = 0; i < 64; i++)
		if (args[1].value[0] >> i & 1)
			bits[count++] = bo_expr_extract(word_of(&args[0]), i, 1);
	result->label[0] = count ? bo_expr_zext(bo_expr_join(bits, count), 64) : 0;
	return True;
}

/* PDEP: the lowest bits, moved to those of the mask. */
static Bool call_pdep(const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt bits[64], count = 0;

	if (args[1].label[0])
		return False;
	for (UInt i = 0; i < 64; i++)
		bits[i] = args[1].value[0] >> i & 1 ? bo_expr_extract(word_of(&args[0]), count++, 1)
						    : bo_expr_const(1, 0);
	result->label[0] = bo_expr_join(bits, 64);
	return True;
}

/* ---- rotation through the carry flag ---- */

#define FLAG_C 0
#define FLAG_O 11

struct rotation {
	UInt value, carry, width;
};

/* By one bit, as often as wanted: bits are only moved, so the expression does not grow. */
static void rotate_right(struct rotation *r)
{
	UInt out = bo_expr_extract(r->value, 0, 1);

	r->value = bo_expr_concat(r->carry, bo_expr_extract(r->value, 1, r->width - 1));
	r->carry = out;
}

static void rotate_left(struct rotation *r)
{
	UInt out = bo_expr_extract(r->value, r->width - 1, 1);

	r->value = bo_expr_concat(bo_expr_extract(r->value, 0, r->width - 1), r->carry);
	r->carry = out;
}

static UInt signs_differ(const struct rotation *r)
{
	return bo_expr_2(BO_EXPR_XOR, bo_expr_extract(r->value, r->width - 1, 1), r->carry);
}

/* The flags, with new ones for carry and overflow. */
static UInt flags_with(UInt flags, UInt carry, UInt overflow)
{
	UInt middle = bo_expr_extract(flags, FLAG_C + 1, FLAG_O - FLAG_C - 1);
	UInt low = bo_expr_concat(overflow, bo_expr_concat(middle, carry));

	return bo_expr_concat(bo_expr_extract(flags, FLAG_O + 1, 63 - FLAG_O), low);
}

/* Arguments: value, number of bits, flags, size in bytes; a negative size asks for the flags instead of the value. */
static Bool rotate(const struct bo_value *args, Bool to_left, struct bo_value *result)
{
	Long size = (Long)args[3].value[0];
	UInt bytes = (UInt)(size < 0 ? -size : size), width = 8 * bytes, flags = word_of(&args[2]), overflow;
	UInt count = (UInt)args[1].value[0] & (bytes == 8 ? 63 : 31);
	struct rotation r = {bo_expr_extract(word_of(&args[0]), 0, width), bo_expr_extract(flags, FLAG_C, 1), width};

	if (args[1].label[0] || args[3].label[0])
		return False;
	overflow = signs_differ(&r);
	for (UInt i = 0; i < count % (bytes < 4 ? width + 1 : 64); i++)
		(to_left ? rotate_left : rotate_right)(&r);
	if (to_left)
		overflow = signs_differ(&r);
	result->label[0] = size < 0 ? flags_with(flags, r.carry, overflow) : bo_expr_zext(r.value, 64);
	return True;
}

static Bool call_rotate_left(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return rotate(args, True, result);
}

static Bool call_rotate_right(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return rotate(args, False, result);
}

/* ---- parts of vector instructions ---- */

/* PMADDWD: products of signed words, added in pairs. */
static Bool call_multiply_add(const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt sums[2];

	for (UInt i = 0; i < 2; i++) {
		UInt product[2];

		for (UInt k = 0; k < 2; k++)
			product[k] = bo_expr_2(BO_EXPR_MUL, bo_expr_sext(bo_value_element(&args[0], 16, 2 * i + k), 32),
					       bo_expr_sext(bo_value_element(&args[1], 16, 2 * i + k), 32));
		sums[i] = bo_expr_2(BO_EXPR_ADD, product[0], product[1]);
	}
	result->label[0] = bo_expr_join(sums, 2);
	return True;
}

/* PSADBW: the sum of the differences of bytes, without their signs. */
static Bool call_sum_differences(const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt sum = bo_expr_const(16, 0);

	for (UInt i = 0; i < 8; i++) {
		UInt a = bo_value_element(&args[0], 8, i), b = bo_value_element(&args[1], 8, i);
		UInt difference = bo_expr_ite(bo_expr_2(BO_EXPR_ULT, a, b), bo_expr_2(BO_EXPR_SUB, b, a),
					      bo_expr_2(BO_EXPR_SUB, a, b));

		sum = bo_expr_2(BO_EXPR_ADD, sum, bo_expr_zext(difference, 16));
	}
	result->label[0] = bo_expr_zext(sum, 64);
	return True;
}

/* PCLMULQDQ: a product without carries.  `which` of the words is wanted: the lower or the upper half. */
static Bool call_multiply_carryless(const struct bo_value *args, UInt n, struct bo_value *result)
{
	UInt a = word_of(&args[0]), b = word_of(&args[1]), sum = bo_expr_const(64, 0);
	Bool upper = args[2].value[0] != 0;

	if (args[2].label[0])
		return False;
	for (UInt i = 0; i < 64; i++) {
		UInt by = bo_expr_const(64, upper ? 64 - i : i);
		UInt step = bo_expr_2(upper ? BO_EXPR_LSHR : BO_EXPR_SHL, b, by);

		sum = bo_expr_2(BO_EXPR_XOR, sum, bo_expr_ite(bo_expr_extract(a, i, 1), step, bo_expr_const(64, 0)));
	}
	result->label[0] = sum;
	return True;
}

/* ---- the table ---- */

static const struct {
	const HChar *name;
	UInt args;
	call_form *form;
} calls[] = {
	{"amd64g_calculate_condition", 5, bo_expr_condition},
	{"amd64g_calculate_rflags_c", 4, bo_expr_carry},
	{"amd64g_calculate_rflags_all", 4, bo_expr_all_flags},
	{"amd64g_calc_crc32b", 2, call_crc32_byte},
	{"amd64g_calc_crc32w", 2, call_crc32_word},
	{"amd64g_calc_crc32l", 2, call_crc32_double},
	{"amd64g_calc_crc32q", 2, call_crc32_quad},
	{"amd64g_calculate_pext", 2, call_pext},
	{"amd64g_calculate_pdep", 2, call_pdep},
	{"amd64g_calculate_RCL", 4, call_rotate_left},
	{"amd64g_calculate_RCR", 4, call_rotate_right},
	{"amd64g_calculate_mmx_pmaddwd", 2, call_multiply_add},
	{"amd64g_calculate_mmx_psadbw", 2, call_sum_differences},
	{"amd64g_calculate_pclmul", 3, call_multiply_carryless},
};

const HChar *bo_expr_call_name(UInt index)
{
	return index < sizeof(calls) / sizeof(calls[0]) ? calls[index].name : NULL;
}

Bool bo_expr_call(const HChar *name, const struct bo_value *args, UInt n, struct bo_value *result)
{
	for (UInt i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].args == n && !VG_(strcmp)(name, calls[i].name))
			return calls[i].form(args, n, result);
	return False;
}

Bool bo_expr_dirty_call(const HChar *name, const struct bo_value *args, UInt n, const struct bo_value *registers,
			UInt m, struct bo_value *result)
{
	return !VG_(strcmp)(name, "amd64g_dirtyhelper_PCMPxSTRx") &&
	       bo_expr_compare_strings(args, n, registers, m, result);
}
