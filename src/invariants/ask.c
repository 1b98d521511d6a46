/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask.c - the questions of invariants.h. */
#include <stdlib.h>

#include "invariants/invariants_in.h"

#define PLACES_MOST 256 /* of one range that are looked at */

struct store_place invariants_place(struct invariants *inv, const struct event *ev)
{
	return (struct store_place){.file = ev->file ? tables_file(inv, ev->file) : 0,
				    .site = sites_of(&inv->sites, ev->context),
				    .offset = ev->offset,
				    .size = ev->size};
}

static struct place range_of(const struct store_place *place)
{
	return (struct place){.file = place->file, .offset = place->offset, .size = (uint32_t)place->size};
}

/* ---- bytes ---- */

/* Known places that overlap a range: those that were read, or those with facts of a rule. */
struct found {
	uint32_t places[PLACES_MOST];
	size_t count;
};

static void found_add(struct found *found, uint32_t place)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->places[i] == place)
			return;
	if (found->count < PLACES_MOST)
		found->places[found->count++] = place;
}

static void places_find(const struct invariants *inv, const struct place *range, bool read, enum invariant_rule rule,
			struct found *found)
{
	uint64_t first = range->offset / BYTES_WORD, last = (range->offset + range->size - 1) / BYTES_WORD;

	found->count = 0;
	for (uint64_t word = first; range->size && word <= last; word++) {
		uint32_t link = bytes_first_link(&inv->bytes, range->file, word * BYTES_WORD);

		for (; link; link = bytes_link_at(&inv->bytes, link).next) {
			uint32_t id = bytes_link_at(&inv->bytes, link).place;
			const struct place *place = &inv->places.at[id];

			if ((read ? place->read : place->facts[rule] != 0) && places_overlap(place, range))
				found_add(found, id);
		}
	}
}

/* ---- pairs ---- */

void answers_clear(struct answers *answers)
{
	map_free(&answers->expanded);
	map_free(&answers->pair_numbers);
	vec_free(&answers->pairs);
}

static void fact_expand(const struct invariants *inv, const struct fact *fact, uint64_t access)
{
	const struct label *label = &inv->labels.at[fact->label];
	struct answers *answers = inv->answers;

	for (size_t i = 0; i < label->count; i++) {
		uint32_t read = inv->label_reads.at[label->start + i];
		uint64_t *number = map_put(&answers->pair_numbers, access, inv->reads.at[read].place);

		if (!*number) {
			vec_push(&answers->pairs, ((struct pair){.read = read, .site = fact->site}));
			*number = answers->pairs.count;
		}
		answers->pairs.at[*number - 1].seen += fact->seen;
	}
}

/* The pair of an access to `place` and a read of `of`, or NULL.  Valid until the next call. */
static const struct pair *pair_find(const struct invariants *inv, enum invariant_rule rule, uint32_t place, uint32_t of)
{
	uint64_t access = (uint64_t)rule << 32 | place, *expanded = map_put(&inv->answers->expanded, access, 0);
	uint32_t latest = inv->places.at[place].facts[rule];
	const uint64_t *number;

	for (uint32_t fact = latest; fact > *expanded; fact = inv->facts.at[fact].next)
		fact_expand(inv, &inv->facts.at[fact], access);
	*expanded = latest;
	number = map_get(&inv->answers->pair_numbers, access, of);
	return number ? &inv->answers->pairs.at[*number - 1] : NULL;
}

/* ---- matches ---- */

static void reason_push(const struct invariants *inv, struct invariant_match *match, enum invariant_role role,
			uint32_t site)
{
	if (site)
		match->because[match->because_count++] =
			(struct invariant_reason){role, *sites_code(&inv->sites, site)};
}

static void read_push(const struct invariants *inv, struct invariant_match *match, uint32_t read)
{
	reason_push(inv, match, INVARIANT_LOAD, inv->reads.at[read].load_site);
	if (match->rule != INVARIANT_RO1)
		reason_push(inv, match, INVARIANT_BRANCH, inv->reads.at[read].branch_site);
}

static const struct invariant *lifted_in(const struct liftings *in, enum invariant_rule rule, uint32_t first,
					 uint32_t second)
{
	const uint64_t *number = map_get(&in->numbers, rule, (uint64_t)first << 32 | second);
	const struct lifted *lifted = number ? slab_at(&in->all, *number - 1) : NULL;

	return lifted ? &lifted->invariant : NULL;
}

/* If nobody has read what a site has stored, it may be like other calls of the same code. */
static const struct invariant *lifted_find(const struct invariants *inv, enum invariant_rule rule, uint32_t first,
					   uint32_t second)
{
	const struct invariant *lifted = lifted_in(&inv->lifted, rule, first, second);

	if (lifted || (site_is_observed(inv, first) && site_is_observed(inv, second)))
		return lifted;
	return lifted_in(&inv->general, rule, sites_general(&inv->sites, first), sites_general(&inv->sites, second));
}

/* Did accesses to the bytes of `access` depend on reads of the bytes of `read`? */
static bool match_bytes(const struct invariants *inv, const struct place *access, const struct place *read,
			struct invariant_match *match)
{
	struct found accesses, reads;
	struct pair most = {0};

	places_find(inv, read, true, match->rule, &reads);
	if (!reads.count)
		return false;
	places_find(inv, access, false, match->rule, &accesses);
	for (size_t i = 0; i < accesses.count; i++)
		for (size_t k = 0; k < reads.count; k++) {
			const struct pair *pair = pair_find(inv, match->rule, accesses.places[i], reads.places[k]);

			match->seen += pair ? pair->seen : 0;
			most = pair && pair->seen > most.seen ? *pair : most;
		}
	if (!most.seen)
		return false;
	match->scope = INVARIANT_ADDRESS;
	read_push(inv, match, most.read);
	reason_push(inv, match, match->rule == INVARIANT_RO3 ? INVARIANT_GUARDED : INVARIANT_STORE, most.site);
	return true;
}

static bool match_lifted(const struct store_place *a, const struct store_place *b, struct invariant_match *match)
{
	const struct invariant *lifted = match->lifted;

	if (!lifted || !lifted_holds(lifted, a->file == b->file, (int64_t)(b->offset - a->offset), &match->scope))
		return false;
	match->seen = lifted->seen;
	match->because_count = lifted->because_count;
	for (size_t i = 0; i < lifted->because_count; i++)
		match->because[i] = lifted->because[i];
	return true;
}

static int match_compare(const void *left, const void *right)
{
	const struct invariant_match *a = left, *b = right;

	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	if (a->seen != b->seen)
		return a->seen > b->seen ? -1 : 1;
	return a->rule < b->rule ? -1 : a->rule > b->rule;
}

size_t invariants_orders(const struct invariants *inv, const struct store_place *a, const struct store_place *b,
			 struct invariant_match matches[INVARIANT_ORDERINGS])
{
	const struct place first = range_of(a), second = range_of(b);
	size_t count = 0;

	lessons_settle(inv);
	if (!a->file || !b->file || places_overlap(&first, &second))
		return 0;
	for (unsigned rule = 0; rule < INVARIANT_ORDERINGS; rule++) {
		struct invariant_match match = {.rule = (enum invariant_rule)rule};
		bool guarded = rule == INVARIANT_RO3;

		match.lifted = lifted_find(inv, match.rule, a->site, b->site);
		if (match_bytes(inv, guarded ? &first : &second, guarded ? &second : &first, &match) ||
		    match_lifted(a, b, &match))
			matches[count++] = match;
	}
	qsort(matches, count, sizeof(*matches), match_compare);
	return count;
}

bool invariants_guardian(const struct invariants *inv, const struct store_place *place, struct invariant_match *match)
{
	const struct place range = range_of(place);
	struct found reads;
	uint64_t most = 0;

	lessons_settle(inv);
	*match = (struct invariant_match){.rule = INVARIANT_RA1, .scope = INVARIANT_ADDRESS};
	match->lifted = lifted_find(inv, INVARIANT_RA1, place->site, place->site);
	places_find(inv, &range, true, INVARIANT_RO3, &reads);
	for (size_t i = 0; place->file && i < reads.count; i++) {
		const struct place *guard = &inv->places.at[reads.places[i]];

		if (!guard->guards)
			continue;
		match->seen += guard->guarded;
		if (guard->guarded <= most)
			continue;
		most = guard->guarded;
		match->because_count = 0;
		read_push(inv, match, guard->guards);
	}
	return most || match_lifted(place, place, match);
}

/* ---- all of them ---- */

size_t invariants_count(const struct invariants *inv)
{
	return inv->lifted.all.count;
}

const struct invariant *invariants_at(const struct invariants *inv, size_t number)
{
	const struct lifted *lifted = slab_at(&inv->lifted.all, number);

	lessons_settle(inv);
	return lifted ? &lifted->invariant : NULL;
}

struct invariants_figures invariants_figures(const struct invariants *inv)
{
	struct invariants_figures figures = {.reads = inv->reads.count - 1,
					     .labels = inv->labels.count - 1,
					     .many = inv->many};

	for (size_t i = 0; i < inv->lifted.all.count; i++) {
		enum invariant_rule rule = invariants_at(inv, i)->rule;

		figures.ordering += rule != INVARIANT_RA1;
		figures.atomicity += rule == INVARIANT_RA1;
	}
	return figures;
}
