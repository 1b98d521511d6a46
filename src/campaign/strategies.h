/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strategies.h - the table of strategies (crash/strategy.h).
 *
 *     for (const struct strategy *const *s = strategies_all(); *s; s++)
 *             ... (*s)->name ...
 *
 * To add one, write its file and add it to STRATEGIES.  They work in this order. */
#ifndef BLACKOUT_CAMPAIGN_STRATEGIES_H
#define BLACKOUT_CAMPAIGN_STRATEGIES_H

#include "detect/detector.h"

struct strategy; /* crash/strategy.h */

/* X(name, use): the struct is strategy_NAME.  `use` is as in DETECTORS (detect/detector.h).  What needs fewer states to
 * find a mistake comes first: a budget may end before the last. */
#define STRATEGIES(X)                  \
	X(inject, DETECT_BY_DEFAULT)   \
	X(invariants, DETECT_IF_ASKED) \
	X(races, DETECT_IF_ASKED)      \
	X(explore, DETECT_IF_ASKED)

/* All strategies, in an array that ends with NULL. */
const struct strategy *const *strategies_all(void);

#endif
