/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expose.c - see expose.h. */
#include "expose/expose.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "crash/strategy.h"
#include "detect/points.h"
#include "expose/expose_in.h"

/* With a budget, the share of the time that is left, if other strategies come later. */
#define SHARE_OF_TIME 0.5

/* The passes of random mode.  Those of check mode are rounds of crash/select.h. */
enum random_pass { PASS_COUNT, PASS_RANDOM, RANDOM_PASSES };

static bool is_random(const struct campaign_options *o)
{
	return o->race_executions > 0;
}

/* Moments */

static bool is_late(struct expose *x)
{
	bool late = x->enough > 0 && clock_seconds() > x->enough;

	x->untried += late;
	return late;
}

static int check_moment(struct pass *pass, size_t point, uint64_t visit, struct err *err)
{
	struct expose *x = pass->chooser->state;

	if (!select_takes(pass->chooser->campaign->select, reading_trace(pass->reading), point, visit) || is_late(x))
		return 0;
	x->figures.points++;
	return watch_all(pass, err);
}

static int random_moment(struct pass *pass, struct err *err)
{
	struct expose *x = pass->chooser->state;
	struct exposing *w = pass->state;
	uint64_t number = w->visits;
	int r = 0;

	if (!select_returned(pass->chooser->campaign->select))
		return 0;
	w->visits++;
	if (pass->number == PASS_COUNT)
		return 0;
	for (; r == 0 && w->pick < x->picks.count && x->picks.at[w->pick] == number; w->pick++) {
		if (is_late(x))
			continue;
		x->figures.points++;
		r = watch_random(pass, w->pick, err);
	}
	return r;
}

static int expose_moment(struct pass *pass, const struct event *ev, struct err *err)
{
	const struct campaign *c = pass->chooser->campaign;
	struct exposing *w = pass->state;
	uint64_t number = reading_number(pass->reading), visit;
	size_t point;
	int r = 0;

	if (ev)
		select_event(c->select, reading_trace(pass->reading), ev, number);
	point = ev ? points_event(w->points, ev, number + 1, &visit) : points_end(w->points, number, &visit);
	if (point)
		r = is_random(&c->options) ? random_moment(pass, err) : check_moment(pass, point, visit, err);
	w->stores += ev && (ev->type == EVENT_STORE || ev->type == EVENT_FILE_WRITE);
	return r;
}

/* Random mode */

static int number_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Choose visits of failure points; one may be chosen several times. */
static void picks_choose(struct expose *x, const struct campaign_options *o, uint64_t visits)
{
	uint64_t random = random_seed(o->seed, visits);

	for (uint64_t i = 0; visits && i < o->race_executions; i++)
		vec_push(&x->picks, random_below(&random, visits));
	if (x->picks.count)
		qsort(x->picks.at, x->picks.count, sizeof(*x->picks.at), number_compare);
}

/* The strategy */

static unsigned expose_passes(const struct campaign_options *o)
{
	return is_random(o) ? RANDOM_PASSES : o->budget > 0 ? SELECT_ROUNDS : 1;
}

static void expose_begin(struct chooser *chooser)
{
	const struct campaign_options *o = &chooser->campaign->options;
	struct expose *x = mem_alloc(sizeof(*x));

	x->stacks = code_stacks_new();
	x->checksums = checksums_new(o->checksums, o->checksum_count, x->stacks);
	x->tally = (struct tally){.stacks = x->stacks, .checksums = x->checksums};
	x->scripts = mem_alloc((o->platform_count + 1) * sizeof(*x->scripts));
	chooser->state = x;
}

static void expose_free(struct chooser *chooser)
{
	struct expose *x = chooser->state;

	for (size_t p = 0; p < chooser->campaign->options.platform_count; p++)
		scripts_free(&x->scripts[p]);
	free(x->scripts);
	tally_free(&x->tally);
	checksums_free(x->checksums);
	code_stacks_free(x->stacks);
	vec_free(&x->picks);
	free(x);
}

static bool expose_due(struct chooser *chooser, size_t platform, unsigned pass)
{
	struct campaign *c = chooser->campaign;
	struct expose *x = chooser->state;
	bool is_last = chooser->number + 1 == c->options.strategy_count;

	/* A server does not end by itself, so it cannot be recorded.  Shards leave it to the merge. */
	if (c->options.client || c->options.shard.total)
		return false;
	if (!platform && !pass) {
		campaign_phase(c, "recording recovery", 0);
		if (campaign_time_left(c) >= 0 && !is_last)
			x->enough = clock_seconds() + SHARE_OF_TIME * campaign_time_left(c);
	}
	return !is_random(&c->options) || pass != PASS_COUNT || !platform;
}

static void race_found(void *arg, const struct race *race)
{
	const struct pass *pass = arg;
	struct expose *x = pass->chooser->state;

	tally_add(&x->tally, pass->platform, race);
}

static void expose_open(struct pass *pass)
{
	struct campaign *c = pass->chooser->campaign;
	struct exposing *w = mem_alloc(sizeof(*w));

	w->points = points_new(points_kind(c->survey->points));
	w->follow = follow_new(c->options.dir, c->options.platforms[pass->platform], race_found, pass);
	select_round(c->select, is_random(&c->options) ? 0 : pass->number);
	pass->state = w;
}

/* All recordings have ended or were given up. */
static void expose_close(struct pass *pass)
{
	struct expose *x = pass->chooser->state;
	struct exposing *w = pass->state;

	follow_go(w->follow);
	x->stores.stores += follow_figures(w->follow).stores;
	x->stores.known += follow_figures(w->follow).known;
	follow_free(w->follow);
	if (is_random(&pass->chooser->campaign->options) && pass->number == PASS_COUNT)
		picks_choose(x, &pass->chooser->campaign->options, w->visits);
	points_free(w->points);
	free(w);
}

static int expose_check(const struct pass *pass, struct err *err)
{
	const struct campaign *c = pass->chooser->campaign;

	return is_random(&c->options) ? select_check_after(c->select, err) : select_check(c->select, err);
}

static int expose_untested(const struct campaign_options *o, const struct survey *survey, struct findings *f,
			   struct err *err)
{
	(void)o;
	(void)survey;
	(void)err;
	findings_note(f, "without --recover there is no recovery that reads anything, so races were not looked for");
	return 0;
}

const struct strategy strategy_races = {
	.name = "races",
	.layers = BO_LAYER_SYNC,
	.needs = BO_LAYER_SYNC,
	.observes = true,
	.at_points = true,
	.outermost = true,
	.passes = expose_passes,
	.begin = expose_begin,
	.free = expose_free,
	.due = expose_due,
	.open = expose_open,
	.close = expose_close,
	.moment = expose_moment,
	.check = expose_check,
	.findings = expose_findings,
	.untested = expose_untested,
	.figures = expose_figures,
	.limits = expose_limits,
	.notes = expose_notes,
};
