/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prefix.c - recovery fails although all that was stored is on media: after which store does it fail first?
 *
 * The image stands where the prefix did not fail so yet.  The stores from there to the failing trial are read ahead; a
 * prefix in between is the state of this moment with some of them over it, so that any can be tried without moving: the
 * store is found by bisection.  What changes size or name of a file cannot be put over a state; there the search begins
 * anew, behind it. */
#include <stdlib.h>
#include <string.h>

#include "crash/explain.h"

enum { PREFIX_UNKNOWN = 1, STORES_SHOWN = 8, VALUE_MAX = 64, WINDOW_BYTES_MAX = 64 << 20 };

struct prefix {
	struct explain *explain;
	const struct job *job;
	struct ending ending; /* the job's, or what that is with more time */
	struct state *base;   /* all that is stored up to here */
	VEC_OF(struct crash_store) stores;
	bool unfinished; /* there might be a shorter one */
	struct err *err;
};

/* Reading ahead */

static bool is_store(const struct image *image, const struct event *ev)
{
	if (ev->type == EVENT_STORE)
		return ev->file;
	return ev->type == EVENT_FILE_WRITE && ev->offset + ev->size <= image_size(image, ev->file);
}

static bool changes_files(const struct event *ev)
{
	switch (ev->type) {
	case EVENT_FILE:
	case EVENT_CONTENT:
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: return true;
	default: return false;
	}
}

/* 0: all stores up to the trial are there; 1: the job must start later. */
static int window_read(struct prefix *p, struct job *job)
{
	struct reading *reading = p->explain->reading;
	uint64_t number = reading_number(reading);
	const struct event *ev;
	int more;

	for (size_t distance = 1; number + distance <= job->trial->event; distance++) {
		more = reading_ahead(reading, distance, &ev, p->err);
		if (more <= 0)
			return more;
		bool store = is_store(reading_image(reading), ev);
		if ((!store && changes_files(ev)) || reading_kept(reading) > WINDOW_BYTES_MAX) {
			job->start = number + distance;
			return 1;
		}
		if (store)
			vec_push(&p->stores, ((struct crash_store){.context = ev->context,
								   .file = ev->file,
								   .size = (uint32_t)ev->size,
								   .offset = ev->offset,
								   .value = ev->data,
								   .event = number + distance}));
	}
	return 0;
}

/* States */

struct ordered {
	struct patch patch;
	size_t order;
};

static int patch_order(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;

	if (a->patch.file != b->patch.file)
		return a->patch.file < b->patch.file ? -1 : 1;
	if (a->patch.offset / 64 != b->patch.offset / 64)
		return a->patch.offset / 64 < b->patch.offset / 64 ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

struct patches {
	VEC_OF(struct ordered) all;
};

/* The words of a store, as far as the file goes. */
static void patches_add(struct patches *patches, const struct crash_store *store, uint64_t file_size)
{
	uint64_t end = store->offset + store->size < file_size ? store->offset + store->size : file_size;

	for (uint64_t at = store->offset; at < end;) {
		uint64_t next = (at / 8 + 1) * 8 < end ? (at / 8 + 1) * 8 : end;
		struct ordered o = {.order = patches->all.count};

		o.patch.file = store->file;
		o.patch.offset = at;
		o.patch.size = (uint8_t)(next - at);
		memcpy(o.patch.value, store->value + (at - store->offset), next - at);
		vec_push(&patches->all, o);
		at = next;
	}
}

/* Known at both ends only. */
static struct digest prefix_digest(const struct prefix *p, size_t count)
{
	if (!count)
		return p->base->digest;
	return count == p->stores.count ? p->job->trial->digest : (struct digest){0};
}

/* The base with the first `count` stores over it.  The patches are the caller's to free. */
static struct state prefix_state(const struct prefix *p, size_t count)
{
	const struct image *image = reading_image(p->explain->reading);
	struct state state = {.event = p->base->event, .digest = prefix_digest(p, count)};
	struct patches patches = {0};

	for (size_t i = 0; i < p->base->count; i++) {
		struct ordered o = {p->base->at[i], i};

		vec_push(&patches.all, o);
	}
	for (size_t i = 0; i < count; i++)
		patches_add(&patches, &p->stores.at[i], image_size(image, p->stores.at[i].file));
	if (patches.all.count)
		qsort(patches.all.at, patches.all.count, sizeof(*patches.all.at), patch_order);
	state.count = state.units = patches.all.count;
	state.at = mem_alloc((state.count + 1) * sizeof(*state.at));
	for (size_t i = 0; i < state.count; i++)
		state.at[i] = patches.all.at[i].patch;
	vec_free(&patches.all);
	return state;
}

static int prefix_fails(struct prefix *p, size_t count)
{
	struct state state;
	struct outcome outcome;
	int r;

	if (!explain_may_run(p->explain, p->job->ending))
		return TESTER_STOPPED;
	state = prefix_state(p, count);
	r = tester_run(p->explain->campaign->tester, &state, 1, &outcome, p->err);
	free(state.at);
	if (r < 0)
		return r;
	r = ending_same(ending_of(&outcome), p->job->ending);
	outcome_free(&outcome);
	return r;
}

/* The search */

/* How many stores make it fail: the first that do, as far as bisection tells, and comes. */
static int prefix_search(struct prefix *p, size_t *shortest)
{
	size_t passes = 0, fails = p->stores.count;
	int r = fails ? explain_fails(p->explain, p->base, p->job->ending, p->err) : 1;

	if (r == 1)
		fails = 0;
	while (r >= 0 && fails > passes + 1) {
		size_t middle = passes + (fails - passes) / 2;

		r = prefix_fails(p, middle);
		if (r == 1)
			fails = middle;
		else if (r == 0)
			passes = middle;
	}
	*shortest = fails;
	p->unfinished = r < 0;
	return r == -1 ? -1 : 0;
}

/* The instruction that did not happen any more, if the program came as far as the first `count` stores. */
static int prefix_point(struct prefix *p, size_t count, struct crash_sighting *s)
{
	struct reading *reading = p->explain->reading;
	uint64_t number = reading_number(reading), after = count ? p->stores.at[count - 1].event : number;
	const struct event *ev;
	int more;

	result_point(p->explain, p->job->trial, s);
	for (uint64_t at = after + 1; at <= p->job->trial->event; at++) {
		more = reading_ahead(reading, at - number, &ev, p->err);
		if (more < 0)
			return -1;
		if (!more || !ev->context)
			continue;
		s->point = ev->context;
		s->point_op = op_name(op_of(ev));
		s->point_event = at;
		break;
	}
	return 0;
}

/* The last store of the prefix, which came too early, and those before it. */
static void prefix_stores(struct prefix *p, size_t count, struct crash_sighting *s)
{
	struct crash_store shown[STORES_SHOWN];
	size_t kept = count < STORES_SHOWN ? count : STORES_SHOWN;

	for (size_t i = 0; i < kept; i++) {
		shown[i] = p->stores.at[count - 1 - i];
		shown[i].value = shown[i].size > VALUE_MAX ? NULL
							   : (const uint8_t *)arena_copy(&p->explain->campaign->texts,
											 shown[i].value, shown[i].size);
	}
	result_stores(p->explain, s, NULL, 0, shown, kept);
}

static struct result *prefix_known(const struct prefix *p, const struct result *result)
{
	struct campaign *c = p->explain->campaign;

	for (size_t i = 0; i < c->results.count; i++) {
		struct result *other = &c->results.at[i];

		if (!other->by_loss && ending_same(other->ending, result->ending) &&
		    other->sighting.blamed == result->sighting.blamed &&
		    (result->sighting.blamed || other->sighting.point == result->sighting.point) &&
		    !strcmp(other->sighting.platform, p->explain->platform))
			return other;
	}
	return NULL;
}

/* Recovery passes without the latest file, which has just been made and holds nothing yet. */
static bool file_is_blank(const struct prefix *p)
{
	const struct image *image = reading_image(p->explain->reading);
	uint32_t file = image_file_count(image);

	while (file && !image_exists(image, file))
		file--;
	return file && !p->base->count && image_is_blank(image, file) && ending_passed(p->explain->campaign->initial);
}

static enum crash_cause prefix_cause(const struct prefix *p, size_t count)
{
	if (count)
		return CAUSE_EARLY;
	return file_is_blank(p) ? CAUSE_BLANK : CAUSE_MOMENT;
}

static int prefix_result(struct prefix *p, size_t count)
{
	struct result result = {.ending = p->ending}, *same;
	struct state state;
	int r;

	result.sighting.cause = prefix_cause(p, count);
	result.sighting.unfinished = p->unfinished;
	result.sighting.blamed = count ? p->stores.at[count - 1].context : 0;
	if (prefix_point(p, count, &result.sighting) < 0)
		return -1;
	same = prefix_known(p, &result);
	if (same) {
		result_join(same, p->job);
		return 0;
	}
	prefix_stores(p, count, &result.sighting);
	state = prefix_state(p, count);
	r = result_add(p->explain, p->job, &result, &state, p->err);
	free(state.at);
	return r;
}

static int prefix_certainly(struct prefix *p, size_t count, struct ending *how)
{
	struct state state = prefix_state(p, count);
	int r = hangs_certainly(p->explain->campaign, &state, how, p->err);

	free(state.at);
	return r;
}

/* What exceeds the time limit may hang, or be slow, and then end well or not; and the shorter prefix otherwise than the
 * whole.  0: *count stores make it end as p->ending says; PREFIX_UNKNOWN: there is nothing to be told. */
static int prefix_settle(struct prefix *p, size_t *count)
{
	size_t all = p->stores.count;
	struct ending shorter;
	int r = prefix_certainly(p, all, &p->ending);

	if (r == TESTER_STOPPED)
		p->explain->campaign->hangs_unconfirmed += p->job->states;
	if (r < 0)
		return r == -1 ? -1 : PREFIX_UNKNOWN;
	if (explain_is_fine(p->explain, p->job, p->ending))
		return PREFIX_UNKNOWN;
	if (*count == all)
		return 0;
	r = prefix_certainly(p, *count, &shorter);
	if (r < 0 || !ending_same(shorter, p->ending)) {
		*count = all;
		p->unfinished = true;
	}
	return r == -1 ? -1 : 0;
}

int prefix_explain(struct explain *e, struct job *job, struct err *err)
{
	struct prefix p = {.explain = e, .job = job, .ending = job->ending, .err = err};
	size_t shortest;
	int r = window_read(&p, job);

	if (r == 0) {
		p.base = state_all(reading_image(e->reading));
		r = prefix_search(&p, &shortest);
		if (r == 0 && job->ending.kind == OUTCOME_TIMEOUT)
			r = prefix_settle(&p, &shortest);
		if (r == 0)
			r = prefix_result(&p, shortest);
		if (r == PREFIX_UNKNOWN)
			r = 0;
		state_free(p.base);
	}
	vec_free(&p.stores);
	return r;
}
