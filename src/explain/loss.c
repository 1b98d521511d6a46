/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss.c - recovery fails on a state that loses stores: find the lost stores that matter. */
#include <string.h>

#include "explain/explain.h"
#include "explain/minimize.h"

enum {
	TRIES_MAX = 400,    /* tries for minimizing */
	TRIES_HANGING = 12, /* the same if each try takes the whole time limit */
	CAUSES_MAX = 8,     /* known causes to try first */
	WITNESSES_MAX = 3,
	VALUE_MAX = 64,
};

struct loss {
	struct explain *explain;
	const struct job *job;
	struct crash_context crash;
	struct verdict verdict; /* the job's verdict, or the verdict with more time */
	struct image *image;
	struct model *model;
	const struct unit *const *units;
	size_t count;
	bool *persisted;
	bool *needed;    /* pending units that must be on media; all false if none must, or it is not known */
	bool *later;     /* of these, the ones stored by or after the blamed store */
	bool unfinished; /* the lost set may not be minimal, or `needed` is not known */
	uint64_t barred; /* event of a store that makes recovery fail by itself, so it stays lost; 0: none */
	struct err *err;
};

static bool is_barred(const struct loss *l, size_t unit)
{
	return l->barred && l->units[unit]->event == l->barred;
}

static int loss_fails(void *arg, const bool *persisted)
{
	struct loss *l = arg;
	struct digest name = crash_case(state_digest(l->image, persisted), &l->crash);
	struct verdict known = outcomes_find(l->explain->campaign->outcomes, name, &l->crash);
	struct state *state;
	int r;

	for (size_t i = 0; l->barred && i < l->count; i++)
		if (persisted[i] && is_barred(l, i))
			return 0;
	if (known.known)
		return verdict_same(known, l->verdict);
	state = state_new(l->image, persisted);
	r = explain_fails(l->explain, state, l->verdict, l->err);
	state_free(state);
	return r;
}

/* Does recovery fail if only stores of this cause's code are lost?  Then it is the same finding. */
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
	/* A lost store also loses the later stores of its line. */
	if (!any || !minimize_spread(l->model, l->persisted))
		return 0;
	return loss_fails(l, l->persisted);
}

/* Does the job lose stores of all contexts that this cause needs to be lost? */
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

	for (size_t i = c->results.all.count; i-- > 0 && tried < CAUSES_MAX;) {
		struct result *result = &c->results.all.at[i];

		if (!result->by_loss || !verdict_same(result->verdict, l->verdict) ||
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
	uint8_t value[VALUE_MAX]; /* of the last store, while it grows */
};

/* Does the unit continue the last store? */
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

/* Add the stores of the units selected by `which`.  Adjacent units of one event become one store. */
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

/* The store to blame: the first lost one.  A barred store is blamed only if nothing else is lost. */
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

/* Do units of more than one store have this flag? */
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

/* Collect stores that are certainly on media, latest first: recovery relies on them.  Stores after the lost one
 * contradict its loss.  Stores before it are used only if there are none after it. */
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

/* The needed store to name with the lost one: the first one after it, if any.  A flush or fence is missing between
 * these two.  An earlier store only shows that the loss matters. */
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
	struct result result = {.verdict = l->verdict, .by_loss = true};
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
	r = result_add(l->explain, l->job, &result, state, &l->crash, l->err);
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

/* Find the persisted stores that must be on media for recovery to fail.  None must if it fails without all of them.
 *
 * Stores after the lost one are tried first, with all others on media.  If the others were missing, too, recovery might
 * end in the same way for another reason, and it would look as if no store were needed.
 *
 * If the tries run out and one store is left, it is needed: doing without any store was tried first.  If several are
 * left, it is not known which are needed.  That makes the advice unreliable, because it names one of them.  The
 * exception is stores before the lost one when needed stores after it are known: then the earlier ones are not called
 * needed. */
static int loss_pair(struct loss *l, unsigned tries)
{
	uint64_t lost = first_lost(l)->event;
	unsigned left = tries;
	bool after;
	int r;

	memcpy(l->needed, l->persisted, l->count);
	r = minimize_kept(l->model, l->needed, lost, &left, loss_fails, l);
	for (size_t i = 0; i < l->count; i++)
		l->later[i] = r == 0 && l->needed[i] && l->units[i]->event >= lost;
	l->unfinished |= !left && stores_several(l, l->later, true);
	after = memchr(l->later, 1, l->count);
	left = tries;
	if (r == 0)
		r = minimize_kept(l->model, l->needed, 0, &left, pair_fails, l);
	l->unfinished |= !left && !after && stores_several(l, l->needed, true);
	if (r < 0 || (!left && after))
		memcpy(l->needed, l->later, l->count);
	return r;
}

/* Explored states may lose several stores in many combinations.  Failures that blame the same code and end alike are
 * one finding. */
static struct result *loss_same(const struct loss *l)
{
	struct campaign *c = l->explain->campaign;
	uint32_t blamed = first_lost(l)->context;

	for (size_t i = 0; l->job->persisted && i < c->results.all.count; i++) {
		struct result *result = &c->results.all.at[i];

		if (result->by_loss && result->sighting.blamed == blamed && verdict_same(result->verdict, l->verdict) &&
		    !strcmp(result->sighting.platform, l->explain->platform))
			return result;
	}
	return NULL;
}

static int set_hangs(const struct loss *l, const bool *persisted, struct verdict *verdict)
{
	struct state *state = persisted ? state_new(l->image, persisted) : state_none(l->image);
	int r = hangs_certainly(l->explain->campaign, state, &l->crash, verdict, l->err);

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

/* The minimal loss may be merely slow although the job's full loss hangs.  Then report the full loss. */
static int loss_settle(struct loss *l)
{
	bool same = l->job->persisted ? !memcmp(l->persisted, l->job->persisted, l->count)
				      : !memchr(l->persisted, 1, l->count);
	struct verdict minimal;
	int r;

	if (!verdict_hangs(l->verdict) || same)
		return 0;
	r = set_hangs(l, l->persisted, &minimal);
	if (r != 1)
		loss_start(l);
	l->unfinished |= r != 1;
	return r == -1 ? -1 : 0;
}

/* Do all lost stores belong to a library that was still creating a pool?  Then it does not matter which of them are to
 * blame. */
static bool loss_is_creation(const struct loss *l)
{
	struct creation *creation = l->explain->campaign->creation;

	for (size_t i = 0; i < l->count; i++)
		if (!l->persisted[i] && !creation_covers(creation, l->units[i]->context))
			return false;
	return campaign_is_creating(l->explain->campaign, l->job->trial);
}

static int loss_minimize(struct loss *l)
{
	struct result *same;
	unsigned tries = verdict_hangs(l->verdict) ? TRIES_HANGING : TRIES_MAX;
	unsigned left = tries;
	int r = TESTER_STOPPED;

	loss_start(l);
	if (loss_is_creation(l))
		return loss_result(l);
	if (explain_may_run(l->explain, l->verdict))
		r = minimize_lost(l->model, l->persisted, &left, loss_fails, l);
	l->unfinished = !left && stores_several(l, l->persisted, false);
	if (r == -1 || loss_settle(l) < 0)
		return -1;
	same = loss_same(l);
	if (same) {
		result_join(l->explain, same, l->job);
		return 0;
	}
	if (r == 0)
		r = explain_may_run(l->explain, l->verdict) ? loss_pair(l, tries / 2) : TESTER_STOPPED;
	l->unfinished |= r < 0;
	return r == -1 ? -1 : loss_result(l);
}

/* Does the job lose anything?  It does not if all pending stores are on media and recovery was slow only once. */
static bool is_loss(const struct loss *l)
{
	return !l->job->persisted || memchr(l->job->persisted, 0, l->count);
}

/* Find a cause for this job alone.  If it exceeded the time limit while other runs competed with it, it may be slow
 * rather than hang, and then pass or fail. */
static int loss_alone(struct loss *l)
{
	int r = 0;

	if (verdict_hangs(l->verdict))
		r = set_hangs(l, l->job->persisted, &l->verdict);
	if (r == TESTER_STOPPED)
		hangs_leave_unconfirmed(l->explain->campaign, l->job->states);
	if (r < 0)
		return r == -1 ? -1 : 0;
	return explain_is_fine(l->explain, l->job, l->verdict) ? 0 : loss_minimize(l);
}

/* The state with everything on media fails as this job does.  If the store that came too early there is on media here,
 * too, it is the cause.  Otherwise there must be another cause, and the store is barred. */
static struct result *loss_prefix(struct loss *l)
{
	const struct job *job = l->job;
	struct result *prefix = job->follows ? explain_followed(l->explain, job) : NULL;
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
			 .crash = explain_crash(e),
			 .verdict = job->verdict,
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
	if (!same && is_loss(&l) && explain_may_run(e, job->verdict))
		r = loss_known(&l, &same);
	if (same)
		result_join(e, same, job);
	else if (r != -1 && is_loss(&l) && !(job->follows && verdict_hangs(job->verdict)))
		r = loss_alone(&l);
	free(l.persisted);
	free(l.needed);
	free(l.later);
	return r;
}
