/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inject.c - the readings that make trials: two crash states at each chosen visit of a failure point.
 *
 * Before an msync or fsync there are more states.  Programs that persist with these calls rarely flush, so much is
 * pending, and the two states do not show what happens if the kernel has written back one page but not another.  Unless
 * explore tests that anyway, each page is tried as the only one on media, and as the only one lost (try_each.c). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

static int trial_add(struct inject *in, struct trial *trial, struct err *err)
{
	struct campaign *c = in->campaign;
	int advice = hangs_look(c, in->platform, trial, err), r;
	struct state *state;

	if (advice < 0 || advice == HANGS_LEAVE)
		return advice < 0 ? advice : 0;
	trial->event = reading_number(in->reading);
	vec_push(&in->trials->all, *trial);
	if (known_claim(c->known, trial->digest))
		return 0;
	state = trial_state(trial, reading_image(in->reading));
	if (advice == HANGS_CONFIRM)
		r = hangs_try(c, in->platform, trial, state, err);
	else
		r = tester_submit(c->tester, state, err);
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
	struct trial trial = {
		.digest = state_digest_all(image),
		.point = (uint32_t)point,
		.which = TRIAL_ALL,
		.guaranteed = !pending,
		.from = search_start(in),
	};
	int r = trial_add(in, &trial, err);

	if (r < 0 || !pending)
		return r;
	trial.which = TRIAL_NONE;
	trial.guaranteed = true;
	trial.digest = state_digest_none(image);
	trial.lost = lost_hash(in, image_model(image));
	return trial_add(in, &trial, err);
}

static bool is_sync(const struct event *ev)
{
	return ev && (ev->type == EVENT_MSYNC || ev->type == EVENT_FILE_SYNC);
}

static int pages_try(struct inject *in, struct err *err)
{
	struct explored *explored = in->pages.explored;
	struct moment *moment = moment_new(reading_image(in->reading));

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
		if (reading_number(in->reading) % EVENTS_PER_LOOK == 0 && in->campaign->options.interrupted())
			return TESTER_STOPPED;
	}
	return 0;
}

static bool content_any(const struct content *content)
{
	for (uint32_t file = 1; content_knows(content, file); file++)
		if (content_path(content, file))
			return true;
	return false;
}

static void printed_keep(struct campaign *c, const struct outcome *outcome)
{
	size_t size = outcome->out.size + outcome->err.size;
	char *both = mem_alloc(size + 1);

	if (outcome->out.size)
		memcpy(both, outcome->out.text, outcome->out.size);
	if (outcome->err.size)
		memcpy(both + outcome->out.size, outcome->err.text, outcome->err.size);
	c->printed = arena_copy(&c->texts, both, size);
	free(both);
}

/* The shell exits with these if a command is not found or cannot be executed. */
static bool shell_refuses(const struct outcome *outcome)
{
	return outcome->kind == OUTCOME_EXIT && (outcome->value == 126 || outcome->value == 127);
}

/* Before the first crash state: recovery must pass on the files that the program left. */
static int orderly_end(struct campaign *c, struct err *err)
{
	struct outcome outcome;
	char how[128];
	int r = tester_run_content(c->tester, c->survey->final, 1, &outcome, err);

	if (r < 0)
		return r;
	if (!outcome_passed(&outcome)) {
		outcome_describe(&outcome, how, sizeof(how));
		printed_keep(c, &outcome);
		err_set(err, "recovery fails without any crash, on what the program leaves at its end: %s", how);
		err_status(err, shell_refuses(&outcome) ? ERR_USAGE : ERR_TARGET);
		if (outcome.kind == OUTCOME_TIMEOUT)
			err_hint(err, "--timeout gives it more time");
		else if (outcome.kind == OUTCOME_SIGNAL && outcome.value == SIGXFSZ)
			err_hint(err, "--disk lets it write more");
		else if (!content_any(c->survey->final))
			err_hint(err, "the program leaves no persistent file behind");
		r = -1;
	}
	outcome_free(&outcome);
	return r;
}

static int initial_state(struct campaign *c, struct reading *reading, struct err *err)
{
	struct state *state = state_none(reading_image(reading));
	struct outcome outcome;
	int r = tester_run(c->tester, state, 1, &outcome, err);

	state_free(state);
	if (r < 0)
		return r;
	c->initial = ending_of(&outcome);
	outcome_free(&outcome);
	return 0;
}

int campaign_begin(struct campaign *c, struct reading *reading, struct err *err)
{
	int r;

	if (c->begun)
		return 0;
	r = orderly_end(c, err);
	if (r == 0)
		r = initial_state(c, reading, err);
	c->begun = r == 0;
	return r;
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
	in.pages = (struct explore){.campaign = c, .explored = &c->explored[platform], .reading = in.reading};
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
