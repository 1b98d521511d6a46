/* SPDX-License-Identifier: GPL-2.0-or-later */
/* condition.h - a condition of a path: an expression of width 1 that had a value. */
#ifndef BLACKOUT_SOLVE_CONDITION_H
#define BLACKOUT_SOLVE_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

struct condition {
	uint32_t expression;
	bool value;
	uint64_t site; /* any number that tells places in the code apart */
};

#endif
