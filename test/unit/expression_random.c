/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expression_random.c - see expression_random.h. */
#include "expression_random.h"

#include "base/err.h"
#include "base/random.h"

enum { TABLE_MOST = 300 };

void maker_variable(struct expression_maker *maker, uint32_t id)
{
	vec_push(&maker->variables, id);
}

void maker_free(struct expression_maker *maker)
{
	vec_free(&maker->variables);
}

static uint32_t below(struct expression_maker *maker, uint32_t limit)
{
	return (uint32_t)random_below(&maker->state, limit);
}

static uint32_t add(struct expression_maker *maker, struct expression e)
{
	uint32_t id = expressions_add(maker->x, &e);

	BUG_ON(!id);
	return id;
}

static uint32_t constant(struct expression_maker *maker, uint8_t width)
{
	uint64_t value = random_next(&maker->state);

	switch (below(maker, 4)) {
	case 0: value %= 20; break;
	case 1: value = UINT64_MAX - value % 20; break;
	case 2: value = 'a' + value % 4; break;
	default: break; /* anything */
	}
	return add(maker,
		   (struct expression){.kind = BO_EXPR_CONST, .width = width, .own = value & bo_width_mask(width)});
}

/* An expression cut or extended to a width. */
static uint32_t fit(struct expression_maker *maker, uint32_t id, uint8_t width)
{
	uint8_t has = expressions_at(maker->x, id)->width;
	struct expression e = {.width = width, .operand = {id}};

	if (has == width)
		return id;
	if (has > width) {
		e.kind = BO_EXPR_EXTRACT;
		e.own = below(maker, has - width + 1u);
	} else {
		e.kind = below(maker, 2) ? BO_EXPR_ZEXT : BO_EXPR_SEXT;
	}
	return add(maker, e);
}

static uint32_t leaf(struct expression_maker *maker, uint8_t width)
{
	if (below(maker, 4) == 0)
		return constant(maker, width);
	return fit(maker, maker->variables.at[below(maker, (uint32_t)maker->variables.count)], width);
}

static uint8_t some_width(struct expression_maker *maker)
{
	static const uint8_t widths[] = {1, 7, 8, 8, 16, 16, 32, 33, 64};
	uint8_t width = widths[below(maker, sizeof(widths))];

	return width < maker->width_most ? width : maker->width_most;
}

/* Some tables are linear, as those of checksums are; the others have repeated entries or random ones. */
static uint32_t table(struct expression_maker *maker)
{
	uint8_t bytes[TABLE_MOST];
	uint32_t size = 1 + below(maker, TABLE_MOST), kind = below(maker, 3);

	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(kind == 0 ? i ^ i << 3 ^ 0x55 : kind == 1 ? i / 7 : random_next(&maker->state));
	return expressions_add_table(maker->x, 0x1000, bytes, size);
}

/* An offset that is mostly inside of the table: entries have 1, 2 or 4 bytes. */
static uint32_t table_offset(struct expression_maker *maker, unsigned depth)
{
	uint32_t index = add(maker, (struct expression){.kind = BO_EXPR_ZEXT,
							.width = 64,
							.operand = {maker_of_width(maker, 8, depth)}});
	uint32_t scale = add(maker, (struct expression){.kind = BO_EXPR_CONST, .width = 64, .own = below(maker, 3)});

	return add(maker, (struct expression){.kind = BO_EXPR_SHL, .width = 64, .operand = {index, scale}});
}

/* The widths of the operands that fit a result of this width. */
static void operand_widths(struct expression_maker *maker, enum bo_expression kind, uint8_t *width, uint8_t *widths)
{
	widths[0] = widths[1] = widths[2] = *width;
	switch (kind) {
	case BO_EXPR_EXTRACT: widths[0] = (uint8_t)(*width + below(maker, *width < 56 ? 9u : 65u - *width)); break;
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT: widths[0] = (uint8_t)(1 + below(maker, *width)); break;
	case BO_EXPR_CONCAT:
		*width = *width == 1 ? 2 : *width;
		widths[0] = (uint8_t)(1 + below(maker, *width - 1u));
		widths[1] = (uint8_t)(*width - widths[0]);
		break;
	case BO_EXPR_EQ:
	case BO_EXPR_ULT:
	case BO_EXPR_ULE:
	case BO_EXPR_SLT:
	case BO_EXPR_SLE:
		widths[0] = widths[1] = some_width(maker);
		*width = 1;
		break;
	case BO_EXPR_ITE: widths[0] = 1; break;
	default: break;
	}
}

static uint32_t of_kind(struct expression_maker *maker, enum bo_expression kind, uint8_t width, unsigned depth)
{
	struct expression e = {.kind = (uint8_t)kind};
	uint8_t widths[BO_EXPR_OPERANDS_MAX];

	if (kind == BO_EXPR_TABLE) {
		e.width = (uint8_t)(8 << below(maker, 4));
		e.own = table(maker);
		e.operand[0] = table_offset(maker, depth);
		return add(maker, e);
	}
	operand_widths(maker, kind, &width, widths);
	e.width = width;
	for (unsigned i = 0; i < bo_expression_operands(kind); i++)
		e.operand[i] = maker_of_width(maker, widths[i], depth);
	if (kind == BO_EXPR_EXTRACT)
		e.own = below(maker, widths[0] - width + 1u);
	return add(maker, e);
}

uint32_t maker_of_kind(struct expression_maker *maker, enum bo_expression kind, unsigned depth)
{
	if (kind == BO_EXPR_CONST)
		return constant(maker, some_width(maker));
	return of_kind(maker, kind, some_width(maker), depth ? depth - 1 : 0);
}

uint32_t maker_of_width(struct expression_maker *maker, uint8_t width, unsigned depth)
{
	const uint32_t first = BO_EXPR_NOT;

	if (!depth || below(maker, 5) == 0)
		return leaf(maker, width);
	return fit(maker, of_kind(maker, first + below(maker, BO_EXPR_COUNT - first), width, depth - 1), width);
}

uint32_t maker_condition(struct expression_maker *maker, unsigned depth)
{
	static const enum bo_expression comparisons[] = {BO_EXPR_EQ, BO_EXPR_ULT, BO_EXPR_ULE, BO_EXPR_SLT,
							 BO_EXPR_SLE};

	if (below(maker, 4) == 0)
		return maker_of_width(maker, 1, depth);
	return of_kind(maker, comparisons[below(maker, 5)], 1, depth);
}
