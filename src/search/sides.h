/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sides.h - the sides of branches that depend on input: which were taken, which were turned to, what lies behind them.
 *
 *     size_t side = sides_number(&sides, sides_key(context_hash, !value));
 *     sides_lead(&sides, side, branch, stack, depth, inside);       // where it leads to, for reach/reach.h
 *     sides.all.at[side].taken = true;
 *
 * A branch is told apart by its calling context: the C library compares all words of a program with the same branches. */
#ifndef BLACKOUT_SEARCH_SIDES_H
#define BLACKOUT_SEARCH_SIDES_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "reach/reach.h"
#include "trace/code_place.h"

/* Besides the values 0 and 1 of a condition: */
enum { SIDE_JUMP = 2, SIDE_ADDRESS = 3 };

struct side {
	size_t stack, depth; /* in `places`; depth 0: not known */
	struct reach_place branch;
	unsigned inside; /* frames of well-known libraries around it, up to the program's own code */
	bool is_code;    /* other code is behind it: not only another address */
	uint64_t asked;  /* how often the solver was asked for it */
	uint64_t turned; /* how often there was an answer */
	bool taken;      /* by any execution */
};

/* A zeroed struct is an empty set. */
struct sides {
	VEC_OF(struct side) all;
	VEC_OF(struct reach_place) places;
	struct map numbers;
	uint64_t taken; /* how many are */
};

/* The name of a side of the branch in this context: see code_chains.h. */
struct code_place sides_key(struct code_place context, unsigned direction);

/* The index of a side; a new one was never taken. */
size_t sides_number(struct sides *sides, struct code_place key);

/* Say where a side leads to, and where calls return to from there, unless that is known.  `branch`: the instruction that
 * decides. */
void sides_lead(struct sides *sides, size_t side, struct reach_place branch, const struct reach_place *stack,
		size_t depth, unsigned inside);

void sides_take(struct sides *sides, size_t side);
void sides_free(struct sides *sides);

#endif
