/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expression_random.h - random expressions over a few variables.
 *
 *     struct expression_maker maker = {.x = x, .state = seed, .width_most = 32};
 *     maker_variable(&maker, id);                              // as often as there are variables
 *     uint32_t id = maker_of_kind(&maker, BO_EXPR_MUL, 3);     // at most 3 operations deep
 */
#ifndef BLACKOUT_TEST_EXPRESSION_RANDOM_H
#define BLACKOUT_TEST_EXPRESSION_RANDOM_H

#include "base/vec.h"
#include "expression/expressions.h"

struct expression_maker {
	struct expressions *x;
	uint64_t state;
	uint8_t width_most; /* of what is multiplied, divided and so on: a question about 64 bits can take minutes */
	VEC_OF(uint32_t) variables;
};

void maker_variable(struct expression_maker *maker, uint32_t id);
void maker_free(struct expression_maker *maker);

/* An expression of this kind, which is no variable, with a width that it may have. */
uint32_t maker_of_kind(struct expression_maker *maker, enum bo_expression kind, unsigned depth);

/* An expression of this width and any kind. */
uint32_t maker_of_width(struct expression_maker *maker, uint8_t width, unsigned depth);

/* A condition: an expression of width 1, mostly a comparison. */
uint32_t maker_condition(struct expression_maker *maker, unsigned depth);

#endif
