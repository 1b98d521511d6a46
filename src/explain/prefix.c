/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prefix.c - recovery fails although everything stored so far is on media: find the store that makes it fail.
 *
 * The image stands where the prefix did not fail in this way yet.  The stores from there to the failing trial are read
 * ahead.  A prefix in between is the state of this moment plus some of these stores, so any prefix can be tried without
 * moving the image, and the store is found by bisection.  An event that changes the size or name of a file cannot be
 * applied to a state in this way; the search restarts after it.
 *
 * Sometimes no store makes the difference, because recovery ends in the same way at the start of the search, where that
 * is accepted (creation) or comes before the crashes that the user asked for.  Then the failing trial itself is
 * examined: which of the pending stores must be on media? */
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "explain/explain.h"
#include "explain/minimize.h"

enum {
	PREFIX_LATER = 1, /* try again when the image has reached job->start */
	PREFIX_UNKNOWN,
	STORES_SHOWN = 8,
	VALUE_MAX = 64,
	WINDOW_BYTES_MAX = 64 << 20,
	LOOKS_BACK = 9,       /* steps: 1, 2, 4 ... 256 stores before the end */
	TRIES_MAX = 400,      /* tries to find the pending stores that matter */
	TRIES_HANGING = 12,   /* the same if each try takes the whole time limit */
	ALWAYS_UNITS_MAX = 6, /* try all sets of up to this many pending units */
};

struct prefix {
	struct explain *explain;
	const struct job *job;
	struct verdict verdict; /* the job's verdict, or the verdict with more time */
	struct state *base;     /* everything stored up to here */
	VEC_OF(struct crash_store) stores;
	bool unfinished; /* a shorter failing prefix may exist */
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

/* Read the stores up to the trial ahead.  0: all are there; PREFIX_LATER. */
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
			job->moved = true;
			return PREFIX_LATER;
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

struct placed {
	struct patch patch;
	size_t position;
};

static int patch_compare(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->patch.file != b->patch.file)
		return a->patch.file < b->patch.file ? -1 : 1;
	if (a->patch.offset / LINE_BYTES != b->patch.offset / LINE_BYTES)
		return a->patch.offset / LINE_BYTES < b->patch.offset / LINE_BYTES ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

struct patches {
	VEC_OF(struct placed) all;
};

/* Add the words of a store, up to the end of the file. */
static void patches_add(struct patches *patches, const struct crash_store *store, uint64_t file_size)
{
	uint64_t end = store->offset + store->size < file_size ? store->offset + store->size : file_size;

	for (uint64_t at = store->offset; at < end;) {
		uint64_t next = (at / 8 + 1) * 8 < end ? (at / 8 + 1) * 8 : end;
		struct placed o = {.position = patches->all.count};

		o.patch.file = store->file;
		o.patch.offset = at;
		o.patch.size = (uint8_t)(next - at);
		memcpy(o.patch.value, store->value + (at - store->offset), next - at);
		vec_push(&patches->all, o);
		at = next;
	}
}

/* The crash with the first `count` stores on media: just after the last of them. */
static struct crash_context prefix_crash(const struct prefix *p, size_t count)
{
	uint64_t event = !count                     ? reading_number(p->explain->reading)
			 : count == p->stores.count ? p->job->trial->event
						    : p->stores.at[count - 1].event;

	return campaign_crash(p->explain->campaign, p->explain->platform_index, event);
}

/* The digest is known only for the empty and for the full prefix. */
static struct digest prefix_digest(const struct prefix *p, size_t count)
{
	const struct crash_context crash = prefix_crash(p, count);

	if (!count)
		return p->base->digest;
	return count == p->stores.count ? crash_content(p->job->trial->digest, &crash) : (struct digest){0};
}

/* The base plus the first `count` stores.  The caller must free the patches. */
static struct state prefix_state(const struct prefix *p, size_t count)
{
	const struct image *image = reading_image(p->explain->reading);
	struct state state = {.event = p->base->event, .digest = prefix_digest(p, count)};
	struct patches patches = {0};

	for (size_t i = 0; i < p->base->count; i++) {
		struct placed o = {p->base->at[i], i};

		vec_push(&patches.all, o);
	}
	for (size_t i = 0; i < count; i++)
		patches_add(&patches, &p->stores.at[i], image_size(image, p->stores.at[i].file));
	if (patches.all.count)
		qsort(patches.all.at, patches.all.count, sizeof(*patches.all.at), patch_compare);
	state.count = state.units = patches.all.count;
	state.at = mem_alloc((state.count + 1) * sizeof(*state.at));
	for (size_t i = 0; i < state.count; i++)
		state.at[i] = patches.all.at[i].patch;
	vec_free(&patches.all);
	return state;
}

static int prefix_fails(struct prefix *p, size_t count)
{
	const struct crash_context crash = prefix_crash(p, count);
	struct state state;
	struct tester_result run;
	int r;

	if (!explain_may_run(p->explain, p->job->verdict))
		return TESTER_STOPPED;
	state = prefix_state(p, count);
	r = tester_run(p->explain->campaign->tester, &state, &crash, 1, &run, p->err);
	free(state.at);
	if (r < 0)
		return r;
	r = verdict_same(run.verdict, p->job->verdict);
	outcome_free(&run.outcome);
	return r;
}

/* The search */

/* Find the first store that makes recovery fail.  Recovery does not fail in this way with the first `passes` stores,
 * but does with the first *fails stores. */
static int prefix_bisect(struct prefix *p, size_t passes, size_t *fails)
{
	int r = 0;

	while (r >= 0 && *fails > passes + 1) {
		size_t middle = passes + (*fails - passes) / 2;

		r = prefix_fails(p, middle);
		if (r == 1)
			*fails = middle;
		else if (r == 0)
			passes = middle;
	}
	return r < 0 ? r : 0;
}

/* Recovery fails at both ends.  Is there a prefix in between on which it does not?  Look back from the end in growing
 * steps. */
static int prefix_look_back(struct prefix *p, size_t *shortest)
{
	size_t fails = p->stores.count;
	unsigned steps = verdict_hangs(p->job->verdict) ? 0 : LOOKS_BACK;
	int r = 1;

	*shortest = 0;
	for (size_t step = 1; r == 1 && step < p->stores.count && steps-- > 0; step *= 2) {
		r = prefix_fails(p, p->stores.count - step);
		if (r == 1)
			fails = p->stores.count - step;
		if (r)
			continue;
		r = prefix_bisect(p, p->stores.count - step, &fails);
		*shortest = fails;
		return r;
	}
	return r < 0 ? r : 0;
}

/* Find the shortest prefix, in stores, that fails.  0: no store makes the difference. */
static int prefix_search(struct prefix *p, size_t *shortest)
{
	int r;

	*shortest = p->stores.count;
	if (!*shortest)
		return 0;
	r = explain_fails(p->explain, p->base, p->job->verdict, p->err);
	if (r == 0)
		r = prefix_bisect(p, 0, shortest);
	else if (r == 1)
		r = prefix_look_back(p, shortest);
	p->unfinished = r < 0;
	return r == -1 ? -1 : 0;
}

/* The crash point: the first instruction that was not executed if the program stopped after the first `count`
 * stores.  Loads change nothing; they do not count, so the point does not depend on whether they are recorded. */
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
		if (!more || !ev->context || ev->type == EVENT_LOAD || ev->type == EVENT_FILE_READ)
			continue;
		s->point = ev->context;
		s->point_op = op_name(op_of(ev));
		s->point_event = at;
		break;
	}
	return 0;
}

/* Show the last store of the prefix, which came too early, and those before it. */
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

	for (size_t i = 0; i < c->results.all.count; i++) {
		struct result *other = &c->results.all.at[i];

		if (!other->by_loss && verdict_same(other->verdict, result->verdict) &&
		    other->sighting.blamed == result->sighting.blamed &&
		    (result->sighting.blamed || other->sighting.point == result->sighting.point) &&
		    !strcmp(other->sighting.platform, p->explain->platform))
			return other;
	}
	return NULL;
}

/* Was the latest file just created and is still blank, while recovery passes on the initial state, without it? */
static bool file_is_blank(const struct prefix *p)
{
	const struct image *image = reading_image(p->explain->reading);
	uint32_t file = image_file_count(image);

	while (file && !image_exists(image, file))
		file--;
	return file && !p->base->count && image_is_blank(image, file) && verdict_passed(p->explain->campaign->initial);
}

/* Add the result, with the first `count` stores of the window on media, unless it is already known. */
static int prefix_add(struct prefix *p, struct result *result, size_t count)
{
	struct result *same = prefix_known(p, result);
	const struct crash_context crash = prefix_crash(p, count);
	struct state state;
	int r;

	if (same) {
		result_join(p->explain, same, p->job);
		return 0;
	}
	state = prefix_state(p, count);
	r = result_add(p->explain, p->job, result, &state, &crash, p->err);
	free(state.at);
	return r;
}

static int prefix_result(struct prefix *p, size_t count)
{
	struct result result = {.verdict = p->verdict};

	result.sighting.cause = CAUSE_EARLY;
	result.sighting.unfinished = p->unfinished;
	result.sighting.blamed = p->stores.at[count - 1].context;
	if (prefix_point(p, count, &result.sighting) < 0)
		return -1;
	prefix_stores(p, count, &result.sighting);
	return prefix_add(p, &result, count);
}

static int blank_result(struct prefix *p)
{
	struct result result = {.verdict = p->verdict, .sighting = {.cause = CAUSE_BLANK, .unfinished = p->unfinished}};

	if (prefix_point(p, 0, &result.sighting) < 0)
		return -1;
	return prefix_add(p, &result, 0);
}

/* No store before this moment makes the difference: look at the pending ones */

static int pending_fails(void *arg, const bool *persisted)
{
	struct prefix *p = arg;
	struct state *state = state_new(reading_image(p->explain->reading), persisted);
	int r = explain_fails(p->explain, state, p->job->verdict, p->err);

	state_free(state);
	return r;
}

/* Does recovery fail no matter which pending stores are on media?  The caller knows that it fails with all of them and
 * with none.  1: yes.  0: no, or there are too many sets to try. */
static int pending_always(struct prefix *p, size_t count)
{
	struct model *model = image_model(reading_image(p->explain->reading));
	bool persisted[ALWAYS_UNITS_MAX];
	int r = 1;

	if (!count || count > ALWAYS_UNITS_MAX || verdict_hangs(p->job->verdict))
		return 0;
	for (unsigned set = 1; r == 1 && set + 1 < 1u << count; set++) {
		for (size_t i = 0; i < count; i++)
			persisted[i] = set >> i & 1;
		if (model_allows(model, persisted))
			r = pending_fails(p, persisted);
	}
	return r;
}

/* The latest needed store is to blame. */
static void pending_stores(struct prefix *p, const struct unit *const *units, size_t count, const bool *needed,
			   struct crash_sighting *s)
{
	struct crash_store shown[STORES_SHOWN];
	size_t kept = 0;

	for (size_t i = count; i-- > 0 && kept < STORES_SHOWN;) {
		const struct unit *u = units[i];

		if (!needed[i])
			continue;
		shown[kept] = (struct crash_store){.context = u->context,
						   .flush = u->flush_context,
						   .flush_event = u->flush_event,
						   .file = u->file,
						   .size = u->size,
						   .offset = u->offset,
						   .event = u->event};
		shown[kept++].value =
			(const uint8_t *)arena_copy(&p->explain->campaign->texts, (const char *)u->value, u->size);
	}
	s->blamed = kept ? shown[0].context : 0;
	result_stores(p->explain, s, NULL, 0, shown, kept);
}

static int pending_result(struct prefix *p)
{
	struct model *model = image_model(reading_image(p->explain->reading));
	struct result result = {.verdict = p->verdict};
	unsigned left = verdict_hangs(p->job->verdict) ? TRIES_HANGING : TRIES_MAX;
	size_t count;
	const struct unit *const *units = model_pending(model, &count);
	bool *needed = mem_alloc(count + 1);
	int r = 0;

	memset(needed, 1, count);
	if (count)
		r = minimize_kept(model, needed, 0, &left, pending_fails, p);
	result.sighting.cause = memchr(needed, 1, count) ? CAUSE_EARLY : CAUSE_MOMENT;
	if (r == 0 && result.sighting.cause == CAUSE_MOMENT)
		r = pending_always(p, count);
	result.sighting.always = r == 1;
	result.sighting.unfinished = r < 0 || !left;
	pending_stores(p, units, count, needed, &result.sighting);
	free(needed);
	if (r == -1 || prefix_point(p, 0, &result.sighting) < 0)
		return -1;
	return prefix_add(p, &result, 0);
}

static int prefix_certainly(struct prefix *p, size_t count, struct verdict *verdict)
{
	const struct crash_context crash = prefix_crash(p, count);
	struct state state = prefix_state(p, count);
	int r = hangs_certainly(p->explain->campaign, &state, &crash, verdict, p->err);

	free(state.at);
	return r;
}

/* A run that exceeds the time limit may hang, or be slow and then pass or fail.  The shorter prefix may also end
 * differently from the full one.  0: the first *count stores make recovery end as p->verdict says.  PREFIX_UNKNOWN:
 * nothing to report. */
static int prefix_settle(struct prefix *p, size_t *count)
{
	size_t all = p->stores.count;
	struct verdict shorter;
	int r = prefix_certainly(p, all, &p->verdict);

	if (r == TESTER_STOPPED)
		hangs_leave_unconfirmed(p->explain->campaign, p->job->states);
	if (r < 0)
		return r == -1 ? -1 : PREFIX_UNKNOWN;
	if (explain_is_fine(p->explain, p->job, p->verdict))
		return PREFIX_UNKNOWN;
	if (*count == all)
		return 0;
	r = prefix_certainly(p, *count, &shorter);
	if (r < 0 || !verdict_same(shorter, p->verdict)) {
		*count = all;
		p->unfinished = true;
	}
	return r == -1 ? -1 : 0;
}

/* No store since the last prefix makes the difference.  The job may have the cause of an earlier one.  Otherwise, look
 * at the moment of the trial. */
static int prefix_elsewhere(struct prefix *p, struct job *job)
{
	struct result *same = job->follows ? explain_followed(p->explain, job) : NULL;
	bool here;

	if (same) {
		result_join(p->explain, same, job);
		return 0;
	}
	if (file_is_blank(p))
		return blank_result(p);
	here = job->moved && !explain_accepts(p->explain, p->base->event, job->verdict);
	if (here || reading_number(p->explain->reading) >= job->trial->event)
		return pending_result(p);
	job->start = job->trial->event;
	return PREFIX_LATER;
}

int prefix_explain(struct explain *e, struct job *job, struct err *err)
{
	struct prefix p = {.explain = e, .job = job, .verdict = job->verdict, .err = err};
	size_t shortest;
	int r = window_read(&p, job);

	if (r == 0) {
		p.base = state_all(reading_image(e->reading));
		r = prefix_search(&p, &shortest);
		if (r == 0 && verdict_hangs(job->verdict))
			r = prefix_settle(&p, &shortest);
		if (r == 0)
			r = shortest ? prefix_result(&p, shortest) : prefix_elsewhere(&p, job);
		if (r == PREFIX_UNKNOWN)
			r = 0;
		state_free(p.base);
	}
	vec_free(&p.stores);
	return r;
}
