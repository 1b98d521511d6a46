/* SPDX-License-Identifier: GPL-2.0-or-later */
/* violate.h - tests the legal crash states that violate likely invariants (invariants/invariants.h).
 *
 * strategy_invariants is a row of the table of strategies (crash/strategy.h).
 *
 * DESIGN.  An invariant says that one store, `first`, should persist before another, `second`.  Two states of a moment
 * are the smallest that violate it: everything is on media but `first` and what that drags along; and nothing is on
 * media but `second` and what that demands (states.c).  RA1 asks for both or neither: it is violated in both
 * directions.  The passes over the recording:
 *
 *  1. Infer: all events go to the inference, and those of one recorded recovery from what the program leaves.
 *  2. Count: at each moment (model/moments.h), the pairs of stores that a legal state can have the wrong way round
 *     (search.c).  Pairs of the same code, that is of the same rule and store sites in segments of the same code, are one
 *     group.  The first few instances of each group become targets (targets.c).
 *  3. Test the targets.  With a budget, those of the groups that were seen and can be violated most often come first,
 *     and in the end, while there is time, all other instances are tested.
 *
 * A state violates its invariant by its content: some byte of `second` is new, and some byte of `first` is not.  Other
 * states are not tested, except the two extreme ones of each moment, for the rules of trials.h.
 *
 * A failing state is explained like any other (explain/).  If the stores that must be lost and those that must be on
 * media for recovery to fail contradict an invariant, the invariant is the reason of the finding (reason.c).  What
 * recovery tolerates is not reported. */
#ifndef BLACKOUT_VIOLATE_VIOLATE_H
#define BLACKOUT_VIOLATE_VIOLATE_H

#include "crash/strategy.h"

extern const struct strategy strategy_invariants;

#endif
