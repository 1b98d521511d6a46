/* SPDX-License-Identifier: GPL-2.0-or-later */
/* extent.h - how much is tested where the user does not say: --visits and --representatives.
 *
 * Without operations, one visit of a failure point and one segment of the same code stand for all others.  With
 * operations they do not: what a lost store does depends on the operations before and after it.  So more of them are
 * tested, evenly spaced over the list, but no more than a run of ordinary length can test:
 *
 *  1. EXTENT_EACH visits of each point, and EXTENT_EACH segments of the same code.  In a list of that length, each
 *     operation is crashed in.
 *  2. If there are many points, fewer visits of each, so that there are EXTENT_VISITS in all, but at least one. */
#ifndef BLACKOUT_ANALYSIS_EXTENT_H
#define BLACKOUT_ANALYSIS_EXTENT_H

#include "crash/options.h"
#include "detect/points.h"

enum { EXTENT_EACH = 100, EXTENT_VISITS = 5000 };

/* Fill in what is 0.  `points` has all points of the recording; NULL: no crash state is tested. */
void extent_choose(struct campaign_options *options, bool has_operations, const struct points *points);

/* The largest number up to `each` for which at most `all` visits are tested; at least 1. */
uint64_t extent_visits(const struct points *points, uint64_t each, uint64_t all);

#endif
