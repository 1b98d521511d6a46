/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluation.h - the values of expressions for one input.
 *
 *     struct evaluation *evaluation = evaluation_new(x);
 *     uint64_t value = evaluation_value(evaluation, id, &input);      // each expression is computed once
 *     evaluation_forget(evaluation);                                  // before another input, or after a change of it
 *     evaluation_free(evaluation);
 *
 * The graph may grow meanwhile. */
#ifndef BLACKOUT_EXPRESSION_EVALUATION_H
#define BLACKOUT_EXPRESSION_EVALUATION_H

#include "expression/assignment.h"
#include "expression/expressions.h"

struct evaluation;

struct evaluation *evaluation_new(const struct expressions *x);
void evaluation_free(struct evaluation *evaluation);

uint64_t evaluation_value(struct evaluation *evaluation, uint32_t id, const struct assignment *input);
void evaluation_forget(struct evaluation *evaluation);

/* The value of a single expression.  For several, share an evaluation. */
uint64_t expressions_evaluate(const struct expressions *x, uint32_t id, const struct assignment *input);

#endif
