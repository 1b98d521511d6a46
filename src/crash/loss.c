/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss.c - recovery fails if only what is guaranteed is on media: which stores are missed? */
#include <string.h>

#include "crash/explain.h"
#include "crash/minimise.h"

enum {
	TRIES_MAX = 400,     /* of minimising */
	TRIES_HANGING = 12,  /* where each takes the whole time limit */
	CAUSES_MAX = 8,      /* known ones that are tried first */
	VALUE_MAX = 64,
};

struct loss {
	struct explain *explain;
	const struct job *job;
	struct image *image;
	struct model *model;
	const struct unit *const *units;
	size_t count;
	bool *persisted;
	struct err *err;
};

static int loss_fails(void *arg, const bool *persisted)
{
	struct loss *l = arg;
	struct ending known = known_get(l->explain->campaign->known, state_digest(l->image, persisted));
	struct state *state;
	int r;

	if (known.known)
		return ending_same(known, l->job->ending);
	state = state_new(l->image, persisted);
	r = explain_fails(l->explain, state, l->job->ending, l->err);
	state_free(state);
	return r;
}

/* Is it enough that stores of this code are lost?  Then it is the same finding. */
static int cause_fits(struct loss *l, const struct result *cause)
{
	bool any = false;

	for (size_t i = 0; i < l->count; i++) {
		l->persisted[i] = true;
		for (size_t k = 0; k < RESULT_CONTEXTS_MAX && cause->contexts[k]; k++)
			if (l->units[i]->context == cause->contexts[k])
				l->persisted[i] = false;
		any |= !l->persisted[i];
	}
	/* A lost store takes along what comes after it in its line. */
	if (!any || !minimise_spread(l->model, l->persisted))
		return 0;
	return loss_fails(l, l->persisted);
}

static int loss_known(struct loss *l, struct result **found)
{
	struct campaign *c = l->explain->campaign;
	unsigned tried = 0;
	int r;

	for (size_t i = c->results.count; i-- > 0 && tried < CAUSES_MAX;) {
		struct result *result = &c->results.at[i];

		if (!result->by_loss || !ending_same(result->ending, l->job->ending) ||
		    strcmp(result->sighting.platform, l->explain->platform))
			continue;
		tried++;
		r = cause_fits(l, result);
		if (r < 0)
			return r;
		if (r)
			*found = result;
		if (r)
			return 0;
	}
	return 0;
}

/* The stores of the lost, or persisted, units: those of one event that follow each other are one. */
static size_t stores_gather(const struct loss *l, bool persisted, struct crash_store *stores, uint8_t (*values)[VALUE_MAX],
			    uint64_t *total)
{
	struct crash_store *last = NULL;
	size_t kept = 0;

	*total = 0;
	for (size_t i = 0; i < l->count; i++) {
		const struct unit *u = l->units[i];

		if (l->persisted[i] != persisted)
			continue;
		if (last && last->event == u->event && last->file == u->file && last->offset + last->size == u->offset &&
		    last->size + u->size <= VALUE_MAX) {
			memcpy((uint8_t *)last->value + last->size, u->value, u->size);
			last->size += u->size;
			continue;
		}
		++*total;
		last = NULL;
		if (kept == RESULT_STORES_MAX)
			continue;
		memcpy(values[kept], u->value, u->size);
		stores[kept] = (struct crash_store){
			.context = u->context,
			.flush = u->flush_context,
			.file = u->file,
			.size = u->size,
			.offset = u->offset,
			.value = values[kept],
			.event = u->event,
		};
		last = &stores[kept++];
	}
	return kept;
}

static const struct unit *first_lost(const struct loss *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (!l->persisted[i])
			return l->units[i];
	return NULL;
}

static bool is_pending(const struct loss *l, uint64_t event)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->units[i]->event == event)
			return true;
	return false;
}

/* The latest store that is on media for certain: what recovery relies on.  One after the lost store, or else the last one before it. */
static const struct recent *loss_witness(const struct loss *l, const struct unit *lost)
{
	const struct explain *e = l->explain;
	uint64_t oldest = e->recent_count > RECENT_MAX ? e->recent_count - RECENT_MAX : 0;

	for (uint64_t i = e->recent_count; i-- > oldest;) {
		const struct recent *r = &e->recents[i % RECENT_MAX];

		if (r->store.file == lost->file && r->store.offset == lost->offset)
			continue; /* what was there before */
		if (!is_pending(l, r->store.event))
			return r;
	}
	return NULL;
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

static enum crash_cause loss_cause(const struct unit *lost)
{
	if (lost->kind == UNIT_DIRECT || (lost->kind == UNIT_CACHED && lost->cover != UNIT_BARE))
		return CAUSE_UNFENCED;
	return CAUSE_UNFLUSHED;
}

static int loss_result(struct loss *l)
{
	struct crash_store stores[1 + RESULT_STORES_MAX];
	uint8_t values[RESULT_STORES_MAX][VALUE_MAX];
	const struct unit *lost = first_lost(l);
	const struct recent *witness = loss_witness(l, lost);
	struct result result = {.ending = l->job->ending, .by_loss = true};
	struct crash_sighting *s = &result.sighting;
	struct state *state = state_new(l->image, l->persisted);
	size_t kept;
	int r;

	s->cause = loss_cause(lost);
	s->blamed = lost->context;
	result_point(l->explain, l->job->trial, s);
	result_contexts(l, &result);
	kept = stores_gather(l, false, stores, values, &s->lost_count);
	s->lost = result_stores(l->explain, stores, kept);
	kept = stores_gather(l, true, stores + 1, values, &s->persisted_count);
	if (witness) {
		stores[0] = witness->store;
		stores[0].certain = true;
	}
	s->persisted_count += witness != NULL;
	s->persisted = result_stores(l->explain, stores + !witness, kept + (witness != NULL));
	r = result_add(l->explain, l->job, &result, state, l->err);
	state_free(state);
	return r;
}

static int loss_minimise(struct loss *l)
{
	unsigned tries = l->job->ending.kind == OUTCOME_TIMEOUT ? TRIES_HANGING : TRIES_MAX;
	int r;

	memset(l->persisted, 0, l->count);
	r = explain_may_run(l->explain) ? minimise_lost(l->model, l->persisted, tries, loss_fails, l) : 0;
	return r == -1 ? -1 : loss_result(l);
}

int loss_explain(struct explain *e, const struct job *job, struct err *err)
{
	struct image *image = reading_image(e->reading);
	struct loss l = {.explain = e, .job = job, .image = image, .model = image_model(image), .err = err};
	struct result *same = NULL;
	int r = 0;

	l.units = model_pending(l.model, &l.count);
	l.persisted = mem_alloc(l.count + 1);
	if (explain_may_run(e))
		r = loss_known(&l, &same);
	if (r != -1) {
		if (same)
			same->sighting.states += job->states;
		r = same ? 0 : loss_minimise(&l);
	}
	free(l.persisted);
	return r;
}
