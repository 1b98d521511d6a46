/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expressions.h - the graph of expressions of a recording: how values were computed from the program's input.
 *
 *     uint32_t id = expressions_add(x, &(struct expression){.kind = BO_EXPR_ADD, .width = 8, .operand = {a, b}});
 *     const struct expression *e = expressions_at(x, id);
 *
 * Kinds and their meaning are in blackout/expression.h.  Ids count from 1; 0 is no expression.  Operands have smaller ids
 * than the expressions that use them, and equal expressions have the same id, so the graphs of several processes can be
 * added to one.  Nothing is ever removed.  Graphs can be deep (a checksum is a chain as long as the input), so nothing
 * here recurses. */
#ifndef BLACKOUT_EXPRESSION_EXPRESSIONS_H
#define BLACKOUT_EXPRESSION_EXPRESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "blackout/expression_meaning.h"

struct expression {
	uint8_t kind; /* enum bo_expression */
	uint8_t width;
	uint32_t operand[BO_EXPR_OPERANDS_MAX]; /* ids; 0: there are no more */
	uint64_t own;                           /* its meaning is in BO_EXPRESSIONS; 0 where it has none */
};

struct expression_source {
	enum bo_source kind;
	const char *name; /* "" for stdin */
};

struct expression_table {
	uint64_t address; /* of its first byte in the program */
	const uint8_t *bytes;
	size_t size;
};

struct expressions;

struct expressions *expressions_new(void);
void expressions_free(struct expressions *x);

/* The id of an expression, or 0 if there cannot be such an expression: kind, width, number of operands, their widths, or
 * a source or table are wrong. */
uint32_t expressions_add(struct expressions *x, const struct expression *expression);

/* Valid until the next expressions_add.  The id must exist. */
const struct expression *expressions_at(const struct expressions *x, uint32_t id);
uint32_t expressions_count(const struct expressions *x); /* the largest id */

/* Sources and tables have ids from 1, too, and equal ones have the same id.  The content is copied. */
uint32_t expressions_add_source(struct expressions *x, enum bo_source kind, const char *name);
uint32_t expressions_add_table(struct expressions *x, uint64_t address, const void *bytes, size_t size);

/* Valid until expressions_free; NULL if there is no such id. */
const struct expression_source *expressions_source(const struct expressions *x, uint32_t id);
const struct expression_table *expressions_table(const struct expressions *x, uint32_t id);
uint32_t expressions_source_count(const struct expressions *x);

/* Bytes of a table at `offset`, as the number that a load of `width` bits gives.  Bytes outside of it are 0. */
uint64_t expression_table_load(const struct expression_table *table, uint64_t offset, unsigned width);

static inline uint32_t expression_input_source(const struct expression *input)
{
	return (uint32_t)(input->own >> BO_EXPR_SOURCE_SHIFT);
}

static inline uint64_t expression_input_offset(const struct expression *input)
{
	return input->own & bo_width_mask(BO_EXPR_SOURCE_SHIFT);
}

/* Write an expression as text, such as `eq(stdin[3], 0x41)`, and a zero byte, into `size` bytes (at least 4).  Text that
 * is too long ends in "...". */
void expression_print(const struct expressions *x, uint32_t id, char *text, size_t size);

#endif
