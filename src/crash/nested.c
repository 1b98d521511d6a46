/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nested.c - a second crash, in recovery from the first.
 *
 * On crash states that recovery passes on, it is run once more, recorded; and in that recording the power fails again,
 * as in any other: a campaign of its own, whose initial state is the crash state and whose orderly end is what recovery
 * left.  Outcomes by content are shared with the first campaign.
 *
 * Recording takes a good part of a second, so of many states some are taken, evenly.  Recoveries that do not change PM
 * have no failure points, and cost nothing beyond that. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/path.h"
#include "crash/campaign_in.h"
#include "image/tree.h"
#include "run/recorder.h"
#include "run/recording.h"
#include "trace/seal.h"

#define TIME_LEAST 0.1
enum { STATES_MAX = 100 /* recorded */ };

struct nest {
	struct campaign *campaign;
	struct reading *reading;
	struct recorder recorder;
};

/* Recording */

/* Read the recording: NULL if that is not possible. */
static struct survey *recording_survey(struct campaign *c, const char *dir, struct err *err)
{
	struct survey *survey = survey_new(points_kind(c->survey->points));
	struct trace *trace;
	struct event ev;
	uint64_t number = 0;
	int more = -1;

	if (trace_open(&trace, dir, err) == 0) {
		while ((more = trace_next(trace, &ev, err)) > 0)
			survey_event(survey, &ev, ++number);
		trace_close(trace);
	}
	survey_end(survey);
	if (more == 0)
		return survey;
	survey_free(survey);
	return NULL;
}

/* Has recovery mapped every file of the state?  What it did not map is not in its recording, and would be missing from
 * crash states made of that. */
static bool survey_is_whole(const struct nest *n, const struct survey *survey)
{
	const struct image *image = reading_image(n->reading);
	const char *name;

	for (uint32_t file = 1; file <= image_file_count(image); file++)
		if (image_exists(image, file) && origin_place(survey->origin, image_path(image, file), &name) < 0)
			return false;
	return true;
}

/* The campaign within */

static void found_add(struct judgement *found, const struct judgement *more)
{
	found->distinct += more->distinct;
	found->tested += more->tested;
	found->failed += more->failed;
	found->accepted += more->accepted;
}

/* Of the budget, in seconds; never nothing, which would be without an end. */
static double time_left(const struct campaign *c)
{
	double left = c->start + c->options.budget - clock_seconds();

	return left > TIME_LEAST ? left : TIME_LEAST;
}

/* What the campaign within has to tell besides its results. */
static void notes_take(struct campaign *c, const struct campaign *within)
{
	c->stopped |= within->stopped;
	found_add(&c->found, &within->found);
	if (within->is_unkept)
		campaign_unkept(c, &within->unkept);
	c->hangs_unconfirmed += within->hangs_unconfirmed;
	c->fickle += within->fickle;
	for (size_t i = 0; i < within->strangers.count; i++)
		campaign_stranger(c, within->strangers.at[i]);
}

static int nested_campaign(struct nest *n, const char *dir, struct survey *survey, struct err *err)
{
	struct campaign *c = n->campaign;
	struct nested nested = {.dir = dir, .survey = survey};
	struct campaign_options how = c->options;
	int r;

	how.dir = dir;
	how.points = how.after = NULL;
	how.nested = false;
	how.inject = true;
	how.explore = false;
	how.suspect_count = how.caller_count = 0;
	if (how.budget > 0)
		how.budget = time_left(c);
	how.folder_first = c->folders;
	r = campaign_run_within(&nested.campaign, &how, survey, c->known, err);
	c->folders = nested.campaign->folders;
	/* Recovery that fails on what it has left itself, without a crash, has nothing to be compared with. */
	if (r < 0 && err->status == ERR_TARGET) {
		c->nested_failing++;
		r = 0;
	}
	notes_take(c, nested.campaign);
	vec_push(&c->nested, nested);
	return r;
}

/* 0 also if this state tells nothing. */
static int state_nest(struct nest *n, const struct state *state, unsigned number, struct err *err)
{
	struct campaign *c = n->campaign;
	struct recording recording = {.lock = -1};
	struct survey *survey = NULL;
	struct err ignored;
	char dir[PATH_MAX], why[64];
	bool cut_short = false;
	int r;

	if (path_make(dir, sizeof(dir), err, "%s/nested/%04u", c->options.out, number) < 0 ||
	    recording_create(&recording, dir, err) < 0)
		return -1;
	r = campaign_record(c, &n->recorder, recording.dir, state, false, err);
	if (r == 0 && trace_seal(recording.dir, &(struct seal_options){0}, &ignored) == 0)
		survey = recording_survey(c, recording.dir, &ignored);
	if (r == 0 && recording_stopped(&recording, why, sizeof(why))) {
		err_set(&ignored, "recovery could not be recorded in %s/nested: %s", c->options.out, why);
		campaign_unkept(c, &ignored);
		cut_short = true;
	}
	recording_close(&recording);
	bool whole = survey && !cut_short && survey_is_whole(n, survey);
	c->nested_unreadable += r == 0 && !whole;
	if (!whole || !points_count(survey->points)) {
		survey_free(survey);
		tree_remove(recording.dir);
		return r;
	}
	return nested_campaign(n, campaign_text(c, recording.dir), survey, err);
}

/* Choosing */

static bool trial_passes(const struct campaign *c, const struct trial *trial)
{
	return ending_passed(known_get(c->known, trial->digest));
}

/* Every so many of the different contents on which recovery passes. */
static uint64_t states_stride(struct campaign *c, const struct trials *trials)
{
	struct map seen = {0};
	uint64_t count = 0;

	for (size_t i = 0; i < trials->all.count; i++) {
		const struct trial *trial = &trials->all.at[i];
		uint64_t *known = map_put(&seen, trial->digest.low, trial->digest.high);

		count += !*known && trial_passes(c, trial);
		*known = 1;
	}
	map_free(&seen);
	if (count <= STATES_MAX)
		return 1;
	uint64_t stride = (count + STATES_MAX - 1) / STATES_MAX;
	c->nested_beyond += count - (count + stride - 1) / stride;
	return stride;
}

static int trial_nest(struct nest *n, const struct trial *trial, unsigned number, struct err *err)
{
	struct state *state;
	int r;

	if (reading_to(n->reading, trial->event, err) < 0)
		return -1;
	state = trial_state(trial, reading_image(n->reading));
	r = state_nest(n, state, number, err);
	state_free(state);
	return r;
}

static int trials_nest(struct nest *n, const struct trials *trials, struct err *err)
{
	struct campaign *c = n->campaign;
	uint64_t stride = states_stride(c, trials), count = 0;
	struct map seen = {0};
	int r = 0;

	for (size_t i = 0; i < trials->all.count && r == 0; i++) {
		const struct trial *trial = &trials->all.at[i];
		uint64_t *known = map_put(&seen, trial->digest.low, trial->digest.high);

		if (*known || !trial_passes(c, trial))
			continue;
		*known = 1;
		if (count++ % stride)
			continue;
		if (c->options.interrupted() || tester_time_is_over(c->tester))
			r = TESTER_STOPPED;
		else
			r = trial_nest(n, trial, (unsigned)count, err);
	}
	map_free(&seen);
	return r;
}

int nested_run(struct campaign *c, struct err *err)
{
	struct nest n = {.campaign = c};
	char dir[PATH_MAX];
	int r;

	if (!c->options.nested || c->stopped || c->options.client)
		return 0;
	if (path_make(dir, sizeof(dir), err, "%s/nested", c->options.out) < 0 ||
	    recorder_find_valgrind(&n.recorder, err) < 0 || recorder_find_tool(&n.recorder, err) < 0)
		return -1;
	tree_remove(dir);
	if (mkdir(dir, 0777) < 0)
		return err_sys(err, "cannot create %s", dir);
	if (reading_open(&n.reading, c->options.dir, c->options.platforms[0], c->survey->origin, err) < 0)
		return -1;
	campaign_phase(c, "crashing recovery", 0);
	r = campaign_tester(c, n.reading, err);
	if (r == 0)
		r = trials_nest(&n, &c->trials[0], err);
	r = campaign_tester_end(c, r, err);
	reading_close(n.reading);
	return r;
}

/* The report */

/* What fails at the same place of the same code, in the same way, is one finding, whatever the first crash was. */
static uint64_t result_key(const struct trace *trace, const struct result *result)
{
	uint32_t id = result->sighting.blamed ? result->sighting.blamed : result->sighting.point;
	const struct trace_context *context = trace_context(trace, id);
	const struct trace_module *module = context ? trace_module(trace, context->module) : NULL;
	uint64_t hash = module ? XXH3_64bits(module->path, strlen(module->path)) : 0;

	return hash ^ (context ? context->offset * 0x9e3779b97f4a7c15ull : 0);
}

static void results_unite(struct campaign *c, const struct trace *trace, struct nested *nested, struct map *seen)
{
	for (size_t i = 0; i < nested->campaign->results.count; i++) {
		struct result *result = &nested->campaign->results.at[i];
		uint64_t *first = map_put(seen, result_key(trace, result), ending_code(result->ending));

		if (*first) {
			struct nested *other = &c->nested.at[*first >> 32];

			other->campaign->results.at[(uint32_t)*first - 1].sighting.states += result->sighting.states;
			result->sighting.states = 0;
			continue;
		}
		*first = (uint64_t)(nested - c->nested.at) << 32 | (i + 1);
	}
}

static struct trace *nested_trace(const struct nested *nested)
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

static void nested_add(const struct nested *nested, const struct trace *trace, struct findings *f,
		       struct symbols *symbols, const struct findings_options *options)
{
	struct crash_findings *crash = crash_begin(f, trace, symbols, options);

	for (size_t i = 0; i < nested->campaign->results.count; i++) {
		struct crash_sighting *sighting = &nested->campaign->results.at[i].sighting;

		sighting->nested = true;
		if (sighting->states)
			crash_add(crash, sighting);
	}
	crash_end(crash);
}

void nested_report(struct campaign *c, struct findings *f, struct symbols *symbols,
		   const struct findings_options *options)
{
	struct trace **traces = mem_alloc((c->nested.count + 1) * sizeof(struct trace *));
	struct map seen = {0};
	char dir[PATH_MAX];

	for (size_t i = 0; i < c->nested.count; i++) {
		struct nested *nested = &c->nested.at[i];

		traces[i] = nested->campaign->results.count ? nested_trace(nested) : NULL;
		if (traces[i])
			results_unite(c, traces[i], nested, &seen);
	}
	for (size_t i = 0; i < c->nested.count; i++)
		if (traces[i]) {
			nested_add(&c->nested.at[i], traces[i], f, symbols, options);
			trace_close(traces[i]);
		}
	map_free(&seen);
	free(traces);
	if (c->options.nested && path_format(dir, sizeof(dir), "%s/nested", c->options.out))
		tree_remove(dir);
}

void nested_free(struct campaign *c)
{
	for (size_t i = 0; i < c->nested.count; i++) {
		campaign_free(c->nested.at[i].campaign);
		survey_free(c->nested.at[i].survey);
	}
	vec_free(&c->nested);
}
