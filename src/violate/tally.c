/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.c - counts invariants; see violate_in.h. */
#include "violate/violate_in.h"

void tally_note(struct tally *t, enum invariant_rule rule, const struct store_place *first,
		const struct store_place *second, enum tally_flag flag)
{
	bool pair = rule != INVARIANT_RA1;

	*map_put(&t->flags, (uint64_t)rule, (uint64_t)first->site << 32 | (pair ? second->site : 0)) |= flag;
	if (!pair)
		*map_put(&t->flags, (uint64_t)rule, (uint64_t)second->site << 32) |= flag;
}

uint64_t tally_count(const struct tally *t, enum tally_flag flag)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t->flags.room; i++)
		count += t->flags.entries[i].used && t->flags.entries[i].value & flag;
	return count;
}

void violate_figures_add(const struct invariants *invariants, const struct tally *tally, struct findings *f)
{
	struct invariants_figures inferred = invariants_figures(invariants);

	f->stats.invariants.ordering = figure_known(inferred.ordering);
	f->stats.invariants.atomicity = figure_known(inferred.atomicity);
	f->stats.invariants.violable = figure_known(tally_count(tally, TALLY_VIOLABLE));
}
