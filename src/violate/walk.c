/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk.c - goes along a recording from moment to moment; see violate_in.h. */
#include <xxhash.h>

#include "violate/violate_in.h"

static struct store_place place_of(void *arg, const struct event *ev)
{
	return invariants_place(arg, ev);
}

static size_t orders_of(void *arg, const struct store_place *a, const struct store_place *b,
			struct invariant_match matches[INVARIANT_ORDERINGS])
{
	return invariants_orders(arg, a, b, matches);
}

static bool guardian_of(void *arg, const struct store_place *place, struct invariant_match *match)
{
	return invariants_guardian(arg, place, match);
}

static struct rules rules_of(struct invariants *invariants)
{
	return (struct rules){.place = place_of, .orders = orders_of, .guardian = guardian_of, .arg = invariants};
}

void walk_begin(struct walk *w, struct invariants *invariants, const struct trace *trace)
{
	const struct rules rules = rules_of(invariants);

	*w = (struct walk){0};
	invariants_begin(invariants, trace);
	w->segments = segments_new(trace_layers(trace) & BO_LAYER_CODE, 0);
	w->search = search_new(&rules);
}

void walk_end(struct walk *w)
{
	segments_free(w->segments);
	search_free(w->search);
}

/* A segment without a hash of its code is known by the instruction that ends it. */
static void code_set(struct walk *w, const struct event *ev)
{
	const struct segment segment = segments_cut(w->segments);

	w->code[0] = segment.name[0];
	w->code[1] = segment.name[1];
	if (!(w->code[0] | w->code[1]))
		w->code[1] = ev ? ev->context : 0;
}

bool walk_stop(struct walk *w, struct model *model, const struct event *ev, bool skip)
{
	if (!moments_before(&w->moments, model, ev))
		return false;
	search_moment(w->search);
	if (skip)
		segments_skip(w->segments);
	else
		code_set(w, ev);
	return !skip;
}

void walk_stop_here(struct walk *w, struct model *model)
{
	size_t count;
	const struct unit *const *units = model_pending(model, &count);
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++)
		if (!i || units[i]->context != units[i - 1]->context)
			hash = XXH3_64bits_withSeed(&units[i]->context, sizeof(units[i]->context), hash);
	w->code[0] = 0;
	w->code[1] = hash;
}

void walk_on(struct walk *w, const struct event *ev, uint64_t number)
{
	segments_event(w->segments, ev);
	search_event(w->search, ev, number);
}

void walk_find(struct walk *w, const struct moment *moment, struct image *image, const struct event *next,
	       struct tally *tally, struct violations *found)
{
	found->all.count = 0;
	search_find(w->search, moment, image, next, moment->crash.event + 1, found);
	for (size_t i = 0; i < found->all.count; i++)
		tally_violation(tally, &found->all.at[i], TALLY_VIOLABLE);
}
