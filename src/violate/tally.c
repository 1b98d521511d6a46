/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.c - counts invariants; see violate_in.h. */
#include "violate/violate_in.h"

#define LIFTED (UINT64_C(1) << 63)

static void invariant_note(struct tally *t, enum invariant_rule rule, const struct invariant *lifted, uint64_t sites,
			   enum tally_flag flag)
{
	uint64_t *flags = map_put(&t->flags, (uint64_t)rule, lifted ? LIFTED | lifted->number : sites);

	*flags |= (uint64_t)flag | (lifted ? 0 : TALLY_UNLIFTED);
}

void tally_note(struct tally *t, enum invariant_rule rule, const struct lifted *lifted, const struct store_place *first,
		const struct store_place *second, enum tally_flag flag)
{
	if (rule != INVARIANT_RA1) {
		invariant_note(t, rule, lifted->first, (uint64_t)first->site << 31 ^ second->site, flag);
		return;
	}
	invariant_note(t, rule, lifted->first, first->site, flag);
	invariant_note(t, rule, lifted->second, second->site, flag);
}

void tally_violation(struct tally *t, const struct violation *v, enum tally_flag flag)
{
	tally_note(t, v->rule, &v->lifted, &v->first.place, &v->second.place, flag);
}

uint64_t tally_count(const struct tally *t, enum tally_flag flag)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t->flags.room; i++)
		count += t->flags.entries[i].used && t->flags.entries[i].value & flag;
	return count;
}

/* Those that apply, though they were not lifted, of RA1 or of the other rules. */
static uint64_t unlifted_count(const struct tally *t, bool atomicity)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t->flags.room; i++) {
		const struct map_entry *entry = &t->flags.entries[i];

		count += entry->used && entry->value & TALLY_UNLIFTED && (entry->key[0] == INVARIANT_RA1) == atomicity;
	}
	return count;
}

void violate_figures_add(const struct invariants *invariants, const struct tally *tally, struct findings *f)
{
	struct invariants_figures inferred = invariants_figures(invariants);

	f->stats.invariants.ordering = figure_known(inferred.ordering + unlifted_count(tally, false));
	f->stats.invariants.atomicity = figure_known(inferred.atomicity + unlifted_count(tally, true));
	f->stats.invariants.violable = figure_known(tally_count(tally, TALLY_VIOLABLE));
}
