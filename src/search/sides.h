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
enum {
	SIDE_JUMP = 2, /* any other target */
	SIDE_ADDRESS = 3,
	SIDE_LATER = 4,  /* of a branch that the program decides without looking at input itself */
	SIDE_TARGET = 5, /* and more: one target of a jump */
};

struct side {
	size_t stack, depth; /* in `places`; depth 0: not known */
	struct reach_place branch;
	unsigned inside;   /* frames of well-known libraries around it, up to the program's own code */
	bool is_code;      /* other code is behind it: not only another address */
	bool is_bulk;      /* it leads to nothing new (bulk.h) */
	bool is_exhausted; /* of a jump: there was no target to which none had gone, on one path at least */
	bool is_later;     /* it depends on what a library returns, and not on input itself; it is not taken */
	uint64_t spent;    /* on it, in questions to the solver (picking.c) */
	uint64_t hoped;    /* how often another side was asked for because of this one; is_later: longer inputs */
	bool taken;        /* by any execution */
	uint64_t states;   /* in how many of them it was taken */
	/* What the route that is being read has done at the branch, if it took this side last: */
	uint64_t route;  /* the route; another one: nothing */
	uint64_t before; /* a hash of all before, */
	unsigned run;    /* and how often it took this side since */
};

/* What a path has done before a branch: in which rounds of loops it changed from one side of a branch of the program to the
 * other.  A loop that is left in another round may do something new behind the same side. */
struct side_state {
	uint64_t hash;
	unsigned changes; /* how complicated it is */
	unsigned rounds;  /* how often a side was taken again */
};

/* Where a jump went. */
struct side_target {
	size_t jump; /* the side */
	uint64_t target;
};

/* A zeroed struct is an empty set. */
struct sides {
	VEC_OF(struct side) all;
	VEC_OF(struct reach_place) places;
	struct map numbers;
	struct map
		states; /* by side and state: whether it was taken there, and how often the solver was asked for it */
	VEC_OF(struct side_target) targets; /* each once */
	uint64_t taken;                     /* how many sides are */
	uint64_t news;                      /* how many of these are not bulk */
	uint64_t deeper;                    /* how often one of them was taken in a new state, besides the first time */
	uint64_t routes;                    /* that were read */
	unsigned news_at;        /* how complicated the route that is being read was when it took a new side last */
	struct side_state state; /* of the route that is being read */
	bool aside;              /* the route that is being read changes no states: it is not the strategy's */
};

/* The name of a side of the branch in this context: see code_chains.h. */
struct code_place sides_key(struct code_place context, uint64_t direction);

/* The index of a side; a new one was never taken. */
size_t sides_number(struct sides *sides, struct code_place key);

/* Say where a side leads to, and where calls return to from there, unless that is known.  `branch`: the instruction that
 * decides. */
void sides_lead(struct sides *sides, size_t side, struct reach_place branch, const struct reach_place *stack,
		size_t depth, unsigned inside);

/* The next calls of sides_take are about another execution. */
void sides_begin(struct sides *sides);

/* A side is taken instead of the other.  `own`: the branch is the program's own, so the state changes. */
void sides_take(struct sides *sides, size_t side, size_t other, bool own);

/* The same for a jump to one of several targets, whose side has a name in the context. */
void sides_jump(struct sides *sides, size_t jump, struct code_place context, uint64_t target, bool own);

/* How complicated a state is, from 1; 0: so much that it does not count. */
unsigned side_state_cost(struct side_state state);

/* Was the side never taken in the state?  *asked: how often the solver was asked for that. */
bool sides_lack(const struct sides *sides, size_t side, struct side_state state, uint64_t *asked);
void sides_ask(struct sides *sides, size_t side, struct side_state state);

void sides_free(struct sides *sides);

#endif
