/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expression_make.h - expressions about the bytes of source 1, for tests of the search.  Include it after cmocka.h. */
#ifndef BLACKOUT_TEST_EXPRESSION_MAKE_H
#define BLACKOUT_TEST_EXPRESSION_MAKE_H

#include "expression/expressions.h"

static inline uint32_t add(struct expressions *x, enum bo_expression kind, unsigned width, uint64_t own, uint32_t a,
			   uint32_t b)
{
	uint32_t id = expressions_add(
		x, &(struct expression){.kind = (uint8_t)kind, .width = (uint8_t)width, .own = own, .operand = {a, b}});

	assert_int_not_equal(id, 0);
	return id;
}

static inline uint32_t byte(struct expressions *x, uint64_t offset)
{
	return add(x, BO_EXPR_INPUT, 8, (uint64_t)1 << BO_EXPR_SOURCE_SHIFT | offset, 0, 0);
}

static inline uint32_t number(struct expressions *x, unsigned width, uint64_t value)
{
	return add(x, BO_EXPR_CONST, width, value, 0, 0);
}

static inline uint32_t is(struct expressions *x, uint64_t offset, char c)
{
	return add(x, BO_EXPR_EQ, 1, 0, byte(x, offset), number(x, 8, (uint8_t)c));
}

#endif
