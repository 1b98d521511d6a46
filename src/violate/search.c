/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search.c - see search.h. */
#include "violate/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "violate/states.h"

enum {
	MOMENTS_BACK = 4,     /* stores since so many moments may be a `second` that is certain */
	CERTAIN_MAX = 64,     /* of them, the latest */
	STORES_MAX = 192,     /* pending stores of one moment that are paired */
	STORES_PER_SITE = 4,  /* of each site, if there are more */
	STORES_FEW = 24,      /* pending stores of which all are paired, even if they were at an earlier moment */
	GUARDIANS_TRIED = 8,  /* partners of one guardian */
	RECENT_MAX = 1 << 16, /* stores kept; of those that are pending for longer, no invariant is tested */
};

/* A store that takes part in pairs at the moment that is searched. */
struct side {
	const struct made *made;
	const struct held_store *held; /* NULL: it is certain */
	bool guardian;
	struct invariant_match match; /* if it is one */
	uint8_t *without, *only;      /* the states, once they are needed */
};

struct search {
	struct rules rules;
	VEC_OF(struct made) recent; /* by event */
	uint64_t moments;
	/* the moment that is searched */
	struct held *held;
	VEC_OF(struct side) sides; /* the pending ones first, each group by event */
	size_t pending;            /* how many */
	struct violations *found;
};

struct search *search_new(const struct rules *rules)
{
	struct search *s = mem_alloc(sizeof(*s));

	s->rules = *rules;
	return s;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	vec_free(&s->recent);
	vec_free(&s->sides);
	free(s);
}

/* Recent stores */

void search_moment(struct search *s)
{
	s->moments++;
}

/* Forget the older half.  Of these, the ones that are still pending are mostly never flushed. */
static void recent_thin(struct search *s)
{
	size_t kept = s->recent.count / 2;

	memmove(s->recent.at, s->recent.at + s->recent.count - kept, kept * sizeof(*s->recent.at));
	s->recent.count = kept;
}

static bool is_store(const struct event *ev)
{
	return ev && ev->type == EVENT_STORE && ev->file && ev->size;
}

static struct made made_of(const struct search *s, const struct event *ev, uint64_t number)
{
	struct made made = {.event = number, .moment = s->moments, .file = ev->file, .context = ev->context};

	made.place = s->rules.place(s->rules.arg, ev);
	memcpy(made.value, ev->data, ev->size < sizeof(made.value) ? ev->size : sizeof(made.value));
	return made;
}

void search_event(struct search *s, const struct event *ev, uint64_t number)
{
	struct made made;

	if (!is_store(ev))
		return;
	made = made_of(s, ev, number);
	if (s->recent.count == RECENT_MAX)
		recent_thin(s);
	vec_push(&s->recent, made);
}

static const struct made *recent_find(const struct search *s, uint64_t event)
{
	size_t low = 0, high = s->recent.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->recent.at[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->recent.count && s->recent.at[low].event == event ? &s->recent.at[low] : NULL;
}

/* Sides */

static void side_add(struct search *s, const struct made *made, const struct held_store *held)
{
	struct side side = {.made = made, .held = held};

	side.guardian = s->rules.guardian(s->rules.arg, &made->place, &side.match);
	vec_push(&s->sides, side);
}

/* If there are too many, take the last ones of each site. */
static void pending_list(struct search *s)
{
	bool thin = s->held->count > STORES_MAX;
	struct map sites = {0}; /* site -> how many of it */

	for (uint32_t i = s->held->count; i-- > 0 && s->sides.count < STORES_MAX;) {
		const struct held_store *held = &s->held->stores[i];
		const struct made *made = recent_find(s, held->event);

		if (made && (!thin || (*map_put(&sites, made->place.site, 0))++ < STORES_PER_SITE))
			side_add(s, made, held);
	}
	map_free(&sites);
	s->pending = s->sides.count;
}

static bool places_meet(const struct store_place *a, const struct store_place *b)
{
	return a->file == b->file && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Is something pending on these bytes? */
static bool is_covered(const struct search *s, const struct made *made)
{
	const struct choices *c = s->held->moment->choices;
	uint64_t end = made->place.offset + made->place.size;

	for (uint32_t line = choices_find_from(c, made->file, made->place.offset);
	     line < c->line_count && choices_lines(c)[line].file == made->file && choices_lines(c)[line].offset < end;
	     line++) {
		const struct choices_line *l = &choices_lines(c)[line];

		for (uint32_t i = l->first; i < l->first + l->count; i++) {
			const struct choices_unit *u = &choices_units(c)[i];

			if (u->offset < end && made->place.offset < u->offset + u->size)
				return true;
		}
	}
	return false;
}

/* Is a later store on these bytes certain? */
static bool is_overwritten(const struct search *s, const struct made *made)
{
	for (size_t i = s->pending; i < s->sides.count; i++)
		if (places_meet(&s->sides.at[i].made->place, &made->place))
			return true;
	return false;
}

/* Does the certain content still have its bytes? */
static bool is_certain(const struct made *made, struct image *image)
{
	uint8_t bytes[sizeof(made->value)];
	size_t size = made->place.size < sizeof(bytes) ? (size_t)made->place.size : sizeof(bytes);

	return image_read(image, NULL, made->file, made->place.offset, bytes, size) == size &&
	       !memcmp(bytes, made->value, size);
}

/* Would it change the certain content, as far as its first bytes tell? */
static bool is_change(const struct made *made, struct image *image)
{
	uint8_t bytes[sizeof(made->value)];
	size_t size = made->place.size < sizeof(bytes) ? (size_t)made->place.size : sizeof(bytes);

	size = image_read(image, NULL, made->file, made->place.offset, bytes, size);
	return memcmp(bytes, made->value, size) != 0;
}

/* The latest come first. */
static void certain_list(struct search *s, struct image *image)
{
	uint64_t oldest = s->held->count ? s->held->stores[0].event : UINT64_MAX;

	for (size_t i = s->recent.count; i-- > 0 && s->sides.count < s->pending + CERTAIN_MAX;) {
		const struct made *made = &s->recent.at[i];

		if (made->event < oldest && made->moment + MOMENTS_BACK < s->moments)
			break;
		if (!held_find(s->held, made->event) && !is_covered(s, made) && !is_overwritten(s, made) &&
		    is_certain(made, image))
			side_add(s, made, NULL);
	}
}

static void sides_free(struct search *s)
{
	for (size_t i = 0; i < s->sides.count; i++) {
		free(s->sides.at[i].without);
		free(s->sides.at[i].only);
	}
	s->sides.count = 0;
}

/* Pairs */

static bool is_violated(const struct search *s, const uint8_t *taken, const struct side *first,
			const struct side *second)
{
	return state_lacks(s->held, taken, first->held) && (!second->held || state_shows(s->held, taken, second->held));
}

static unsigned pair_ways(const struct search *s, struct side *first, struct side *second)
{
	unsigned ways = 0;

	if (!first->without)
		first->without = state_without(s->held, first->held);
	if (!second->only)
		second->only = state_only(s->held, second->held);
	if (is_violated(s, first->without, first, second))
		ways |= WAY_WITHOUT_FIRST;
	if (is_violated(s, second->only, first, second))
		ways |= WAY_ONLY_SECOND;
	return ways;
}

static void violation_add(struct search *s, const struct invariant_match *match, const struct invariant *other,
			  unsigned ways, const struct side *first, const struct side *second)
{
	struct violation violation = {.rule = match->rule,
				      .lifted = {match->lifted, other},
				      .seen = match->seen,
				      .ways = ways,
				      .first = *first->made,
				      .second = *second->made};

	vec_push(&s->found->all, violation);
}

/* Was it stored, or could it become certain, since the moment before?  If many stores are pending, pairs without such a
 * store are left out: they were looked at before. */
static bool is_new(const struct search *s, const struct side *side)
{
	return s->pending <= STORES_FEW || side->made->moment + (side->held ? 1 : MOMENTS_BACK) >= s->moments;
}

/* May this match be violated by a `second` that is certain? */
static bool is_timely(const struct invariant_match *match, const struct side *first, const struct side *second)
{
	return second->held || match->rule == INVARIANT_RO3 || first->made->event < second->made->event;
}

static void pair_try(struct search *s, struct side *first, struct side *second)
{
	struct invariant_match matches[INVARIANT_ORDERINGS];
	size_t count = s->rules.orders(s->rules.arg, &first->made->place, &second->made->place, matches);
	unsigned ways = count ? pair_ways(s, first, second) : 0;

	for (size_t i = 0; ways && i < count; i++)
		if (is_timely(&matches[i], first, second))
			violation_add(s, &matches[i], NULL, ways, first, second);
}

/* RA1 holds between any two guardians, but its states depend on one of them alone, so a single partner that makes them
 * violations is enough: the one that was stored next to it. */
static void guardian_try(struct search *s, size_t index)
{
	struct side *own = &s->sides.at[index];
	unsigned wanted = WAY_WITHOUT_FIRST | WAY_ONLY_SECOND, tried = 0;

	for (size_t distance = 1; wanted && tried < GUARDIANS_TRIED && distance < s->sides.count; distance++) {
		for (unsigned after = 0; after < 2; after++) {
			size_t at = after ? index + distance : index - distance;
			struct side *other = at < s->sides.count ? &s->sides.at[at] : NULL;
			unsigned ways;

			if (!other || !other->guardian || places_meet(&own->made->place, &other->made->place))
				continue;
			tried++;
			ways = wanted & WAY_WITHOUT_FIRST & pair_ways(s, own, other);
			if (ways)
				violation_add(s, &own->match, other->match.lifted, ways, own, other);
			wanted &= ~ways;
			ways = other->held ? wanted & WAY_ONLY_SECOND & pair_ways(s, other, own) : 0;
			if (ways)
				violation_add(s, &other->match, own->match.lifted, ways, other, own);
			wanted &= ~ways;
		}
	}
}

/* Violations by a `second` that is certain before `first`, the next event, is made. */
static void next_try(struct search *s, struct image *image, const struct event *next, uint64_t number)
{
	struct made made = made_of(s, next, number);
	struct invariant_match matches[INVARIANT_ORDERINGS], guards;
	bool guardian = s->rules.guardian(s->rules.arg, &made.place, &guards);
	const struct side first = {.made = &made};

	if (is_covered(s, &made) || !is_change(&made, image))
		return;
	for (size_t i = s->pending; i < s->sides.count; i++) {
		const struct side *second = &s->sides.at[i];
		size_t count = s->rules.orders(s->rules.arg, &made.place, &second->made->place, matches);

		for (size_t k = 0; k < count; k++)
			if (is_timely(&matches[k], &first, second))
				violation_add(s, &matches[k], NULL, WAY_BEFORE_FIRST, &first, second);
		if (guardian && second->guardian && !places_meet(&made.place, &second->made->place)) {
			violation_add(s, &guards, second->match.lifted, WAY_BEFORE_FIRST, &first, second);
			guardian = false; /* one partner is enough */
		}
	}
}

void search_find(struct search *s, const struct moment *moment, struct image *image, const struct event *next,
		 uint64_t number, struct violations *found)
{
	s->held = held_new(moment);
	s->found = found;
	pending_list(s);
	certain_list(s, image);
	for (size_t i = 0; i < s->pending; i++) {
		bool new = is_new(s, &s->sides.at[i]);

		for (size_t k = 0; k < s->sides.count; k++)
			if (k != i && (new || is_new(s, &s->sides.at[k])))
				pair_try(s, &s->sides.at[i], &s->sides.at[k]);
		if (new && s->sides.at[i].guardian)
			guardian_try(s, i);
	}
	if (is_store(next))
		next_try(s, image, next, number);
	sides_free(s);
	held_free(s->held);
	s->held = NULL;
}
