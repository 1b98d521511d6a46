/* SPDX-License-Identifier: GPL-2.0-or-later */
/* minimize.h - the fewest stores that must be lost for recovery to fail.
 *
 * Starts from a set of lost units on which recovery fails, and puts stores on media as long as it still fails, many at
 * once and then one by one (delta debugging).  A store goes to media as a whole, together with the stores that the
 * platform requires, so only legal sets are tried.  The result is minimal: with any one more store on media, recovery
 * does not fail in this way.  A smaller set that this search cannot reach may exist. */
#ifndef BLACKOUT_EXPLAIN_MINIMIZE_H
#define BLACKOUT_EXPLAIN_MINIMIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* Does recovery fail in the same way on this set?  1, 0, or negative: stop here. */
typedef int minimize_fails(void *arg, const bool *persisted);

/* `persisted` has a flag for each unit of model_pending.  It must be a legal set on which recovery fails, and becomes
 * the result.  At most *left sets are tried, and *left is reduced by their number.  If it becomes 0, the result might
 * not be minimal.  Returns a negative value of `fails`; the result so far is then valid. */
int minimize_lost(struct model *model, bool *persisted, unsigned *left, minimize_fails *fails, void *arg);

/* Find the fewest pending stores that must be on media.  `persisted` is a legal set on which recovery fails.  As many
 * of its stores as possible become lost while recovery still fails.  Only stores from the event `from` on are tried. */
int minimize_kept(struct model *model, bool *persisted, uint64_t from, unsigned *left, minimize_fails *fails,
		  void *arg);

/* Remove from `persisted` the units that a legal set without the other units cannot have.  False if the result is not a
 * legal set. */
bool minimize_spread(struct model *model, bool *persisted);

#endif
