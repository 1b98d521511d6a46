/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flight.c - how shards share and keep flights; see flight.h. */
#include "explore/flight.h"

#include <stdlib.h>
#include <xxhash.h>

enum {
	SPLIT_SETS = 1 << 10, /* a root with fewer sets is not split */
	SPLIT_FORKS = 6,      /* decisions before a branch; each has at least two contents */
};

/* Leaves */

void leaf_note(struct flight *f, const struct flight_leaf *leaf, struct verdict verdict)
{
	contents_add(&f->explore->explored->tested, leaf->name);
	if (verdict.unconfirmed)
		explore_doubt(f->explore, f->root);
	if (verdict_failed(verdict))
		failures_add(&flight_root(f)->failures, f->moment, leaf->taken, leaf->decided, leaf->name, verdict,
			     f->leaves);
	else if (f->aim == FLIGHT_NEST && !f->explore->again && !leaf->is_all && !leaf->is_none)
		candidates_add(&flight_root(f)->candidates, f->moment, leaf->taken, leaf->decided, f->leaves);
	f->timeouts += verdict_hangs(verdict);
}

void leaf_refuse(struct flight *f, const char *why)
{
	struct explored *explored = f->explore->explored;

	if (!explored->reason)
		explored->reason = campaign_text(f->explore->campaign, why);
	f->refusals++;
}

/* The log */

static bool is_logged(const struct flight *f)
{
	return f->explore->campaign->options.shard.total;
}

void leaf_log(struct flight *f, struct flight_leaf leaf, bool has_sets)
{
	const struct choices *c = f->moment->choices;

	if (!has_sets)
		leaf.taken = leaf.decided = NULL;
	if (is_logged(f))
		flight_log_leaf(&f->log, &leaf, c->unit_count, c->line_count);
}

void flight_log_end(const struct flight *f, const struct flight_end *end)
{
	if (is_logged(f) && !f->cut && !end->broken)
		flights_put(f->explore->campaign->flights, f->log_key, &f->log, end);
}

static struct digest flight_key(const struct flight *f, const struct lazy_options *o)
{
	const struct {
		struct digest name;
		uint64_t sequence, leaves_max, seed, stores;
	} parts = {f->moment->name, o->sequence, o->leaves_max, o->seed, o->stores};
	const XXH128_hash_t hash = XXH3_128bits(&parts, sizeof(parts));

	return (struct digest){hash.low64, hash.high64};
}

static struct digest branch_key(const struct flight *f, uint64_t number)
{
	const XXH128_hash_t hash = XXH3_128bits_withSeed(&f->key, sizeof(f->key), number + 1);

	return (struct digest){hash.low64, hash.high64};
}

/* Splitting */

static uint32_t shards_of(const struct flight *f)
{
	const struct campaign_options *o = &f->explore->campaign->options;

	return o->parts ? o->parts->total : o->shard.total;
}

static bool is_owner(const struct flight *f)
{
	return shard_takes(&f->explore->campaign->options.shard, f->moment->name);
}

/* With a budget, trees are cut off, and it matters which leaves come first. */
unsigned flight_split(const struct flight *f, const struct lazy_options *o)
{
	double sets;

	if (shards_of(f) < 2 || f->aim != FLIGHT_TREE || o->sequence != LAZY_CONTRAST ||
	    f->explore->campaign->options.budget > 0)
		return 0;
	sets = choices_count(f->moment->choices, CHOICES_OPEN, NULL);
	return sets > SPLIT_SETS && sets <= (double)o->leaves_max ? SPLIT_FORKS : 0;
}

bool flight_goes_on(struct flight *f, bool is_branch)
{
	if (!f->split)
		return true;
	if (f->size == SIZE_UNKNOWN)
		f->size = is_branch ? SIZE_LARGE : SIZE_SMALL;
	f->cut |= f->size == SIZE_SMALL && !is_owner(f);
	return !f->cut;
}

/* A merge wants all branches. */
static bool branch_is_wanted(const struct flight *f, uint64_t number)
{
	const struct campaign_options *o = &f->explore->campaign->options;
	const struct digest turn = {.high = f->moment->name.high + number};

	return o->parts || (f->size == SIZE_SMALL ? is_owner(f) : shard_takes(&o->shard, turn));
}

bool flight_branch(void *arg, void *ticket, uint64_t number)
{
	struct flight *f = ticket;

	(void)arg;
	if (!flight_goes_on(f, true))
		return false;
	leaf_log(f, (struct flight_leaf){.is_branch = true}, false);
	return branch_is_wanted(f, number);
}

void flight_begins(void *arg, void *ticket, uint64_t number)
{
	struct flight *f = ticket;

	(void)arg;
	flight_log_end(f, &(struct flight_end){0});
	flight_log_free(&f->log);
	f->log_key = branch_key(f, number);
}

enum root_state flight_split_state(const struct flight *f, const struct flight_end *end)
{
	bool whole = !f->cut && !f->refusals && !end->broken && f->timeouts < TIMEOUTS_MAX;

	return whole && is_owner(f) ? ROOT_DONE : ROOT_ELSEWHERE;
}

/* Recalling */

struct recall {
	struct flight *flight;
	uint8_t *taken;
	bool applies;      /* note the leaves; otherwise only look whether all is known */
	bool misses;       /* some branches are not known */
	uint64_t timeouts; /* that were looked at */
	uint64_t branches;
};

static bool record_walk(struct recall *r, const struct flight_record *record, bool is_branch);

/* False: the record is damaged. */
static bool branch_walk(struct recall *r)
{
	struct flight *f = r->flight;
	uint64_t number = r->branches++;
	struct flight_record record;

	flight_goes_on(f, true);
	if (!branch_is_wanted(f, number))
		return true;
	if (flights_find(f->explore->campaign->flights, branch_key(f, number), &record))
		return record_walk(r, &record, true);
	r->misses = true;
	return true;
}

/* False: its verdict is not known, or its set is not.  The journal may lack its last lines. */
static bool leaf_walk(struct recall *r, const struct flight_leaf *leaf)
{
	struct flight *f = r->flight;
	struct verdict verdict = outcomes_get(f->explore->campaign->outcomes, leaf->name);

	flight_goes_on(f, false);
	if (r->applies) {
		f->leaves++;
		if (leaf->refused)
			leaf_refuse(f, leaf->refused);
		else
			leaf_note(f, leaf, verdict);
		return true;
	}
	if (leaf->refused)
		return true;
	r->timeouts += verdict_hangs(verdict);
	return verdict.known && (leaf->taken || !(verdict_failed(verdict) || f->aim >= FLIGHT_NEST));
}

static bool record_walk(struct recall *r, const struct flight_record *record, bool is_branch)
{
	const struct choices *c = r->flight->moment->choices;
	struct flight_leaf leaf;
	uint64_t leaves = 0;
	size_t at = 0;

	for (; r->flight->refusals < REFUSALS_MAX &&
	       flight_record_next(record, &at, c->unit_count, c->line_count, r->taken, r->flight->decided, &leaf);
	     leaves++)
		if (leaf.is_branch ? is_branch || !branch_walk(r) : !leaf_walk(r, &leaf))
			return false;
	return r->applies || (at == record->head->bytes && leaves == record->head->leaves);
}

/* Is everything known that was found in the tree?  If parts are missing, some of it is enough. */
static bool record_is_known(struct recall *r, const struct flight_record *record)
{
	if (!record_walk(r, record, false) || (r->misses && !flight_is_missing(r->flight)))
		return false;
	return !r->flight->split || r->timeouts < TIMEOUTS_MAX;
}

static void record_apply(struct recall *r, const struct flight_record *record, struct flight_end *end)
{
	oracles_meet(r->flight->explore->campaign->oracles, &r->flight->moment->crash);
	r->applies = true;
	r->branches = 0;
	record_walk(r, record, false);
	*end = record->head->end;
	if (r->misses)
		end->left_out = 1; /* at least */
}

int flight_recall(struct flight *f, const struct lazy_options *options, struct flight_end *end, struct err *err)
{
	struct campaign *c = f->explore->campaign;
	struct recall recall = {.flight = f};
	struct flight_record record;
	bool known;
	int r;

	f->key = f->log_key = flight_key(f, options);
	if (!flights_find(c->flights, f->key, &record))
		return 0;
	r = tester_prepare(c->tester, &f->moment->crash, err);
	if (r < 0)
		return r;
	recall.taken = mem_alloc(f->moment->choices->unit_count + 1);
	f->decided = mem_alloc(f->moment->choices->line_count + 1);
	known = record_is_known(&recall, &record);
	if (known) {
		record_apply(&recall, &record, end);
	} else {
		free(f->decided);
		f->decided = NULL;
		f->size = SIZE_UNKNOWN;
		f->cut = false;
	}
	free(recall.taken);
	return known;
}

bool flight_is_missing(const struct flight *f)
{
	const struct shard_parts *parts = f->explore->campaign->options.parts;

	return parts && !parts->whole;
}
