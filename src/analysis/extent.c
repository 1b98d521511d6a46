/* SPDX-License-Identifier: GPL-2.0-or-later */
/* extent.c - see extent.h, whose rules are numbered. */
#include "analysis/extent.h"

/* How many visits are tested, if up to `each` of every point are. */
static uint64_t visits_in_all(const struct points *points, uint64_t each)
{
	uint64_t sum = 0;

	for (size_t i = 1; i <= points_count(points); i++) {
		uint64_t here = points_get(points, i)->visits;

		sum += here < each ? here : each;
	}
	return sum;
}

uint64_t extent_visits(const struct points *points, uint64_t each, uint64_t all)
{
	while (each > 1 && visits_in_all(points, each) > all)
		each--;
	return each;
}

void extent_choose(struct campaign_options *o, bool has_operations, const struct points *points)
{
	o->nested_visits = o->visits ? o->visits : 1;
	o->nested_representatives = o->representatives ? o->representatives : 1;
	if (!o->visits)
		o->visits = has_operations && points ? extent_visits(points, EXTENT_EACH, EXTENT_VISITS) : 1;
	if (!o->representatives)
		o->representatives = has_operations ? EXTENT_EACH : 1;
}
