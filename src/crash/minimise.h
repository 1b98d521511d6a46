/* SPDX-License-Identifier: GPL-2.0-or-later */
/* minimise.h - the fewest stores that must be lost for recovery to fail.
 *
 * Starts from a set of lost units that makes it fail, and puts stores on media, many at once and then one by one, as
 * long as it still does (delta debugging).  A store goes to media as a whole, and takes along what the platform
 * demands: the sets that are tried are legal.  The result is minimal in that no single further store can be on media;
 * there may be smaller sets that cannot be reached so. */
#ifndef BLACKOUT_CRASH_MINIMISE_H
#define BLACKOUT_CRASH_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* Does recovery fail in the same way with these persisted?  1, 0, or negative: stop here. */
typedef int minimise_fails(void *arg, const bool *persisted);

/* `persisted`, a flag for each unit of model_pending, is a legal set on which recovery fails; it becomes the result.
 * At most *left sets are tried, and fewer are left then; none: it might not be the fewest.  Negative what `fails` said,
 * if it did; what was reached by then holds. */
int minimise_lost(struct model *model, bool *persisted, unsigned *left, minimise_fails *fails, void *arg);

/* The fewest pending stores that must be on media: `persisted` is a legal set on which recovery fails; as much of it as
 * can be is lost, too, as long as it still does.  Only what was stored from the event `from` on is tried. */
int minimise_kept(struct model *model, bool *persisted, uint64_t from, unsigned *left, minimise_fails *fails,
		  void *arg);

/* Take from `persisted` what a legal set without the other units cannot have.  False if that leaves a set that is
 * none. */
bool minimise_spread(struct model *model, bool *persisted);

#endif
