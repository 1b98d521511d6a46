/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nested.c - a second crash, during recovery from the first.
 *
 * On crash states that recovery passes on, it runs once more, recorded.  Then the power fails in that recording, as in
 * any other: a campaign of its own, whose initial state is the crash state and whose final state is the result of
 * recovery.  It shares outcomes by content with the first campaign.
 *
 * Recording takes a good part of a second, so only some states are taken:
 *
 *  1. Extreme states, which have a trial: all, or STATES_MAX of them, spaced evenly.
 *  2. Other states that explore found: in each round one state of each moment, starting with those that differ most
 *     from the states already taken of their moment (candidates.h).  At most STATES_MAX in total or, with a budget, as
 *     many as there is time for.
 *
 * Recoveries that do not change PM have no failure points, and cost nothing beyond the recording. */
#include "campaign/nested.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/path.h"
#include "campaign/campaign.h"
#include "campaign/strategies.h"
#include "crash/candidates.h"
#include "crash/strategy.h"
#include "image/tree.h"
#include "trace/code_place.h"

#define TIME_LEAST 0.1
enum {
	STATES_MAX = 100,    /* extreme states to record, at most; and other states, if there is no budget */
	LEAVES_WITHIN = 256, /* leaves of one segment of an explored recovery */
	EXPLORE_SHARES = 16, /* exploring one recovery gets 1/16 of the time that is left */
	RANKS = 16,          /* states of one moment, not counting the extreme ones */
};

struct nest {
	struct campaign *campaign;
	struct reading *reading;
	VEC_OF(struct pick) picks; /* for the next reading */
	VEC_OF(struct pick) later; /* extreme states put off until the others are done, if time is left */
	struct contents seen;      /* all picked states */
	VEC_OF(const struct strategy *) strategies; /* of the nested campaigns */
	unsigned number;                            /* of the last recording */
	/* for progress */
	double start;
	uint64_t most; /* recordings to make, at most */
	uint64_t runs; /* of recovery, in nested campaigns that have ended */
};

/* Recording */

struct surveying {
	struct survey *survey;
	uint64_t number; /* of the last event */
};

static void event_survey(void *arg, const struct trace *trace, const struct event *ev)
{
	struct surveying *s = arg;

	(void)trace;
	survey_event(s->survey, ev, ++s->number);
}

/* Has recovery mapped every file of the state?  A file that it did not map is not in its recording, and would be
 * missing from the crash states. */
static bool survey_is_whole(const struct nest *n, const struct survey *survey)
{
	const struct image *image = reading_image(n->reading);
	const char *name;

	for (uint32_t file = 1; file <= image_file_count(image); file++)
		if (image_exists(image, file) && origin_place(survey->origin, image_path(image, file), &name) < 0)
			return false;
	return true;
}

/* The nested campaign */

static void found_add(struct judgement *found, const struct judgement *more)
{
	found->distinct += more->distinct;
	found->tested += more->tested;
	found->failed += more->failed;
	found->accepted += more->accepted;
}

/* Seconds left of the budget; never 0, which would mean no limit. */
static double time_left(const struct campaign *c)
{
	double left = c->progress.start + c->options.budget - clock_seconds();

	return left > TIME_LEAST ? left : TIME_LEAST;
}

/* Take over the notes of the nested campaign. */
static void notes_take(struct campaign *c, const struct campaign *within)
{
	bool partly = false;

	for (size_t i = 0; i < within->options.strategy_count; i++) {
		const struct strategy *strategy = within->options.strategies[i];

		partly |= strategy->partly && strategy->partly(&within->choosers[i]);
	}
	c->stopped |= within->stopped;
	found_add(&c->found, &within->found);
	c->nested->partly += partly;
	if (within->results.is_unkept)
		results_unkept(&c->results, &within->results.unkept);
	hangs_leave_unconfirmed(c, hangs_figures(within).unconfirmed);
	c->results.flaky += within->results.flaky;
	c->results.unexamined += within->results.unexamined;
	for (size_t i = 0; i < within->foreign_files.count; i++)
		campaign_foreign_file(c, within->foreign_files.at[i]);
}

/* Report the number of nested campaigns, which matters more than the progress within one. */
static void progress_pass_on(void *arg, const struct campaign_progress *within)
{
	const struct nest *n = arg;
	const struct campaign *c = n->campaign;
	const struct campaign_progress progress = {
		.phase = "crashing recovery",
		.done = n->number,
		.known = n->most,
		.tested = n->runs + within->tested,
		.failed = c->found.failed + within->failed,
		.seconds = clock_seconds() - n->start,
		.budget_left = c->options.budget > 0 ? time_left(c) : -1,
	};

	c->options.progress(c->options.arg, &progress);
}

static int recording_crash(struct nest *n, const char *dir, struct survey *survey, const struct crash_context *first,
			   struct err *err)
{
	struct campaign *c = n->campaign;
	struct nested_campaign nested = {.dir = dir, .survey = survey};
	struct campaign_options how = c->options;
	int r;

	how.dir = dir;
	how.points = how.after = NULL;
	how.nested = false;
	how.parts = NULL; /* shards do not crash recovery */
	how.visits = how.nested_visits;
	how.representatives = how.nested_representatives;
	how.strategies = n->strategies.at;
	how.strategy_count = n->strategies.count;
	how.per_segment = how.per_segment < LEAVES_WITHIN ? how.per_segment : LEAVES_WITHIN;
	how.suspect_count = how.caller_count = how.leftover_count = 0;
	if (how.budget > 0)
		how.budget = strategies_all_sets(how.strategies, how.strategy_count) ? time_left(c) / EXPLORE_SHARES
										     : time_left(c);
	how.folder_first = c->results.folders;
	how.progress = how.progress ? progress_pass_on : NULL;
	how.arg = n;
	r = campaign_run_within(&nested.campaign, &how, survey, c, campaign_block(c, first, sizeof(*first)), err);
	c->results.folders = nested.campaign->results.folders;
	n->runs += nested.campaign->progress.runs;
	/* If recovery fails on its own result without a crash, there is nothing to compare with. */
	if (r < 0 && err->status == ERR_TARGET) {
		c->nested->failing++;
		r = 0;
	} else {
		c->nested->crashed += r == 0;
	}
	notes_take(c, nested.campaign);
	vec_push(&c->nested->campaigns, nested);
	return r;
}

/* Returns 0 also if nothing can be learned from this state. */
static int state_nest(struct nest *n, const struct state *state, const struct crash_context *crash, unsigned number,
		      struct err *err)
{
	struct campaign *c = n->campaign;
	const struct crash_context idle = oracles_place_idle(c->oracles, *crash);
	char name[16], dir[PATH_MAX];
	const struct recovery_trace_options how = {
		.tester = c->tester,
		.input = {.state = state, .crash = &idle},
		.layers = strategies_layers(n->strategies.at, n->strategies.count),
		.under = c->nested->dir,
		.keep = name,
	};
	struct surveying surveying = {0};
	struct survey *survey;
	bool whole;
	int r;

	snprintf(name, sizeof(name), "%04u", number);
	if (path_make(dir, sizeof(dir), err, "%s/%s", how.under, name) < 0)
		return -1;
	survey = surveying.survey = survey_new(points_kind(c->survey->points));
	r = recovery_trace(&how, &(struct recovery_consumer){.event = event_survey, .arg = &surveying}, err);
	survey_end(survey);
	if (r == RECOVERY_TRACE_CUT)
		results_unkept(&c->results, err);
	whole = r == RECOVERY_TRACE_WHOLE && survey_is_whole(n, survey);
	c->nested->unreadable += r >= 0 && !whole;
	if (whole && points_count(survey->points))
		return recording_crash(n, campaign_text(c, dir), survey, crash, err);
	c->nested->crashed += whole;
	survey_free(survey);
	tree_remove(dir);
	return r < 0 ? r : 0;
}

/* Choosing */

/* A state that recovery passes on. */
struct pick {
	struct digest digest;
	uint64_t event;                  /* the crash is just after this event */
	uint32_t difference;             /* for candidates; see candidates.h */
	const struct trial *trial;       /* an extreme state, or NULL: */
	const struct candidates *others; /* the states of its moment, and */
	size_t candidate;                /* its index among them */
};

static int pick_order(const void *left, const void *right)
{
	const struct pick *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->digest.low < b->digest.low ? -1 : a->digest.low > b->digest.low;
}

static int pick_difference(const void *left, const void *right)
{
	const struct pick *a = left, *b = right;

	if (a->difference != b->difference)
		return a->difference > b->difference ? -1 : 1;
	return pick_order(left, right);
}

/* Pick the extreme states. */
static void trials_pick(struct nest *n, const struct trials *trials)
{
	for (size_t i = 0; i < trials->all.count; i++) {
		const struct trial *trial = &trials->all.at[i];

		if (verdict_passed(outcomes_get(n->campaign->outcomes, trial->digest)) &&
		    contents_add(&n->seen, trial->digest))
			vec_push(&n->picks, ((struct pick){trial->digest, trial->event, .trial = trial}));
	}
}

/* If there are more than `most` picks, keep `most`, spaced evenly. */
static void picks_thin(struct nest *n, size_t most)
{
	size_t count = n->picks.count, stride = (count + most - 1) / most, kept = 0;

	for (size_t i = 0; stride > 1 && i < count; i += stride)
		n->picks.at[kept++] = n->picks.at[i];
	n->picks.count = stride > 1 ? kept : count;
}

/* Pick the state of this rank of each moment; see candidates.h. */
static void candidates_pick(struct nest *n, const struct chooser *chooser, size_t rank)
{
	struct candidate_rank ranks[RANKS];
	const struct candidates *others;
	uint64_t event;

	if (!chooser->strategy->candidates)
		return;
	for (size_t i = 0; (others = chooser->strategy->candidates(chooser, i, &event)); i++) {
		const struct candidate *candidate;

		if (candidates_rank(others, ranks, rank + 1) <= rank)
			continue;
		candidate = &others->all.at[ranks[rank].index];
		if (contents_add(&n->seen, candidate->digest))
			vec_push(&n->picks, ((struct pick){candidate->digest, event, ranks[rank].difference,
							   .others = others, .candidate = ranks[rank].index}));
	}
}

/* The maximum number of picks in all rounds. */
static uint64_t candidates_most(const struct campaign *c, size_t room)
{
	struct candidate_rank ranks[RANKS];
	const struct candidates *others;
	uint64_t count = 0, event;

	for (size_t s = 0; s < c->options.strategy_count; s++)
		for (size_t i = 0; c->options.strategies[s]->candidates &&
				   (others = c->options.strategies[s]->candidates(&c->choosers[s], i, &event));
		     i++)
			count += candidates_rank(others, ranks, RANKS);
	return count < room ? count : room;
}

/* Keep the `most` most different picks, then sort them in trace order. */
static void picks_limit(struct nest *n, size_t most)
{
	if (n->picks.count)
		qsort(n->picks.at, n->picks.count, sizeof(*n->picks.at), pick_difference);
	n->picks.count = n->picks.count < most ? n->picks.count : most;
	if (n->picks.count)
		qsort(n->picks.at, n->picks.count, sizeof(*n->picks.at), pick_order);
}

/* Make the state of a pick.  The image must stand after its event. */
static struct state *pick_state(const struct pick *pick, struct image *image)
{
	bool *persisted;
	struct state *state;

	if (pick->trial)
		return trial_state(pick->trial, image);
	persisted = mem_alloc(pick->others->unit_count + 1);
	candidates_persisted(pick->others, pick->candidate, persisted);
	state = state_new(image, persisted);
	free(persisted);
	return state;
}

static int pick_nest(struct nest *n, const struct pick *pick, struct err *err)
{
	const struct crash_context crash = campaign_crash(n->campaign, 0, pick->event);
	struct state *state;
	int r;

	if (reading_to(n->reading, pick->event, err) < 0)
		return -1;
	state = pick_state(pick, reading_image(n->reading));
	r = state_nest(n, state, &crash, ++n->number, err);
	state_free(state);
	return r;
}

static bool is_over(const struct campaign *c)
{
	return stop_asked(&c->options.stop) || (c->testing.deadline > 0 && clock_seconds() > c->testing.deadline);
}

/* Handle all picks in one reading.  Picks not begun before `end` are put off; 0: no limit. */
static int picks_nest(struct nest *n, double end, struct err *err)
{
	struct campaign *c = n->campaign;
	int r = 0;

	if (!n->picks.count)
		return 0;
	if (reading_open(&n->reading, c->options.dir, c->options.platforms[0], c->survey->origin, err) < 0)
		return -1;
	r = campaign_tester(c, n->reading, err);
	for (size_t i = 0; i < n->picks.count && r == 0; i++) {
		if (stop_asked(&c->options.stop) || tester_time_is_over(c->tester))
			r = TESTER_STOPPED;
		else if (!end || clock_seconds() < end)
			r = pick_nest(n, &n->picks.at[i], err);
		else
			vec_push(&n->later, n->picks.at[i]);
	}
	r = campaign_tester_end(c, r, err);
	reading_close(n->reading);
	n->picks.count = 0;
	return r;
}

/* Add the contents that recovery passes on, of one strategy. */
static void passing_add(const struct chooser *chooser, struct contents *all)
{
	const struct trials *trials = &chooser->trials[0];
	const struct candidates *others;
	uint64_t event;

	for (size_t i = 0; i < trials->all.count; i++)
		if (verdict_passed(outcomes_get(chooser->campaign->outcomes, trials->all.at[i].digest)))
			contents_add(all, trials->all.at[i].digest);
	if (!chooser->strategy->candidates)
		return;
	for (size_t i = 0; (others = chooser->strategy->candidates(chooser, i, &event)); i++)
		for (size_t k = 0; k < others->passing.room; k++)
			if (others->passing.at[k].low | others->passing.at[k].high)
				contents_add(all, others->passing.at[k]);
}

/* Half of the budget is for the extreme states, if there are others. */
static int rounds_nest(struct nest *n, struct err *err)
{
	struct campaign *c = n->campaign;
	bool has_budget = c->options.budget > 0, has_others = false;
	struct contents passing = {0};
	size_t room = has_budget ? SIZE_MAX : STATES_MAX;

	for (size_t i = 0; i < c->options.strategy_count; i++) {
		passing_add(&c->choosers[i], &passing);
		trials_pick(n, &c->choosers[i].trials[0]);
		has_others |= c->options.strategies[i]->candidates != NULL;
	}
	c->nested->states = passing.count;
	contents_free(&passing);
	if (n->picks.count)
		qsort(n->picks.at, n->picks.count, sizeof(*n->picks.at), pick_order);
	picks_thin(n, STATES_MAX);
	n->start = clock_seconds();
	n->most = n->picks.count + candidates_most(c, room);
	if (picks_nest(n, has_budget && has_others ? n->start + time_left(c) / 2 : 0, err) < 0)
		return -1;
	for (size_t rank = 0; has_others && rank < RANKS && room && !is_over(c); rank++) {
		for (size_t i = 0; i < c->options.strategy_count; i++)
			candidates_pick(n, &c->choosers[i], rank);
		picks_limit(n, room);
		room -= n->picks.count;
		if (picks_nest(n, 0, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < n->later.count; i++)
		vec_push(&n->picks, n->later.at[i]);
	return picks_nest(n, 0, err);
}

/* The strategies of the campaign, and those that always crash recovery, in the order of the table. */
static void strategies_pick(struct nest *n)
{
	const struct campaign_options *o = &n->campaign->options;

	for (const struct strategy *const *s = strategies_all(); *s; s++) {
		bool wanted = (*s)->nests;

		for (size_t i = 0; i < o->strategy_count; i++)
			wanted |= o->strategies[i] == *s;
		if (wanted && !(*s)->outermost)
			vec_push(&n->strategies, *s);
	}
}

int nested_run(struct campaign *c, struct err *err)
{
	struct nest n = {.campaign = c};
	char dir[PATH_MAX];
	int r;

	if (!c->options.nested || stop_asked(&c->options.stop) || c->options.client)
		return 0;
	if (path_make(dir, sizeof(dir), err, "%s/nested", c->options.out) < 0 ||
	    campaign_maker(c)->can_record(campaign_maker(c)->arg, err) < 0)
		return -1;
	tree_remove(dir);
	if (mkdir(dir, 0777) < 0)
		return err_sys(err, "cannot create %s", dir);
	c->nested->dir = campaign_text(c, dir);
	campaign_phase(c, "crashing recovery", 0);
	if (c->options.budget > 0)
		c->testing.deadline = c->testing.deadline_failed = c->progress.start + c->options.budget;
	strategies_pick(&n);
	r = rounds_nest(&n, err);
	vec_free(&n.strategies);
	vec_free(&n.picks);
	vec_free(&n.later);
	contents_free(&n.seen);
	return r;
}

/* The report */

struct united {
	struct code_places places;
	/* (number of the place, verdict) -> the first result: index of its campaign << 32 | 1 + its own index */
	struct map first;
};

/* Failures at the same place of the same code that end alike are one finding, no matter what the first crash was. */
static void results_unite(struct campaign *c, const struct trace *trace, size_t index, struct united *united)
{
	struct results *results = &c->nested->campaigns.at[index].campaign->results;

	for (size_t i = 0; i < results->all.count; i++) {
		struct result *result = &results->all.at[i];
		struct crash_sighting *s = &result->sighting;
		size_t place = code_places_add(&united->places, code_place(trace, s->blamed ? s->blamed : s->point));
		uint64_t *first = map_put(&united->first, place, verdict_class(result->verdict));

		if (*first) {
			struct nested_campaign *other = &c->nested->campaigns.at[*first >> 32];

			other->campaign->results.all.at[(uint32_t)*first - 1].sighting.states += s->states;
			s->states = 0;
			continue;
		}
		*first = (uint64_t)index << 32 | (i + 1);
	}
}

static struct trace *nested_trace(const struct nested_campaign *nested)
{
	struct trace *trace;
	struct event ev;
	struct err err;

	if (trace_open(&trace, nested->dir, &err) < 0)
		return NULL;
	while (trace_next(trace, &ev, &err) > 0)
		;
	return trace;
}

static void nested_add(const struct nested_campaign *nested, const struct trace *trace, struct findings *f,
		       struct symbols *symbols, const struct findings_options *options)
{
	struct findings_options how = *options;

	how.recording = nested->dir;
	struct crash_findings *crash = crash_begin(f, trace, symbols, &how);
	for (size_t i = 0; i < nested->campaign->results.all.count; i++) {
		const char *names[STRATEGY_SET_MAX];
		struct crash_sighting sighting =
			result_sighting(nested->campaign, &nested->campaign->results.all.at[i], trace, names);

		sighting.nested = true;
		if (sighting.states)
			crash_add(crash, &sighting);
	}
	crash_end(crash);
}

static void recordings_remove(struct nested *nested)
{
	if (nested->dir)
		tree_remove(nested->dir);
	nested->dir = NULL;
}

void nested_report(struct campaign *c, struct findings *f, struct symbols *symbols,
		   const struct findings_options *options)
{
	struct trace **traces = mem_alloc((c->nested->campaigns.count + 1) * sizeof(struct trace *));
	struct united united = {0};

	for (size_t i = 0; i < c->nested->campaigns.count; i++) {
		struct nested_campaign *nested = &c->nested->campaigns.at[i];

		traces[i] = nested->campaign->results.all.count ? nested_trace(nested) : NULL;
		if (traces[i])
			results_unite(c, traces[i], i, &united);
	}
	for (size_t i = 0; i < c->nested->campaigns.count; i++)
		if (traces[i]) {
			nested_add(&c->nested->campaigns.at[i], traces[i], f, symbols, options);
			trace_close(traces[i]);
		}
	code_places_free(&united.places);
	map_free(&united.first);
	free(traces);
	recordings_remove(c->nested);
}

struct nested *nested_new(void)
{
	return mem_alloc(sizeof(struct nested));
}

void nested_free(struct nested *nested)
{
	recordings_remove(nested);
	for (size_t i = 0; i < nested->campaigns.count; i++) {
		campaign_free(nested->campaigns.at[i].campaign);
		survey_free(nested->campaigns.at[i].survey);
	}
	vec_free(&nested->campaigns);
	free(nested);
}
