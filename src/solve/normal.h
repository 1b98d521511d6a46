/* SPDX-License-Identifier: GPL-2.0-or-later */
/* normal.h - one form for conditions that mean the same, so that they are recognized: not(a) = 1 is a = 0, and
 * ule(a, b) = 1 is ult(b, a) = 0. */
#ifndef BLACKOUT_SOLVE_NORMAL_H
#define BLACKOUT_SOLVE_NORMAL_H

#include "expression/expressions.h"
#include "solve/condition.h"

/* May add expressions. */
void condition_normalize(struct expressions *x, struct condition *condition);

/* If an expression compares another one with a constant for equality: that other one; else 0. */
uint32_t compared_with_constant(const struct expressions *x, uint32_t id);

/* Is it a constant?  *value is then its value. */
bool constant_of(const struct expressions *x, uint32_t id, uint64_t *value);

#endif
