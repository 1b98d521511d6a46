/* SPDX-License-Identifier: GPL-2.0-or-later */
/* violate.c - see violate.h. */
#include "violate/violate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "trace/op.h"
#include "violate/states.h"
#include "violate/violate_in.h"

enum violate_pass {
	PASS_INFER,   /* once for all platforms */
	PASS_COUNT,   /* find violations, and choose the targets */
	PASS_BEST,    /* with a budget: targets of the best groups */
	PASS_TARGETS, /* all targets */
	PASS_REST,    /* with a budget: all instances, unless another strategy needs the time */
	VIOLATE_PASSES
};

enum {
	BEST_GROUPS = 64,
	INSTANCES = 3,                /* of a group that are tested, at least */
	PART_OF_REPRESENTATIVES = 10, /* that is tested, if it is more */
	SEARCHED_ALWAYS = 64,         /* moments that are looked at, however short the time is */
	PATIENCE_MAX = 50,            /* time limits for recording recovery */
	TESTED_KEPT = 1 << 16,        /* violations that are remembered for reasons */
};

/* The share of the time left that is used to record recovery, and to look for violations, so that there is time to test
 * what was found. */
#define SHARE_LOOKING 0.25

/* One reading. */
struct violating {
	struct walk walk;
	bool walks; /* the walk has begun */
	struct violations found;
	size_t next;   /* the next target */
	double enough; /* the time after which nothing more is looked for; 0: never */
};

static struct hunt *pass_hunt(const struct pass *pass)
{
	const struct violate *v = pass->chooser->state;

	return &v->hunts[pass->platform];
}

/* Inference */

static void recovery_begin(void *arg, const struct trace *trace)
{
	invariants_begin(arg, trace);
}

static void recovery_event(void *arg, const struct trace *trace, const struct event *ev)
{
	(void)trace;
	invariants_event(arg, ev);
}

/* With a budget, recovery is recorded for a part of the time that is left, or for one time limit. */
static unsigned recording_patience(const struct campaign *c)
{
	double left = campaign_time_left(c), limits = left * SHARE_LOOKING / c->options.timeout;

	return left < 0 ? 0 : limits < 1 ? 1 : limits < PATIENCE_MAX ? (unsigned)limits : PATIENCE_MAX;
}

/* What does recovery read, and under which conditions?  A server does not end by itself, so it cannot be recorded. */
static int recovery_infer(struct pass *pass)
{
	struct violate *v = pass->chooser->state;
	struct campaign *c = pass->chooser->campaign;
	const struct crash_context crash = campaign_crash(c, pass->platform, CRASH_NONE);
	const struct campaign_watching how = {.layers = BO_LAYER_DEPENDENCIES, .patience = recording_patience(c)};
	const struct recovery_consumer consumer = {.begin = recovery_begin,
						   .event = recovery_event,
						   .arg = v->invariants};
	bool whole = true;
	int r = c->options.client ? 0 : campaign_watch(c, NULL, &crash, how, &consumer, &whole);

	v->unwatched = !whole;
	return r;
}

static int infer_event(struct pass *pass, const struct event *ev)
{
	const struct violate *v = pass->chooser->state;

	if (!ev)
		return recovery_infer(pass);
	invariants_event(v->invariants, ev);
	return 0;
}

/* Testing */

static struct trial trial_at(const struct event *ev, enum trial_which which)
{
	return (struct trial){.which = (uint8_t)which,
			      .context = ev ? ev->context : 0,
			      .op = (uint8_t)(ev ? op_of(ev) : OP_COUNT)};
}

/* The two extreme states of the moment, for the rules of trials.h and for WAY_BEFORE_FIRST. */
static int extremes_try(struct pass *pass, const struct event *ev, const struct moment *moment, struct err *err)
{
	struct hunt *hunt = pass_hunt(pass);
	int r;

	contents_add(&hunt->tried, moment->all);
	contents_add(&hunt->tried, moment->certain);
	r = pass_try(pass, trial_at(ev, TRIAL_ALL), err);
	return r < 0 ? r : pass_try(pass, trial_at(ev, TRIAL_NONE), err);
}

static int state_try(struct pass *pass, const struct event *ev, const struct moment *moment, const uint8_t *taken,
		     struct err *err)
{
	uint32_t count = moment->choices->unit_count;
	struct trial trial = trial_at(ev, TRIAL_NONE);
	bool *persisted;

	if (!contents_add(&pass_hunt(pass)->tried, moment_digest(moment, taken)))
		return 0;
	persisted = mem_alloc(count + 1);
	moment_persisted(moment, taken, persisted);
	trial.persisted = campaign_block(pass->chooser->campaign, persisted, count);
	free(persisted);
	return pass_try(pass, trial, err);
}

static void store_remember(struct violate *v, const struct made *made)
{
	uint64_t *index = map_put(&v->place_index, made->event, 0);

	if (*index)
		return;
	vec_push(&v->places, made->place);
	*index = v->places.count;
}

static void violation_remember(struct violate *v, const struct violation *violation)
{
	tally_violation(&v->tally, violation, TALLY_TESTED);
	if (v->tested.count == TESTED_KEPT)
		return;
	vec_push(&v->tested, *violation);
	store_remember(v, &violation->first);
	store_remember(v, &violation->second);
}

static int violation_try(struct pass *pass, const struct event *ev, const struct held *held,
			 const struct violation *violation, struct err *err)
{
	struct violate *v = pass->chooser->state;
	const struct held_store *first = held_find(held, violation->first.event),
				*second = held_find(held, violation->second.event);
	uint8_t *taken;
	int r = 0;

	BUG_ON(!first && violation->ways != WAY_BEFORE_FIRST);
	if (violation->ways & WAY_WITHOUT_FIRST) {
		taken = state_without(held, first);
		r = state_try(pass, ev, held->moment, taken, err);
		free(taken);
	}
	if (r == 0 && violation->ways & WAY_ONLY_SECOND) {
		taken = state_only(held, second);
		r = state_try(pass, ev, held->moment, taken, err);
		free(taken);
	}
	if (r == 0)
		violation_remember(v, violation);
	return r;
}

static struct moment *moment_here(const struct pass *pass)
{
	const struct crash_context crash =
		campaign_crash(pass->chooser->campaign, pass->platform, reading_number(pass->reading));

	return moment_new(reading_image(pass->reading), &crash);
}

/* Is it the turn of this target? */
static bool is_due(const struct pass *pass, const struct hunt *hunt, size_t target)
{
	bool best = hunt->targets.all.at[target].rank < BEST_GROUPS;

	return !hunt->targets.all.at[target].tested && (best || pass->number == PASS_TARGETS);
}

static int targets_try(struct pass *pass, const struct event *ev, struct err *err)
{
	struct violating *w = pass->state;
	struct hunt *hunt = pass_hunt(pass);
	uint64_t here = reading_number(pass->reading);
	struct moment *moment = NULL;
	struct held *held = NULL;
	int r = 0;

	for (; r == 0 && w->next < hunt->targets.all.count && hunt->targets.all.at[w->next].moment <= here; w->next++) {
		if (!is_due(pass, hunt, w->next))
			continue;
		if (!moment) {
			moment = moment_here(pass);
			held = held_new(moment);
			r = extremes_try(pass, ev, moment, err);
		}
		if (r == 0)
			r = violation_try(pass, ev, held, &hunt->targets.all.at[w->next].violation, err);
		hunt->targets.all.at[w->next].tested = r == 0;
	}
	if (moment) {
		held_free(held);
		moment_free(moment);
	}
	return r;
}

/* Finding */

static void targets_find(struct pass *pass, struct violating *w, const struct event *ev)
{
	struct violate *v = pass->chooser->state;
	struct hunt *hunt = pass_hunt(pass);
	struct moment *moment;

	if (hunt->looked_until || !targets_wants(&hunt->targets, w->walk.code))
		return;
	if (w->enough > 0 && hunt->searched >= SEARCHED_ALWAYS && clock_seconds() > w->enough) {
		hunt->looked_until = reading_number(pass->reading);
		return;
	}
	hunt->searched++;
	moment = moment_here(pass);
	walk_find(&w->walk, moment, reading_image(pass->reading), ev, &v->tally, &w->found);
	for (size_t i = 0; i < w->found.all.count; i++)
		if (targets_add(&hunt->targets, w->walk.code, reading_number(pass->reading), &w->found.all.at[i]))
			campaign_suspect(pass->chooser->campaign, w->found.all.at[i].first.event);
	moment_free(moment);
}

static int rest_try(struct pass *pass, struct violating *w, const struct event *ev, struct err *err)
{
	struct violate *v = pass->chooser->state;
	struct moment *moment = moment_here(pass);
	struct held *held = held_new(moment);
	int r = 0;

	walk_find(&w->walk, moment, reading_image(pass->reading), ev, &v->tally, &w->found);
	if (w->found.all.count)
		r = extremes_try(pass, ev, moment, err);
	for (size_t i = 0; r == 0 && i < w->found.all.count; i++)
		r = violation_try(pass, ev, held, &w->found.all.at[i], err);
	held_free(held);
	moment_free(moment);
	return r;
}

/* Is this a moment to look at? */
static bool is_stop(const struct pass *pass, struct walk *walk, const struct event *ev)
{
	const struct campaign *c = pass->chooser->campaign;
	struct model *model = image_model(reading_image(pass->reading));
	bool skip = !select_returned(c->select);

	if (walk_stop(walk, model, ev, skip))
		return true;
	if (skip || !campaign_context_ends(c, pass->platform, pass->reading, ev))
		return false;
	walk_stop_here(walk, model);
	return true;
}

static int violate_moment(struct pass *pass, const struct event *ev, struct err *err)
{
	struct violating *w = pass->state;
	int r = 0;

	if (pass->number == PASS_INFER)
		return infer_event(pass, ev);
	if (ev)
		select_event(pass->chooser->campaign->select, reading_trace(pass->reading), ev,
			     reading_number(pass->reading));
	if (!w->walks)
		return targets_try(pass, ev, err);
	if (is_stop(pass, &w->walk, ev)) {
		if (pass->number == PASS_REST)
			r = rest_try(pass, w, ev, err);
		else
			targets_find(pass, w, ev);
	}
	if (ev)
		walk_on(&w->walk, ev, reading_number(pass->reading) + 1);
	return r;
}

/* The strategy */

uint64_t violate_instances(const struct campaign_options *o)
{
	if (!o->prune_segments)
		return 0;
	return o->representatives / PART_OF_REPRESENTATIVES > INSTANCES ? o->representatives / PART_OF_REPRESENTATIVES
									: INSTANCES;
}

static unsigned violate_passes(const struct campaign_options *options)
{
	(void)options;
	return VIOLATE_PASSES;
}

static void violate_begin(struct chooser *chooser)
{
	const struct campaign_options *o = &chooser->campaign->options;
	struct violate *v = mem_alloc(sizeof(*v));

	v->invariants = invariants_new();
	v->hunts = mem_alloc(o->platform_count * sizeof(*v->hunts));
	for (size_t p = 0; p < o->platform_count; p++)
		v->hunts[p].targets.each = violate_instances(o);
	chooser->state = v;
}

static void violate_free(struct chooser *chooser)
{
	struct violate *v = chooser->state;

	for (size_t p = 0; p < chooser->campaign->options.platform_count; p++) {
		targets_free(&v->hunts[p].targets);
		contents_free(&v->hunts[p].tried);
	}
	free(v->hunts);
	invariants_free(v->invariants);
	map_free(&v->tally.flags);
	map_free(&v->place_index);
	vec_free(&v->tested);
	vec_free(&v->places);
	free(v);
}

static bool violate_due(struct chooser *chooser, size_t platform, unsigned pass)
{
	static const char *const phases[VIOLATE_PASSES] = {
		[PASS_INFER] = "inferring invariants",
		[PASS_COUNT] = "looking for violations of invariants",
		[PASS_BEST] = "violating the most frequent invariants",
		[PASS_TARGETS] = "violating invariants",
		[PASS_REST] = "violating invariants again",
	};
	const struct violate *v = chooser->state;
	const struct targets *targets = &v->hunts[platform].targets;
	bool budget = chooser->campaign->options.budget > 0, due = true,
	     is_last = chooser->number + 1 == chooser->campaign->options.strategy_count;

	switch (pass) {
	case PASS_INFER: due = !platform; break;
	case PASS_COUNT: break;
	case PASS_BEST: due = budget && targets->groups.count > BEST_GROUPS; break;
	case PASS_TARGETS: due = targets->all.count; break;
	default: due = budget && targets->left_out && is_last; break;
	}
	if (due)
		campaign_phase(chooser->campaign, phases[pass], 0);
	return due;
}

static void violate_open(struct pass *pass)
{
	const struct violate *v = pass->chooser->state;
	const struct targets *targets = &pass_hunt(pass)->targets;
	struct trace *trace = reading_trace(pass->reading);
	struct violating *w = mem_alloc(sizeof(*w));

	pass->state = w;
	select_round(pass->chooser->campaign->select, 0);
	if (pass->number == PASS_INFER) {
		invariants_begin(v->invariants, trace);
	} else if (pass->number == PASS_COUNT || pass->number == PASS_REST) {
		walk_begin(&w->walk, v->invariants, trace);
		w->walks = true;
		if (campaign_time_left(pass->chooser->campaign) >= 0)
			w->enough = clock_seconds() + SHARE_LOOKING * campaign_time_left(pass->chooser->campaign);
	} else {
		pass->last = targets->all.at[targets->all.count - 1].moment + 1;
	}
}

static void violate_close(struct pass *pass)
{
	struct violating *w = pass->state;

	if (w->walks)
		walk_end(&w->walk);
	if (pass->number == PASS_COUNT)
		targets_rank(&pass_hunt(pass)->targets);
	vec_free(&w->found.all);
	free(w);
}

static int violate_check(const struct pass *pass, struct err *err)
{
	return pass->number == PASS_COUNT ? select_check_after(pass->chooser->campaign->select, err) : 0;
}

static void violate_figures(const struct chooser *chooser, struct findings *f)
{
	const struct violate *v = chooser->state;

	violate_figures_add(v->invariants, &v->tally, f);
	f->stats.invariants.tested = figure_known(tally_count(&v->tally, TALLY_TESTED));
	f->stats.invariants.confirmed = figure_known(tally_count(&v->tally, TALLY_CONFIRMED));
	for (size_t p = 0; p < chooser->campaign->options.platform_count; p++)
		if (v->hunts[p].looked_until || v->hunts[p].targets.full)
			f->stats.complete = figure_known(0);
}

static void violate_limits(const struct chooser *chooser, struct findings *f)
{
	const struct violate *v = chooser->state;

	if (v->unwatched)
		findings_note(f, "recovery could not be recorded, so likely invariants come from the program alone");
	for (size_t p = 0; p < chooser->campaign->options.platform_count; p++)
		if (v->hunts[p].targets.full) {
			findings_note(f, "only the first %u places where an invariant can be violated were tested",
				      (unsigned)TARGETS_MAX);
			break;
		}
	for (size_t p = 0; p < chooser->campaign->options.platform_count; p++)
		if (v->hunts[p].looked_until) {
			findings_note(f,
				      "time was short: violations of invariants after event %" PRIu64
				      " were not looked for",
				      v->hunts[p].looked_until);
			break;
		}
}

const struct strategy strategy_invariants = {
	.name = "invariants",
	.layers = BO_LAYER_LOADS | BO_LAYER_CODE | BO_LAYER_DEPENDENCIES,
	.needs = BO_LAYER_DEPENDENCIES,
	.observes = true,
	.outermost = true,
	.passes = violate_passes,
	.begin = violate_begin,
	.free = violate_free,
	.due = violate_due,
	.open = violate_open,
	.close = violate_close,
	.moment = violate_moment,
	.check = violate_check,
	.tell = violate_tell,
	.untested = violate_untested,
	.figures = violate_figures,
	.limits = violate_limits,
};
