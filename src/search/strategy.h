/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strategy.h - the names of the orders in which branches are turned (--strategy). */
#ifndef BLACKOUT_SEARCH_STRATEGY_H
#define BLACKOUT_SEARCH_STRATEGY_H

/* X(NAME, name on the command line) */
#define SEARCH_STRATEGIES(X)                                                                    \
	X(PM, "pm")             /* what leads to PM-modifying instructions, then what is new */ \
	X(COVERAGE, "coverage") /* what leads to code that was never executed */                \
	X(RANDOM, "random")
#define SEARCH_STRATEGY_BAR(name, text) "|" text

enum search_strategy {
#define X(name, text) SEARCH_##name,
	SEARCH_STRATEGIES(X)
#undef X
		SEARCH_STRATEGY_COUNT
};

#endif
