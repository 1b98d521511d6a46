/* SPDX-License-Identifier: GPL-2.0-or-later */
/* condition.h - a condition of a path: an expression of width 1 that had a value; and which conditions may be given up. */
#ifndef BLACKOUT_SOLVE_CONDITION_H
#define BLACKOUT_SOLVE_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

enum condition_kind {
	CONDITION_OWN,    /* a branch of the program */
	CONDITION_INSIDE, /* a branch inside a C library: it often only says how a result is computed */
	CONDITION_PLACE, /* that an address or a target is the one it was: the program often comes to the same branches */
	CONDITION_BOUND, /* without it, expressions mean nothing */
};

struct condition {
	uint32_t expression;
	bool value;
	uint64_t site; /* any number that tells places in the code apart */
	enum condition_kind kind;
};

/* Which conditions are given up if they are in the way; each relaxation gives up more than the one before. */
enum relaxation {
	RELAX_NOTHING,
	RELAX_PLACES,
	RELAX_INSIDE,
	RELAX_ALL, /* only the turned condition is sure to hold */
	RELAXATIONS
};

static inline bool condition_is_wished(enum condition_kind kind, enum relaxation relaxation)
{
	static const enum relaxation first[] = {
		[CONDITION_OWN] = RELAX_ALL,
		[CONDITION_INSIDE] = RELAX_INSIDE,
		[CONDITION_PLACE] = RELAX_PLACES,
		[CONDITION_BOUND] = RELAXATIONS,
	};

	return relaxation >= first[kind];
}

#endif
