/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - a load from a constant table as an expression of Z3.
 *
 * Arrays of Z3 are of no use here: a table of 256 entries takes seconds.  A table of a checksum (CRC) is linear: each bit of
 * an entry is the exclusive or of some bits of the index, which a solver inverts at once.  All other tables are a tree
 * of choices, one bit of the offset after the other, in which equal parts are shared.  Bits of the offset that are known,
 * such as the low two bits of an index of words, are no choices. */
#include <string.h>

#include "translate.h"

enum { BITS_MAX = 20 };

struct choices {
	Z3_context c;
	const struct expression_table *table;
	unsigned width;          /* of a load */
	Z3_ast bits[BITS_MAX];   /* of the offset that are not known, the lowest first */
	uint64_t ones[BITS_MAX]; /* and what each adds to the offset */
	unsigned count;
	uint64_t base; /* the offset if all of them are 0 */
};

/* How many bits offsets inside of the table have. */
static unsigned offset_bits(const struct expression_table *table)
{
	unsigned bits = 0;

	while (bits < BITS_MAX && (table->size - 1) >> bits)
		bits++;
	return bits;
}

static void choices_find(struct choices *choices, Z3_ast offset)
{
	Z3_context c = choices->c;
	unsigned bits = offset_bits(choices->table);

	offset = Z3_simplify(c, offset);
	for (unsigned i = 0; i < bits; i++) {
		Z3_ast bit = translate_bit(c, offset, i);
		uint64_t known;

		if (Z3_is_numeral_ast(c, bit)) {
			Z3_get_numeral_uint64(c, bit, &known);
			choices->base |= known << i;
			continue;
		}
		choices->bits[choices->count] = bit;
		choices->ones[choices->count++] = UINT64_C(1) << i;
	}
}

static uint64_t load_at(const struct choices *choices, uint64_t offset)
{
	return expression_table_load(choices->table, offset, choices->width);
}

/* The offset that a choice of bits stands for. */
static uint64_t offset_of(const struct choices *choices, uint64_t chosen)
{
	uint64_t offset = choices->base;

	for (unsigned i = 0; i < choices->count; i++) {
		if (chosen >> i & 1)
			offset |= choices->ones[i];
	}
	return offset;
}

/* Is each entry the exclusive or of what its bits contribute?  Only offsets inside of the table matter. */
static bool is_linear(const struct choices *choices, const uint64_t *contributions, uint64_t first)
{
	for (uint64_t chosen = 0; chosen < UINT64_C(1) << choices->count; chosen++) {
		uint64_t offset = offset_of(choices, chosen), value = first;

		for (unsigned i = 0; i < choices->count; i++)
			value ^= chosen >> i & 1 ? contributions[i] : 0;
		if (offset < choices->table->size && value != load_at(choices, offset))
			return false;
	}
	return true;
}

/* A mask that is all ones if the bit is 1. */
static Z3_ast spread(Z3_context c, Z3_ast bit, unsigned width)
{
	return Z3_mk_sign_ext(c, width - 1, bit);
}

/* NULL: the table is not linear. */
static Z3_ast linear(const struct choices *choices)
{
	Z3_context c = choices->c;
	uint64_t contributions[BITS_MAX], first = load_at(choices, choices->base);
	Z3_ast sum = translate_constant(c, first, choices->width);

	for (unsigned i = 0; i < choices->count; i++)
		contributions[i] = load_at(choices, choices->base | choices->ones[i]) ^ first;
	if (!is_linear(choices, contributions, first))
		return NULL;
	for (unsigned i = 0; i < choices->count; i++) {
		Z3_ast mask = translate_constant(c, contributions[i], choices->width);

		sum = Z3_mk_bvxor(c, sum, Z3_mk_bvand(c, spread(c, choices->bits[i], choices->width), mask));
	}
	return sum;
}

/* The value of what the lowest `count` bits choose; the others have been chosen.  At most BITS_MAX deep. */
static Z3_ast tree(const struct choices *choices, unsigned count, uint64_t offset)
{
	Z3_context c = choices->c;

	if (!count || offset >= choices->table->size)
		return translate_constant(c, load_at(choices, offset), choices->width);
	Z3_ast without = tree(choices, count - 1, offset);
	Z3_ast with = tree(choices, count - 1, offset | choices->ones[count - 1]);
	if (without == with)
		return with;
	return Z3_mk_ite(c, Z3_mk_eq(c, choices->bits[count - 1], translate_constant(c, 1, 1)), with, without);
}

Z3_ast translate_table(Z3_context c, const struct expression_table *table, Z3_ast offset, unsigned width)
{
	struct choices choices = {.c = c, .table = table, .width = width};

	choices_find(&choices, offset);
	Z3_ast inside = linear(&choices);
	if (!inside)
		inside = tree(&choices, choices.count, choices.base);
	return Z3_mk_ite(c, Z3_mk_bvult(c, offset, translate_constant(c, table->size, 64)), inside,
			 translate_constant(c, 0, width));
}
