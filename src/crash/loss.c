/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss.c - recovery fails if only what is guaranteed is on media: which stores are missed? */
#include <string.h>

#include "crash/explain.h"
#include "crash/minimise.h"

enum {
	TRIES_MAX = 400,    /* of minimising */
	TRIES_HANGING = 12, /* where each takes the whole time limit */
	CAUSES_MAX = 8,     /* known ones that are tried first */
	WITNESSES_MAX = 3,
	VALUE_MAX = 64,
};

struct loss {
	struct explain *explain;
	const struct job *job;
	struct ending ending; /* the job's, or what that is with more time */
	struct image *image;
	struct model *model;
	const struct unit *const *units;
	size_t count;
	bool *persisted;
	bool *needed;    /* pending units that must be on media; none if it is not known, or nothing must */
	bool *later;     /* of these, the ones stored from the blamed store on */
	bool unfinished; /* there might be fewer lost ones, or it is not known what must be on media */
	uint64_t barred; /* event of a store that makes recovery fail by itself: it stays lost; 0: none */
	struct err *err;
};

static bool is_barred(const struct loss *l, size_t unit)
{
	return l->barred && l->units[unit]->event == l->barred;
}

static int loss_fails(void *arg, const bool *persisted)
{
	struct loss *l = arg;
	struct ending known = known_get(l->explain->campaign->known, state_digest(l->image, persisted));
	struct state *state;
	int r;

	for (size_t i = 0; l->barred && i < l->count; i++)
		if (persisted[i] && is_barred(l, i))
			return 0;
	if (known.known)
		return ending_same(known, l->ending);
	state = state_new(l->image, persisted);
	r = explain_fails(l->explain, state, l->ending, l->err);
	state_free(state);
	return r;
}

/* Is it enough that stores of this code are lost?  Then it is the same finding. */
static int cause_fits(struct loss *l, const struct result *cause)
{
	bool any = false;

	for (size_t i = 0; i < l->count; i++) {
		l->persisted[i] = !is_barred(l, i);
		for (size_t k = 0; k < RESULT_CONTEXTS_MAX && cause->contexts[k]; k++)
			if (l->units[i]->context == cause->contexts[k])
				l->persisted[i] = false;
		any |= !l->persisted[i] && !is_barred(l, i);
	}
	/* A lost store takes along what comes after it in its line. */
	if (!any || !minimise_spread(l->model, l->persisted))
		return 0;
	return loss_fails(l, l->persisted);
}

/* Are stores of all the code that must be lost among those that the job loses? */
static bool cause_is_within(const struct loss *l, const struct result *cause)
{
	for (size_t k = 0; k < RESULT_CONTEXTS_MAX && cause->contexts[k]; k++) {
		bool lost = false;

		for (size_t i = 0; i < l->count && !lost; i++)
			lost = !l->job->persisted[i] && l->units[i]->context == cause->contexts[k];
		if (!lost)
			return false;
	}
	return true;
}

static int loss_known(struct loss *l, struct result **found)
{
	struct campaign *c = l->explain->campaign;
	unsigned tried = 0;
	int r;

	for (size_t i = c->results.count; i-- > 0 && tried < CAUSES_MAX;) {
		struct result *result = &c->results.at[i];

		if (!result->by_loss || !ending_same(result->ending, l->ending) ||
		    strcmp(result->sighting.platform, l->explain->platform))
			continue;
		if (l->job->persisted && !cause_is_within(l, result))
			continue;
		tried++;
		r = cause_fits(l, result);
		if (r < 0)
			return r;
		if (r) {
			*found = result;
			return 0;
		}
	}
	return 0;
}

struct stores {
	VEC_OF(struct crash_store) all;
	uint8_t value[VALUE_MAX]; /* of the last one, while it grows */
};

/* Does the unit go on where the last store ends? */
static bool store_goes_on(const struct crash_store *last, const struct unit *u)
{
	return last && last->event == u->event && last->file == u->file && last->offset + last->size == u->offset &&
	       last->size + u->size <= VALUE_MAX;
}

static void store_close(const struct loss *l, struct stores *stores, struct crash_store *last)
{
	if (last)
		last->value = (const uint8_t *)arena_copy(&l->explain->campaign->texts, stores->value, last->size);
}

enum which { WHICH_LOST, WHICH_BARRED, WHICH_LATER, WHICH_EARLIER, WHICH_OTHER };

static enum which unit_which(const struct loss *l, size_t unit)
{
	if (!l->persisted[unit])
		return is_barred(l, unit) ? WHICH_BARRED : WHICH_LOST;
	if (!l->needed[unit])
		return WHICH_OTHER;
	return l->later[unit] ? WHICH_LATER : WHICH_EARLIER;
}

/* Add the stores of the lost, or persisted, units: those of one event that follow each other are one. */
static void stores_gather(const struct loss *l, enum which which, struct stores *stores)
{
	struct crash_store *last = NULL;

	for (size_t i = 0; i < l->count; i++) {
		const struct unit *u = l->units[i];

		if (which != unit_which(l, i))
			continue;
		if (!store_goes_on(last, u)) {
			store_close(l, stores, last);
			last = NULL;
			if (stores->all.count == RESULT_STORES_MAX)
				break;
			vec_push(&stores->all, ((struct crash_store){.context = u->context,
								     .flush = u->flush_context,
								     .flush_event = u->flush_event,
								     .file = u->file,
								     .offset = u->offset,
								     .event = u->event,
								     .needed = l->needed[i] && l->persisted[i]}));
			last = &stores->all.at[stores->all.count - 1];
		}
		memcpy(stores->value + last->size, u->value, u->size);
		last->size += u->size;
	}
	store_close(l, stores, last);
}

/* The store to blame; one that is barred only if nothing else is lost. */
static const struct unit *first_lost(const struct loss *l)
{
	const struct unit *barred = NULL;

	for (size_t i = 0; i < l->count; i++) {
		if (l->persisted[i])
			continue;
		if (!is_barred(l, i))
			return l->units[i];
		barred = barred ? barred : l->units[i];
	}
	return barred;
}

/* Are units of more than one store flagged so? */
static bool stores_several(const struct loss *l, const bool *flags, bool flag)
{
	uint64_t event = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (flags[i] != flag)
			continue;
		if (event && l->units[i]->event != event)
			return true;
		event = l->units[i]->event;
	}
	return false;
}

static bool is_pending(const struct loss *l, uint64_t event)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->units[i]->event == event)
			return true;
	return false;
}

static bool is_lost_place(const struct loss *l, const struct crash_store *store)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct unit *u = l->units[i];

		if (!l->persisted[i] && u->file == store->file && u->offset < store->offset + store->size &&
		    store->offset < u->offset + u->size)
			return true;
	}
	return false;
}

/* What is on media for certain, the latest first: that is what recovery relies on.  Stores that came after the lost one
 * contradict its loss; only where there are none, those before it. */
static void witnesses_gather(const struct loss *l, uint64_t lost, struct stores *stores)
{
	const struct explain *e = l->explain;
	uint64_t oldest = e->recent_count > RECENT_MAX ? e->recent_count - RECENT_MAX : 0;

	for (uint64_t i = e->recent_count; i-- > oldest && stores->all.count < WITNESSES_MAX;) {
		struct crash_store store = e->recents[i % RECENT_MAX].store;

		if (store.event < lost && stores->all.count && stores->all.at[0].event > lost)
			break;
		if (is_pending(l, store.event) || is_lost_place(l, &store))
			continue;
		store.certain = true;
		if (store.value)
			store.value = (const uint8_t *)arena_copy(&e->campaign->texts, store.value, store.size);
		vec_push(&stores->all, store);
	}
}

static void result_contexts(const struct loss *l, struct result *result)
{
	size_t count = 0;

	for (size_t i = 0; i < l->count && count < RESULT_CONTEXTS_MAX; i++) {
		bool known = l->persisted[i];

		for (size_t k = 0; k < count; k++)
			known |= result->contexts[k] == l->units[i]->context;
		if (!known)
			result->contexts[count++] = l->units[i]->context;
	}
}

/* The needed store that is named beside the lost one: the first that came after it, if any did.  Between these two
 * something is missing; what came before only shows that it matters. */
static const struct unit *needed_named(const struct loss *l)
{
	const struct unit *first = NULL;

	for (size_t i = 0; i < l->count; i++) {
		if (l->later[i])
			return l->units[i];
		if (l->needed[i] && !first)
			first = l->units[i];
	}
	return first;
}

static enum crash_cause loss_cause(const struct loss *l, const struct unit *lost)
{
	const struct unit *kept = needed_named(l);

	if (kept && kept->event == lost->event)
		return CAUSE_TORN;
	if (kept && (kept->event < lost->event || (lost->cover != UNIT_BARE && kept->cover != UNIT_BARE)))
		return CAUSE_UNORDERED;
	if (lost->kind == UNIT_DIRECT || (lost->kind == UNIT_CACHED && lost->cover != UNIT_BARE))
		return CAUSE_UNFENCED;
	return CAUSE_UNFLUSHED;
}

static int loss_result(struct loss *l)
{
	const struct unit *first = first_lost(l);
	struct result result = {.ending = l->ending, .by_loss = true};
	struct crash_sighting *s = &result.sighting;
	struct stores lost = {0}, persisted = {0};
	struct state *state = state_new(l->image, l->persisted);
	int r;

	s->cause = loss_cause(l, first);
	s->unfinished = l->unfinished;
	s->blamed = first->context;
	result_point(l->explain, l->job->trial, s);
	result_contexts(l, &result);
	stores_gather(l, WHICH_LOST, &lost);
	stores_gather(l, WHICH_BARRED, &lost);
	stores_gather(l, WHICH_LATER, &persisted);
	stores_gather(l, WHICH_EARLIER, &persisted);
	s->pair = persisted.all.count > 0;
	if (!s->pair)
		witnesses_gather(l, first->event, &persisted);
	stores_gather(l, WHICH_OTHER, &persisted);
	result_stores(l->explain, s, lost.all.at, lost.all.count, persisted.all.at, persisted.all.count);
	vec_free(&lost.all);
	vec_free(&persisted.all);
	r = result_add(l->explain, l->job, &result, state, l->err);
	state_free(state);
	return r;
}

static int pair_fails(void *arg, const bool *persisted)
{
	const struct loss *l = arg;

	for (size_t i = 0; i < l->count; i++)
		if (l->later[i] && !persisted[i])
			return 0;
	return loss_fails(arg, persisted);
}

/* Which of the persisted stores must be there?  None, if recovery fails without all of them.
 *
 * First those stored after the lost one, with all others on media.  Without these, too, recovery might end in the same
 * way for another reason, and it would look as if nothing had to be there.
 *
 * Where no tries are left, one store alone is needed all the same: to do without any was tried first.  Of several it is
 * not known which.  That spoils the advice, which names one of them; but not if these came before the lost one, and
 * others after it are known: then they are not called needed. */
static int loss_pair(struct loss *l, unsigned tries)
{
	uint64_t lost = first_lost(l)->event;
	unsigned left = tries;
	bool after;
	int r;

	memcpy(l->needed, l->persisted, l->count);
	r = minimise_kept(l->model, l->needed, lost, &left, loss_fails, l);
	for (size_t i = 0; i < l->count; i++)
		l->later[i] = r == 0 && l->needed[i] && l->units[i]->event >= lost;
	l->unfinished |= !left && stores_several(l, l->later, true);
	after = memchr(l->later, 1, l->count);
	left = tries;
	if (r == 0)
		r = minimise_kept(l->model, l->needed, 0, &left, pair_fails, l);
	l->unfinished |= !left && !after && stores_several(l, l->needed, true);
	if (r < 0 || (!left && after))
		memcpy(l->needed, l->later, l->count);
	return r;
}

/* Explored states may lose more than one store in several ways: what is blamed on the same code, and fails alike, is
 * one finding. */
static struct result *loss_same(const struct loss *l)
{
	struct campaign *c = l->explain->campaign;
	uint32_t blamed = first_lost(l)->context;

	for (size_t i = 0; l->job->persisted && i < c->results.count; i++) {
		struct result *result = &c->results.at[i];

		if (result->by_loss && result->sighting.blamed == blamed && ending_same(result->ending, l->ending) &&
		    !strcmp(result->sighting.platform, l->explain->platform))
			return result;
	}
	return NULL;
}

static int set_hangs(const struct loss *l, const bool *persisted, struct ending *how)
{
	struct state *state = persisted ? state_new(l->image, persisted) : state_none(l->image);
	int r = hangs_certainly(l->explain->campaign, state, how, l->err);

	state_free(state);
	return r;
}

static void loss_start(struct loss *l)
{
	if (l->job->persisted)
		memcpy(l->persisted, l->job->persisted, l->count);
	else
		memset(l->persisted, 0, l->count);
}

/* What is left may be slow, where the whole hangs: then the whole is told. */
static int loss_settle(struct loss *l)
{
	bool same = l->job->persisted ? !memcmp(l->persisted, l->job->persisted, l->count)
				      : !memchr(l->persisted, 1, l->count);
	struct ending how;
	int r;

	if (l->ending.kind != OUTCOME_TIMEOUT || same)
		return 0;
	r = set_hangs(l, l->persisted, &how);
	if (r != 1)
		loss_start(l);
	l->unfinished |= r != 1;
	return r == -1 ? -1 : 0;
}

/* Is all that is lost a library's, which was still creating a pool?  Then nobody asks which of it matters. */
static bool loss_is_creation(const struct loss *l)
{
	struct creation *creation = l->explain->campaign->creation;

	for (size_t i = 0; i < l->count; i++)
		if (!l->persisted[i] && !creation_covers(creation, l->units[i]->context))
			return false;
	return campaign_is_creating(l->explain->campaign, l->job->trial);
}

static int loss_minimise(struct loss *l)
{
	struct result *same;
	unsigned tries = l->ending.kind == OUTCOME_TIMEOUT ? TRIES_HANGING : TRIES_MAX;
	unsigned left = tries;
	int r = TESTER_STOPPED;

	loss_start(l);
	if (loss_is_creation(l))
		return loss_result(l);
	if (explain_may_run(l->explain, l->ending))
		r = minimise_lost(l->model, l->persisted, &left, loss_fails, l);
	l->unfinished = !left && stores_several(l, l->persisted, false);
	if (r == -1 || loss_settle(l) < 0)
		return -1;
	same = loss_same(l);
	if (same) {
		result_join(l->explain, same, l->job);
		return 0;
	}
	if (r == 0)
		r = explain_may_run(l->explain, l->ending) ? loss_pair(l, tries / 2) : TESTER_STOPPED;
	l->unfinished |= r < 0;
	return r == -1 ? -1 : loss_result(l);
}

/* Does the job lose anything?  Not if all that is pending is on media, and that was slow once, and is not any more. */
static bool is_loss(const struct loss *l)
{
	return !l->job->persisted || memchr(l->job->persisted, 0, l->count);
}

/* A cause of its own; but one that exceeded the time limit among others may be slow, and then end well or not. */
static int loss_alone(struct loss *l)
{
	int r = 0;

	if (l->ending.kind == OUTCOME_TIMEOUT)
		r = set_hangs(l, l->job->persisted, &l->ending);
	if (r == TESTER_STOPPED)
		l->explain->campaign->hangs_unconfirmed += l->job->states;
	if (r < 0)
		return r == -1 ? -1 : 0;
	return explain_is_fine(l->explain, l->job, l->ending) ? 0 : loss_minimise(l);
}

/* All that is stored fails as the job does.  Is what came too early there on media here, too?  Then that is the cause;
 * otherwise there must be another. */
static struct result *loss_prefix(struct loss *l)
{
	const struct job *job = l->job;
	struct result *prefix = job->follows ? explain_told(l->explain, job) : NULL;
	const struct crash_sighting *s = prefix ? &prefix->sighting : NULL;

	if (!s || s->cause != CAUSE_EARLY || s->unfinished || !s->persisted_count)
		return prefix;
	for (size_t i = 0; i < l->count; i++)
		if (l->units[i]->event == s->persisted[0].event && (!job->persisted || !job->persisted[i])) {
			l->barred = s->persisted[0].event;
			return NULL;
		}
	return prefix;
}

int loss_explain(struct explain *e, const struct job *job, struct err *err)
{
	struct image *image = reading_image(e->reading);
	struct loss l = {.explain = e,
			 .job = job,
			 .ending = job->ending,
			 .image = image,
			 .model = image_model(image),
			 .err = err};
	struct result *same = NULL;
	int r = 0;

	l.units = model_pending(l.model, &l.count);
	l.persisted = mem_alloc(l.count + 1);
	l.needed = mem_alloc(l.count + 1);
	l.later = mem_alloc(l.count + 1);
	same = loss_prefix(&l);
	if (!same && is_loss(&l) && explain_may_run(e, job->ending))
		r = loss_known(&l, &same);
	if (same)
		result_join(e, same, job);
	else if (r != -1 && is_loss(&l) && !(job->follows && job->ending.kind == OUTCOME_TIMEOUT))
		r = loss_alone(&l);
	free(l.persisted);
	free(l.needed);
	free(l.later);
	return r;
}
