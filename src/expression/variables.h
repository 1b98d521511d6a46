/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variables.h - which variables of the input (bytes and lengths) an expression depends on.
 *
 *     struct variables *variables = variables_new(x);
 *     const struct variable_set *a = variables_of(variables, id);
 *     if (variable_sets_meet(a, b)) ...
 *     variables_free(variables);
 *
 * A variable is a number: that of an INPUT is its own number, and the length of a source follows all of its bytes.  A set
 * is a list of ranges, because programs look at input in order: the set of each step of a checksum is one range.  Equal
 * sets are the same one, so sets can be compared as pointers.  The graph may grow meanwhile. */
#ifndef BLACKOUT_EXPRESSION_VARIABLES_H
#define BLACKOUT_EXPRESSION_VARIABLES_H

#include "expression/expressions.h"

struct variable_range {
	uint64_t first, last;
};

/* Ascending; there is at least one number between two ranges. */
struct variable_set {
	size_t count;
	struct variable_range at[];
};

static inline uint64_t variable_of_length(uint32_t source)
{
	return (uint64_t)source << BO_EXPR_SOURCE_SHIFT | bo_width_mask(BO_EXPR_SOURCE_SHIFT);
}

static inline uint64_t variable_of_byte(uint32_t source, uint64_t offset)
{
	return (uint64_t)source << BO_EXPR_SOURCE_SHIFT | offset;
}

struct variables;

struct variables *variables_new(const struct expressions *x);
void variables_free(struct variables *variables);

/* Valid until variables_free.  Each expression's set is computed once. */
const struct variable_set *variables_of(struct variables *variables, uint32_t id);

bool variable_sets_meet(const struct variable_set *a, const struct variable_set *b);
bool variable_set_has(const struct variable_set *set, uint64_t variable);

#endif
