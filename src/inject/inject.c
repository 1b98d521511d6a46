/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inject.c - the readings that make trials: two crash states at each chosen visit of a failure point.
 *
 * Before an msync or fsync there are more states.  Programs that persist with these calls rarely flush, so much is
 * pending, and the two states do not show what happens if the kernel has written back one page but not another.  Unless
 * explore tests that anyway, each page is tried as the only one on media, and as the only one lost (try_each.c). */
#include "inject/inject.h"

#include <xxhash.h>

#include "explore/explore_in.h"
#include "trace/op.h"

struct inject {
	struct campaign *campaign;
	struct reading *reading;
	struct points *points;
	struct trials *trials;
	struct explore pages; /* for pages_try */
	size_t platform;
	VEC_OF(uint32_t) seen; /* by context: the stamp of the trial that counted it last */
	uint32_t stamp;
	bool first_visits; /* only first visits are wanted */
	size_t due;        /* the next point, if first_visits */
	uint64_t before;   /* event of the last point, chosen or not */
};

/* A hash of the contexts whose stores are lost if no pending store reaches media.  Independent of the order and number
 * of the stores. */
static uint64_t lost_hash(struct inject *in, struct model *model)
{
	size_t count;
	const struct unit *const *units = model_pending(model, &count);
	uint64_t hash = 0;

	in->stamp++;
	for (size_t i = 0; i < count; i++) {
		uint32_t context = units[i]->context;

		while (in->seen.count <= context)
			vec_push(&in->seen, 0);
		if (in->seen.at[context] == in->stamp)
			continue;
		in->seen.at[context] = in->stamp;
		hash += XXH3_64bits(&context, sizeof(context));
	}
	return hash;
}

static int trial_add(struct inject *in, struct trial *trial, const struct crash_context *crash, struct err *err)
{
	struct campaign *c = in->campaign;
	int advice = hangs_look(c, in->platform, trial, err), r;
	struct state *state;

	if (advice < 0 || advice == HANGS_LEAVE)
		return advice < 0 ? advice : 0;
	vec_push(&in->trials->all, *trial);
	if (outcomes_claim(c->outcomes, trial->digest, crash))
		return 0;
	state = trial_state(trial, reading_image(in->reading));
	if (advice == HANGS_CONFIRM)
		r = hangs_try(c, in->platform, trial, state, err);
	else
		r = tester_submit(c->tester, state, crash, err);
	state_free(state);
	return r;
}

/* The earliest event where the search for the cause of a failing prefix may begin.  With --points, a crash at this
 * point stands for all crashes since the point before it. */
static uint64_t search_start(const struct inject *in)
{
	uint64_t start = select_start(in->campaign->select);

	return in->campaign->options.points && in->before > start ? in->before : start;
}

static int point_try(struct inject *in, size_t point, struct err *err)
{
	struct image *image = reading_image(in->reading);
	bool pending = model_pending_count(image_model(image)) > 0;
	const struct crash_context crash = campaign_crash(in->campaign, in->platform, reading_number(in->reading));
	struct trial trial = {
		.digest = crash_case(state_digest_all(image), &crash),
		.event = crash.event,
		.point = (uint32_t)point,
		.which = TRIAL_ALL,
		.guaranteed = !pending,
		.from = search_start(in),
	};
	int r = trial_add(in, &trial, &crash, err);

	if (r < 0 || !pending)
		return r;
	trial.which = TRIAL_NONE;
	trial.guaranteed = true;
	trial.digest = crash_case(state_digest_none(image), &crash);
	trial.lost = lost_hash(in, image_model(image));
	return trial_add(in, &trial, &crash, err);
}

static bool is_sync(const struct event *ev)
{
	return ev && (ev->type == EVENT_MSYNC || ev->type == EVENT_FILE_SYNC);
}

static int pages_try(struct inject *in, struct err *err)
{
	struct explored *explored = in->pages.explored;
	struct moment *moment = explore_moment(&in->pages);

	vec_push(&explored->roots, ((struct root){.event = reading_number(in->reading)}));
	return eager_root(&in->pages, explored->roots.count - 1, moment, EAGER_PAGES, err);
}

/* If only first visits count, the survey knows where they are.  Points are numbered in that order. */
static size_t point_due(struct inject *in)
{
	const struct points *points = in->campaign->survey->points;

	if (in->due > points_count(points) || reading_number(in->reading) + 1 < points_get(points, in->due)->first)
		return 0;
	return in->due++;
}

/* The point just before the event, or before the end if it is NULL. */
static size_t point_here(struct inject *in, const struct event *ev, uint64_t *visit)
{
	uint64_t number = reading_number(in->reading);

	*visit = 1;
	if (in->first_visits)
		return point_due(in);
	if (!ev)
		return points_end(in->points, number, visit);
	select_event(in->campaign->select, reading_trace(in->reading), ev, number);
	return points_event(in->points, ev, number + 1, visit);
}

static int visit_try(struct inject *in, size_t point, const struct event *ev, struct err *err)
{
	int r = point_try(in, point, err);

	if (r == 0 && is_sync(ev) && !in->campaign->options.explore)
		r = pages_try(in, err);
	return r;
}

static int event_try(struct inject *in, const struct event *ev, struct err *err)
{
	uint64_t visit;
	size_t point = point_here(in, ev, &visit);
	int r = 0;

	if (!point)
		return 0;
	if (select_takes(in->campaign->select, reading_trace(in->reading), point, visit))
		r = visit_try(in, point, ev, err);
	in->before = reading_number(in->reading);
	return r;
}

enum { EVENTS_PER_LOOK = 1 << 14 };

static int reading_try(struct inject *in, struct err *err)
{
	uint64_t last = select_last(in->campaign->select);
	const struct event *ev;
	int r, more;

	while (reading_number(in->reading) < last) {
		more = reading_look(in->reading, &ev, err);
		if (more < 0)
			return -1;
		r = event_try(in, more ? ev : NULL, err);
		if (r < 0 || !more)
			return r;
		reading_go(in->reading);
		if (reading_number(in->reading) % EVENTS_PER_LOOK == 0 && stop_asked(&in->campaign->options.stop))
			return TESTER_STOPPED;
	}
	return 0;
}

int inject_read(struct campaign *c, size_t platform, unsigned round, struct err *err)
{
	struct inject in = {
		.campaign = c,
		.trials = &c->trials[platform],
		.platform = platform,
		.first_visits = c->options.visits <= 1 && !c->options.after && !c->options.points,
		.due = 1,
	};
	int r;

	if (reading_open(&in.reading, c->options.dir, c->options.platforms[platform], c->survey->origin, err) < 0)
		return -1;
	in.pages = (struct explore){.campaign = c,
				    .explored = &c->explored[platform],
				    .reading = in.reading,
				    .platform = platform};
	in.points = points_new(points_kind(c->survey->points));
	select_round(c->select, round);
	r = campaign_tester(c, in.reading, err);
	if (r == 0)
		r = campaign_begin(c, in.reading, err);
	if (r == 0)
		r = reading_try(&in, err);
	if (r == 0)
		r = select_check(c->select, err);
	r = campaign_tester_end(c, r, err);
	points_free(in.points);
	vec_free(&in.seen);
	reading_close(in.reading);
	return r;
}
