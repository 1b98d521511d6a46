/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.h - one condition as several smaller ones that must all hold.
 *
 * C libraries look at 16 or 32 bytes of a text at a time: "the first zero byte is at 7" is one condition about all of them.
 * It means that seven bytes are not zero, and that one is: eight conditions about one byte each.  These do not tie bytes
 * together that have nothing to do with each other, so slices are small. */
#ifndef BLACKOUT_SOLVE_SPLIT_H
#define BLACKOUT_SOLVE_SPLIT_H

#include "base/vec.h"
#include "expression/expressions.h"
#include "solve/condition.h"
#include "solve/known.h"

struct split {
	VEC_OF(struct condition) parts;
	VEC_OF(struct split_demand) waiting; /* what has still to be split */
};

/* Set `parts` to conditions that hold together exactly if the condition holds; each is normalized.  Put what is then known
 * of its operands.  May add expressions. */
void split_condition(struct split *split, struct expressions *x, const struct condition *condition,
		     struct known *known);
void split_free(struct split *split);

#endif
