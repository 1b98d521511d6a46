/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reason.c - which invariant explains a failure?
 *
 * The search for the cause (explain/loss.c) has found the fewest stores that must be lost for recovery to fail, and, if
 * that could be found out, the stores that must be on media.  If an invariant orders one of the former before one of
 * the latter, it is the reason.  If no pending store must be on media, something certain contradicts the loss: either
 * the `second` of a violation that was tested with this loss, or one of the last stores before the crash.  That is a
 * guess, so a weak invariant is no reason then: one between code that stores to different objects, or, for one of the last
 * stores, RA1, which holds between any two guardians.
 *
 * If recovery fails though everything so far is on media, one store came too early: then it is the `second`. */
#include <string.h>

#include "violate/violate_in.h"

/* The pair that an invariant is about. */
struct reason {
	struct invariant_match match, other; /* `other`: of RA1, why the second store is a guardian */
	const struct crash_store *lost;      /* the first store, if it is lost; NULL: it was not made yet */
	uint32_t first;                      /* its context */
	struct crash_store second;
	struct store_place places[2];
};

struct asking {
	const struct campaign *campaign;
	const struct violate *violate;
	struct crash_sighting *sighting;
	bool atomicity; /* ask for RA1, not for an order */
	struct reason found;
};

/* A store of a crash state may be only part of what the program stored, so what the search saw is preferred. */
static struct store_place place_find(const struct violate *v, const struct crash_store *store)
{
	const struct event ev = {.type = EVENT_STORE,
				 .context = store->context,
				 .file = store->file,
				 .offset = store->offset,
				 .size = store->size};
	const uint64_t *known = map_get(&v->place_index, store->event, 0);

	return known ? v->places.at[*known - 1] : invariants_place(v->invariants, &ev);
}

/* `computed`: the second store may have been computed from the first, or made because of it.  It cannot if it was
 * certain before the first was made. */
static bool pair_matches(struct asking *a, const struct store_place *first, const struct store_place *second,
			 bool computed)
{
	const struct invariants *inv = a->violate->invariants;
	struct invariant_match matches[INVARIANT_ORDERINGS];
	size_t count;

	if (a->atomicity)
		return invariants_guardian(inv, first, &a->found.match) &&
		       invariants_guardian(inv, second, &a->found.other);
	count = invariants_orders(inv, first, second, matches);
	for (size_t i = 0; i < count; i++)
		if ((computed || matches[i].rule == INVARIANT_RO3) &&
		    (a->sighting->pair || !a->sighting->lost_count || matches[i].scope != INVARIANT_SITES)) {
			a->found.match = matches[i];
			return true;
		}
	return false;
}

static bool pair_ask(struct asking *a, const struct crash_store *first, const struct crash_store *second,
		     const struct store_place *second_place)
{
	struct store_place place = place_find(a->violate, first);
	bool computed = !second->certain || first->event < second->event;

	if (first->event == second->event || !pair_matches(a, &place, second_place, computed))
		return false;
	a->found.lost = first;
	a->found.first = first->context;
	a->found.second = *second;
	a->found.places[0] = place;
	a->found.places[1] = *second_place;
	return true;
}

static bool ask_persisted(struct asking *a, const struct crash_store *first)
{
	const struct crash_sighting *s = a->sighting;

	if (a->atomicity && !s->pair)
		return false;
	for (uint64_t i = 0; i < s->persisted_count && i < CRASH_STORES_MAX; i++) {
		struct store_place place = place_find(a->violate, &s->persisted[i]);

		if ((s->pair ? s->persisted[i].needed : s->persisted[i].certain) &&
		    pair_ask(a, first, &s->persisted[i], &place))
			return true;
	}
	return false;
}

static bool ask_tested(struct asking *a, const struct crash_store *first)
{
	for (size_t i = 0; !a->sighting->pair && i < a->violate->tested.count; i++) {
		const struct violation *tested = &a->violate->tested.at[i];
		const struct made *made = &tested->second;
		const struct crash_store second = {.context = made->context,
						   .file = made->file,
						   .size = (uint32_t)made->place.size,
						   .offset = made->place.offset,
						   .value =
							   made->place.size <= sizeof(made->value) ? made->value : NULL,
						   .event = made->event,
						   .certain = true};

		if (tested->first.event == first->event && pair_ask(a, first, &second, &made->place))
			return true;
	}
	return false;
}

/* The events between which recovery ceases to fail, if everything so far is on media: after `from`, up to `to`. */
struct range {
	uint64_t from, to;
};

static void range_narrow(const struct campaign *c, const struct trials *trials, uint64_t start, struct range *range)
{
	for (size_t i = 0; i < trials->all.count; i++) {
		const struct trial *trial = &trials->all.at[i];
		struct verdict verdict = outcomes_get(c->outcomes, trial->digest);

		if (trial->which != TRIAL_ALL || trial->event < start)
			continue;
		if (verdict_passed(verdict) && trial->event < range->to)
			range->to = trial->event;
	}
	for (size_t i = 0; i < trials->all.count; i++) {
		const struct trial *trial = &trials->all.at[i];

		if (trial->which == TRIAL_ALL && trial->event < range->to && trial->event > range->from &&
		    verdict_failed(outcomes_get(c->outcomes, trial->digest)))
			range->from = trial->event;
	}
}

static struct range range_find(const struct campaign *c, const struct crash_sighting *s)
{
	struct range range = {s->point_event - 1, UINT64_MAX};

	for (size_t p = 0; p < c->options.platform_count; p++)
		for (size_t i = 0;
		     !strcmp(platform_name(c->options.platforms[p]), s->platform) && i < c->options.strategy_count; i++)
			range_narrow(c, &c->choosers[i].trials[p], s->point_event - 1, &range);
	return range;
}

/* Everything was on media, one store too early: `first` of the invariant had not been made yet.  The same content is
 * left later by a crash that loses `first`, so such violations count too.  Recovery fails until `first` is there, so it
 * is the last store before recovery passes again. */
static bool ask_early(struct asking *a)
{
	const struct crash_sighting *s = a->sighting;
	const struct range range = range_find(a->campaign, s);
	const struct violation *last = NULL;

	for (size_t i = 0; s->persisted_count && i < a->violate->tested.count; i++) {
		const struct violation *tested = &a->violate->tested.at[i];
		uint64_t made = tested->first.event;

		if (tested->second.event == s->persisted[0].event && made > range.from && made <= range.to &&
		    (!last || made > last->first.event) &&
		    pair_matches(a, &tested->first.place, &tested->second.place, false))
			last = tested;
	}
	if (!last || !pair_matches(a, &last->first.place, &last->second.place, false))
		return false;
	a->found.first = last->first.context;
	a->found.second = s->persisted[0];
	a->found.places[0] = last->first.place;
	a->found.places[1] = last->second.place;
	return true;
}

static bool ask_all(struct asking *a)
{
	const struct crash_sighting *s = a->sighting;

	if (s->cause == CAUSE_EARLY && !s->lost_count)
		return ask_early(a);
	for (uint64_t i = 0; i < s->lost_count && i < CRASH_STORES_MAX; i++)
		if (ask_tested(a, &s->lost[i]) || ask_persisted(a, &s->lost[i]))
			return true;
	return false;
}

/* Put the store in front of the others. */
static const struct crash_store *stores_lead(struct campaign *c, const struct crash_store *first,
					     const struct crash_store *stores, uint64_t *count)
{
	struct crash_store *led = mem_alloc((*count + 1) * sizeof(*led));
	const struct crash_store *kept;
	uint64_t used = 0;

	led[used++] = *first;
	for (uint64_t i = 0; i < *count; i++)
		if (stores[i].event != first->event || stores[i].offset != first->offset)
			led[used++] = stores[i];
	kept = campaign_block(c, led, used * sizeof(*led));
	free(led);
	*count = used;
	return kept;
}

static enum related_role role_of(enum invariant_rule rule, enum invariant_role role)
{
	bool guarded = rule == INVARIANT_RO3 || rule == INVARIANT_RA1;

	switch (role) {
	case INVARIANT_LOAD: return guarded ? ROLE_GUARD : ROLE_LOAD;
	case INVARIANT_BRANCH: return ROLE_GUARD;
	case INVARIANT_GUARDED: return ROLE_LOAD;
	default: return ROLE_STORE;
	}
}

static const struct crash_invariant *invariant_make(struct campaign *c, const struct reason *r)
{
	struct crash_invariant made = {.rule = invariant_rule_name(r->match.rule),
				       .first = r->first,
				       .second = r->second.context,
				       .seen = r->match.seen};

	for (size_t i = 0; i < r->match.because_count && i < CRASH_REASONS_MAX; i++) {
		const struct invariant_reason *from = &r->match.because[i];

		made.because[made.because_count++] = (struct crash_reason){
			.role = role_of(r->match.rule, from->role),
			.context = from->code.recording ? 0 : from->code.context,
			.module = from->code.module,
			.offset = from->code.offset,
			.caller = from->code.caller,
		};
	}
	return campaign_block(c, &made, sizeof(made));
}

static void reason_tell(struct campaign *c, const struct reason *r, struct crash_sighting *s)
{
	s->invariant = invariant_make(c, r);
	s->blamed = r->first;
	if (r->lost)
		s->lost = stores_lead(c, r->lost, s->lost, &s->lost_count);
	s->persisted = stores_lead(c, &r->second, s->persisted, &s->persisted_count);
}

void violate_tell(const struct chooser *chooser, const struct trace *trace, struct crash_sighting *s)
{
	struct violate *v = chooser->state;
	struct asking a = {.campaign = chooser->campaign, .violate = v, .sighting = s};
	bool known;

	if (s->cause == CAUSE_CREATION)
		return;
	invariants_begin(v->invariants, trace);
	known = ask_all(&a);
	a.atomicity = !known;
	if (!known && !ask_all(&a))
		return;
	tally_note(&v->tally, a.found.match.rule,
		   &(struct lifted){a.found.match.lifted, a.atomicity ? a.found.other.lifted : NULL},
		   &a.found.places[0], &a.found.places[1], TALLY_CONFIRMED);
	reason_tell(chooser->campaign, &a.found, s);
}
