/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inject.c - the readings that make trials: two crash states at each chosen visit of a failure point.
 *
 * Before an msync or fsync there are more states.  Programs that persist with these calls rarely flush, so much is
 * pending, and the two states do not show what happens if the kernel has written back one page but not another.  Unless
 * explore tests that anyway, each page is tried as the only one on media, and as the only one lost (try_each.c). */
#include "inject/inject.h"

#include <inttypes.h>
#include <stdlib.h>

#include "explore/explore_in.h"
#include "trace/op.h"

struct inject {
	struct campaign *campaign;
	struct points *points;
	struct explore pages; /* for pages_try */
	bool first_visits;    /* only first visits are wanted */
	size_t due;           /* the next point, if first_visits */
	uint64_t before;      /* event of the last point, chosen or not */
};

static int point_try(struct pass *pass, size_t point, struct err *err)
{
	const struct inject *in = pass->state;
	struct trial trial = {.point = (uint32_t)point, .which = TRIAL_ALL, .from = select_start(in->campaign->select)};
	int r;

	/* With --points, a crash at this point stands for all crashes since the point before it. */
	if (in->campaign->options.points && in->before > trial.from)
		trial.from = in->before;
	r = pass_try(pass, trial, err);
	if (r < 0 || !model_pending_count(image_model(reading_image(pass->reading))))
		return r;
	trial.which = TRIAL_NONE;
	return pass_try(pass, trial, err);
}

static bool is_sync(const struct event *ev)
{
	return ev && (ev->type == EVENT_MSYNC || ev->type == EVENT_FILE_SYNC);
}

static int pages_try(struct pass *pass, struct err *err)
{
	struct inject *in = pass->state;
	struct explored *explored = in->pages.explored;
	struct moment *moment = explore_moment(&in->pages);

	vec_push(&explored->roots, ((struct root){.event = reading_number(pass->reading)}));
	return root_test(&in->pages, explored->roots.count - 1, moment, err);
}

/* The point just before the event, or before the end if it is NULL. */
static size_t point_here(struct pass *pass, const struct event *ev, uint64_t *visit)
{
	struct inject *in = pass->state;
	const struct points *known = in->campaign->survey->points;
	uint64_t number = reading_number(pass->reading);

	*visit = 1;
	/* If only first visits count, the survey knows where they are.  Points are numbered in that sequence. */
	if (in->first_visits)
		return in->due <= points_count(known) && number + 1 >= points_get(known, in->due)->first ? in->due++
													 : 0;
	if (!ev)
		return points_end(in->points, number, visit);
	select_event(in->campaign->select, reading_trace(pass->reading), ev, number);
	return points_event(in->points, ev, number + 1, visit);
}

static int inject_moment(struct pass *pass, const struct event *ev, struct err *err)
{
	struct inject *in = pass->state;
	uint64_t visit;
	size_t point = point_here(pass, ev, &visit);
	int r = 0;

	if (!point)
		return 0;
	if (select_takes(in->campaign->select, reading_trace(pass->reading), point, visit)) {
		r = point_try(pass, point, err);
		if (r == 0 && is_sync(ev) && pass->chooser->state)
			r = pages_try(pass, err);
	}
	in->before = reading_number(pass->reading);
	return r;
}

/* The maximum number of states: two for each visit.  0: not known. */
static uint64_t expects(const struct campaign *c)
{
	uint64_t visits = c->options.visits, count = 0;

	if (c->options.points || c->options.after)
		return 0;
	for (size_t i = 1; i <= points_count(c->survey->points); i++) {
		uint64_t here = points_get(c->survey->points, i)->visits;

		count += here < visits ? here : visits;
	}
	return 2 * count * c->options.platform_count;
}

static unsigned inject_passes(const struct campaign_options *options)
{
	return options->budget > 0 ? SELECT_ROUNDS : 1;
}

/* The state of the chooser is what was tried of pages, by platform; NULL: another strategy tries all sets anyway. */
static void inject_begin(struct chooser *chooser)
{
	const struct campaign_options *o = &chooser->campaign->options;

	if (!strategies_all_sets(o->strategies, o->strategy_count))
		chooser->state = explored_new(o->platform_count);
}

static void inject_free(struct chooser *chooser)
{
	explored_free(chooser->state, chooser->campaign->options.platform_count);
}

/* All passes are one phase. */
static bool inject_due(struct chooser *chooser, size_t platform, unsigned pass)
{
	if (!platform && !pass)
		campaign_phase(chooser->campaign, "testing", expects(chooser->campaign));
	return true;
}

static void inject_open(struct pass *pass)
{
	struct campaign *c = pass->chooser->campaign;
	struct explored *pages = pass->chooser->state;
	struct inject *in = mem_alloc(sizeof(*in));

	*in = (struct inject){
		.campaign = c,
		.points = points_new(points_kind(c->survey->points)),
		.first_visits = c->options.visits <= 1 && !c->options.after && !c->options.points,
		.due = 1,
	};
	if (pages)
		in->pages = (struct explore){.campaign = c,
					     .explored = &pages[pass->platform],
					     .reading = pass->reading,
					     .platform = pass->platform,
					     .pages = true};
	select_round(c->select, pass->number);
	pass->last = select_last(c->select);
	pass->state = in;
}

static int inject_check(const struct pass *pass, struct err *err)
{
	return select_check(pass->chooser->campaign->select, err);
}

static void inject_close(struct pass *pass)
{
	struct inject *in = pass->state;

	points_free(in->points);
	free(in);
}

static int inject_recheck(struct chooser *chooser, size_t platform, struct err *err)
{
	struct explored *pages = chooser->state;

	return pages ? roots_recheck(chooser, platform, &pages[platform], true, err) : 0;
}

static void inject_jobs(struct chooser *chooser, size_t platform, const struct judge_seen *seen, struct jobs *jobs)
{
	struct explored *pages = chooser->state;

	chooser_jobs(chooser, platform, seen, jobs);
	if (pages)
		roots_judge(chooser, platform, &pages[platform], seen, jobs);
}

static void inject_figures(const struct chooser *chooser, struct findings *f)
{
	const struct points *points = chooser->campaign->survey->points;

	f->stats.failure_points.visited = figure_known(points_visited(points));
	f->stats.failure_points.unique = figure_known(points_unique(points));
}

static void inject_notes(const struct chooser *chooser, struct findings *f)
{
	const struct campaign *c = chooser->campaign;
	const struct explore_figures pages = explored_figures(chooser->state, c->options.platform_count);
	uint64_t most = expects(c);

	if (chooser->stopped && most)
		findings_note(f, "not all crash states were tested: %" PRIu64 " of at most %" PRIu64, c->found.tested,
			      most);
	else if (chooser->stopped)
		findings_note(f, "not all crash states were tested: %" PRIu64, c->found.tested);
	if (pages.pages_sampled)
		findings_note(f,
			      "before %" PRIu64
			      " sync%s many pages were pending: an even sample was tested; --detect explore "
			      "tests all",
			      pages.pages_sampled, pages.pages_sampled == 1 ? "" : "s");
	roots_recheck_note(chooser, &pages, f);
}

const struct strategy strategy_inject = {
	.name = "inject",
	.nests = true,
	.at_points = true,
	.passes = inject_passes,
	.begin = inject_begin,
	.free = inject_free,
	.due = inject_due,
	.open = inject_open,
	.close = inject_close,
	.moment = inject_moment,
	.check = inject_check,

	.recheck = inject_recheck,
	.jobs = inject_jobs,
	.figures = inject_figures,
	.notes = inject_notes,
};
