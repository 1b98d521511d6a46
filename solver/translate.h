/* SPDX-License-Identifier: GPL-2.0-or-later */
/* translate.h - expressions in the language of Z3.
 *
 *     struct translation t = {.context = context, .x = x};
 *     Z3_ast ast = translation_of(&t, id);             // a bit vector of the expression's width
 *     translation_free(&t);
 *
 * The context keeps everything that is made in it, so there are no references to count. */
#ifndef BLACKOUT_SOLVER_TRANSLATE_H
#define BLACKOUT_SOLVER_TRANSLATE_H

#include <z3.h>

#include "base/vec.h"
#include "expression/expressions.h"

struct translation {
	Z3_context context;
	const struct expressions *x;
	VEC_OF(Z3_ast) at; /* by id - 1 */
};

void translation_free(struct translation *t);

Z3_ast translation_of(struct translation *t, uint32_t id);

/* The condition that a bit vector of width 1 has this value. */
Z3_ast translation_condition(struct translation *t, uint32_t id, bool value);

/* A constant. */
Z3_ast translate_constant(Z3_context c, uint64_t value, unsigned width);

/* One bit of a bit vector, simplified, as a bit vector. */
Z3_ast translate_bit(Z3_context c, Z3_ast vector, unsigned bit);

/* A load of `width` bits at `offset` (of width 64) in a table. */
Z3_ast translate_table(Z3_context c, const struct expression_table *table, Z3_ast offset, unsigned width);

#endif
