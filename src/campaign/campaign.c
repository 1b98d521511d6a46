/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign.c - see campaign.h. */
#include "campaign/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "campaign/leftovers.h"
#include "campaign/nested.h"
#include "crash/recheck.h"
#include "crash/strategy.h"
#include "explain/explain.h"
#include "explore/flights.h"

#define FIRST_CRASH_SHARE 0.5 /* of the budget, with --nested; the rest is for second crashes */

enum { CHECKPOINTS_SHARE = 8 }; /* of the memory that is available, one part is for checkpoints */

#define SHARE_TESTING 0.75 /* of the budget, for testing, if a failure must be explained */

static int outcomes_prepare(struct campaign *c, struct err *err)
{
	const struct campaign_options *o = &c->options;
	const struct outcomes_options how = {.oracles = c->oracles,
					     .depends = o->depends,
					     .timeout = o->timeout,
					     .resume = o->resume,
					     .confirmed = !o->checkpoints && !o->parts,
					     .parts = o->parts};
	const struct flights_options flown = {.depends = outcomes_depend_on(&how),
					      .resume = o->resume,
					      .parts = o->parts};
	char *path = NULL;
	int r;

	if ((o->shard.total || o->parts) && flights_open(&c->flights, o->out, &flown, err) < 0)
		return -1;
	if (o->parts)
		return outcomes_open(&c->outcomes, NULL, &how, err);
	if (asprintf(&path, "%s/" OUTCOMES_JOURNAL, o->out) < 0)
		BUG_ON(true);
	r = outcomes_open(&c->outcomes, path, &how, err);
	free(path);
	return r;
}

/* Might recovery be recorded to see what it reads? */
static bool observes(const struct campaign_options *o)
{
	for (size_t i = 0; i < o->strategy_count; i++)
		if (o->strategies[i]->observes)
			return true;
	return o->leftover_count;
}

/* Bytes that programs may still use. */
static uint64_t memory_available(void)
{
	static const char key[] = "MemAvailable:";
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[256];

	while (file && !kib && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			kib = strtoull(line + strlen(key), NULL, 10);
	if (file)
		fclose(file);
	return kib ? kib * 1024 : UINT64_MAX;
}

/* A recovery that is crashed itself, and a server, are always run from the start. */
static void checkpoints_prepare(struct campaign *c)
{
	const struct campaign_options *o = &c->options;
	uint64_t room = memory_available() / CHECKPOINTS_SHARE / (o->jobs ? o->jobs : 1);
	char dir[PATH_MAX];

	if (o->checkpoints && !c->first && !o->client && !o->parts && campaign_watch_dir(c, dir))
		c->checkpoints = checkpoints_new(o->seed, campaign_text(c, dir), room);
}

static int campaign_prepare(struct campaign *c, struct err *err)
{
	const struct campaign_options *o = &c->options;
	const struct select_options chosen = {
		.visits = o->visits,
		.points = o->points,
		.after = o->after,
		.suspects = o->callers,
		.suspect_count = o->caller_count,
		.rounds = o->budget > 0 ? SELECT_ROUNDS : 1,
	};

	checkpoints_prepare(c);
	campaign_testing(c);
	if (select_new(&c->select, &chosen, c->survey->points, err) < 0)
		return -1;
	if (c->first)
		return 0;
	if (folders_clear(o->out, err) < 0)
		return -1;
	if (observes(o) || c->checkpoints)
		campaign_watch_prepare(c);
	if (outcomes_prepare(c, err) < 0)
		return -1;
	if (c->checkpoints && outcomes_are_distrusted(c->outcomes))
		checkpoints_switch_off(c->checkpoints);
	return 0;
}

/* Rule 5 of trials.h. */
static void trials_mark_creating(struct campaign *c, struct trials *trials)
{
	for (size_t i = 0; i < trials->all.count; i++) {
		struct trial *trial = &trials->all.at[i];
		struct verdict verdict = outcomes_get(c->outcomes, trial->digest);

		if (verdict_failed(verdict) && !trial->accepted)
			trial->creating = campaign_is_creating(c, trial);
	}
}

/* Causes that were found before rest on passes that do not count any more, and so do counts. */
static void judgement_renew(struct campaign *c)
{
	if (c->renewed || !outcomes_are_distrusted(c->outcomes))
		return;
	c->renewed = true;
	results_free(&c->results);
	c->results.flaky = c->results.unexamined = 0;
	map_free(&c->found.contents);
	c->found = (struct judgement){0};
	c->progress.explained = 0;
}

static int chooser_recheck(struct chooser *chooser, size_t platform, struct err *err)
{
	const struct strategy *strategy = chooser->strategy;

	trials_sort(&chooser->trials[platform]);
	if (recheck(chooser->campaign, platform, &chooser->trials[platform], err) < 0)
		return -1;
	return strategy->recheck ? strategy->recheck(chooser, platform, err) : 0;
}

/* Judge the trials of one strategy.  `others` has the failing contents of earlier strategies, and gets its own. */
static int chooser_judge(struct chooser *chooser, size_t platform, struct map *others, enum judge_extent extent,
			 struct err *err)
{
	struct campaign *c = chooser->campaign;
	struct trials *trials = &chooser->trials[platform];
	struct map own = {0};
	const struct judge_seen seen = {.own = &own, .others = others};
	struct jobs jobs = {0};
	int r;

	if (extent == JUDGE_ALL && !c->options.shard.total && hangs_confirm(c, platform, trials, err) < 0)
		return -1;
	trials_accept(trials, c->outcomes, c->initial);
	trials_mark_creating(c, trials);
	if (chooser->strategy->jobs)
		chooser->strategy->jobs(chooser, platform, &seen, &jobs);
	else
		chooser_jobs(chooser, platform, &seen, &jobs);
	jobs_prune(&jobs);
	r = c->options.shard.total ? 0
				   : explain_jobs(c, platform, trials_created(trials, c->outcomes), &jobs, extent, err);
	for (size_t i = 0; i < own.room; i++)
		if (own.entries[i].used)
			*map_put(others, own.entries[i].key[0], own.entries[i].key[1]) = 1;
	map_free(&own);
	vec_free(&jobs.all);
	return r;
}

/* Jobs are made and counted again each time.  Jobs that were explained before cost nothing. */
static int campaign_judge(struct campaign *c, size_t platform, enum judge_extent extent, struct err *err)
{
	const char *name = platform_name(c->options.platforms[platform]);
	uint64_t failed = c->progress.failed, left = c->results.postponed;
	struct map failing = {0}; /* contents -> 1 */
	int r = 0;

	for (size_t i = 0; i < c->results.all.count; i++)
		if (!strcmp(c->results.all.at[i].sighting.platform, name))
			c->results.all.at[i].sighting.states = 0;
	judgement_renew(c);
	for (size_t i = 0; r == 0 && i < c->options.strategy_count; i++)
		r = chooser_recheck(&c->choosers[i], platform, err);
	for (size_t i = 0; r == 0 && i < c->options.strategy_count; i++)
		r = chooser_judge(&c->choosers[i], platform, &failing, extent, err);
	map_free(&failing);
	if (r < 0)
		return -1;
	if (c->results.postponed == left)
		c->progress.explained = failed;
	return 0;
}

/* See campaign.judge_meanwhile. */
static int judge_meanwhile(struct campaign *c, size_t platform, struct err *err)
{
	struct phase phase = c->progress.phase;
	uint64_t runs = c->progress.runs;
	double now = clock_seconds();
	int r = campaign_judge(c, platform, JUDGE_QUICKLY, err);

	/* The phase goes on as if nothing had happened. */
	phase.start += clock_seconds() - now;
	phase.runs += c->progress.runs - runs;
	c->progress.phase = phase;
	return r;
}

/* If a failure that began at a checkpoint is none from the start, all is judged once more. */
static int campaign_judge_all(struct campaign *c, enum judge_extent extent, struct err *err)
{
	bool trusted;

	do {
		trusted = !outcomes_are_distrusted(c->outcomes);
		for (size_t p = 0; p < c->options.platform_count; p++)
			if (campaign_judge(c, p, extent, err) < 0)
				return -1;
	} while (trusted && outcomes_are_distrusted(c->outcomes));
	return 0;
}

static int chooser_run(struct chooser *chooser, struct err *err)
{
	struct campaign *c = chooser->campaign;
	unsigned passes = chooser->strategy->passes ? chooser->strategy->passes(&c->options) : 1;

	for (unsigned pass = 0; pass < passes; pass++)
		for (size_t p = 0; p < c->options.platform_count && !c->stopped; p++)
			if (chooser_read(chooser, p, pass, err) < 0)
				return -1;
	chooser->stopped = c->stopped;
	return 0;
}

static int campaign_test(struct campaign *c, struct err *err)
{
	for (size_t i = 0; i < c->options.strategy_count; i++) {
		/* With a budget, all strategies get their share before the hard cases are explained. */
		bool is_last = i + 1 == c->options.strategy_count;
		enum judge_extent extent = !is_last && c->options.budget > 0 ? JUDGE_QUICKLY : JUDGE_ALL;

		if (chooser_run(&c->choosers[i], err) < 0 || campaign_judge_all(c, extent, err) < 0)
			return -1;
	}
	return 0;
}

/* States of parts that are missing were not tested. */
static void parts_judge(struct campaign *c)
{
	if (!c->options.parts || c->options.parts->whole)
		return;
	c->stopped = true;
	for (size_t i = 0; i < c->options.strategy_count; i++)
		c->choosers[i].stopped = true;
}

static int campaign_go(struct campaign *c, struct err *err)
{
	if (campaign_prepare(c, err) < 0 || campaign_test(c, err) < 0 || leftovers_run(c, err) < 0 ||
	    (!c->options.shard.total && nested_run(c, err) < 0))
		return -1;
	parts_judge(c);
	return 0;
}

int campaign_run(struct campaign **campaign, const struct campaign_options *options, const struct survey *survey,
		 struct err *err)
{
	return campaign_run_within(campaign, options, survey, NULL, NULL, err);
}

int campaign_run_within(struct campaign **campaign, const struct campaign_options *options, const struct survey *survey,
			const struct campaign *outer, const struct crash_context *first, struct err *err)
{
	struct campaign *c = mem_alloc(sizeof(*c));
	int r;

	c->options = *options;
	c->options.visits += !c->options.visits;
	c->options.representatives += !c->options.representatives;
	c->judge_meanwhile = judge_meanwhile;
	c->nested = nested_new();
	c->survey = survey;
	c->first = first;
	c->oracles = outer ? outer->oracles : oracles_new(options->oracles, options->oracle_count);
	c->outcomes = outer ? outer->outcomes : NULL;
	c->creation = creation_new(options->dir);
	c->results.folders = options->folder_first;
	c->progress.start = clock_seconds();
	choosers_begin(c);
	c->hangs = hangs_new();
	if (options->budget > 0) {
		double share = options->nested ? FIRST_CRASH_SHARE : 1;

		c->testing.deadline = c->progress.start + options->budget * share;
		c->testing.deadline_failed = c->progress.start + options->budget * share * SHARE_TESTING;
	}
	r = campaign_go(c, err);
	campaign_tester_close(c);
	if (!c->first)
		campaign_watch_end(c);
	c->progress.seconds = clock_seconds() - c->progress.start;
	*campaign = c;
	return r;
}

void campaign_free(struct campaign *c)
{
	if (!c)
		return;
	choosers_free(c);
	for (size_t i = 0; i < c->blocks.count; i++)
		free(c->blocks.at[i]);
	vec_free(&c->blocks);
	vec_free(&c->suspects);
	results_free(&c->results);
	vec_free(&c->foreign_files);
	select_free(c->select);
	creation_free(c->creation);
	if (!c->first) {
		flights_close(c->flights);
		outcomes_close(c->outcomes);
		oracles_free(c->oracles);
	}
	nested_free(c->nested);
	hangs_free(c->hangs);
	checkpoints_free(c->checkpoints);
	leftovers_free(c->leftovers);
	map_free(&c->found.contents);
	arena_free(&c->texts);
	free(c);
}

bool campaign_complete(const struct campaign *c)
{
	return !c->stopped;
}

bool campaign_judges_nothing(const struct campaign *c)
{
	return !c->testing.recovery.opens && c->unopened && !stop_asked(&c->options.stop);
}

const char *campaign_printed(const struct campaign *c)
{
	return c->printed ? c->printed : "";
}

void campaign_forget(const char *dir)
{
	static const char *const files[] = {OUTCOMES_JOURNAL, FLIGHTS_FILE};
	struct err ignored;

	folders_clear(dir, &ignored);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = NULL;

		if (asprintf(&path, "%s/%s", dir, files[i]) < 0)
			BUG_ON(true);
		unlink(path);
		free(path);
	}
}

int campaign_check(const struct campaign_options *options, bool elsewhere, struct err *err)
{
	struct campaign c = {.options = *options};
	struct origin *origin = origin_new();
	struct recovery *recovery = NULL;

	campaign_testing(&c);
	c.testing.recovery.origin = origin;
	c.testing.recovery.unplaced = elsewhere;
	int r = recovery_new(&recovery, &c.testing.recovery, err);
	if (r == 0)
		recovery_free(recovery);
	origin_free(origin);
	return r;
}

int campaign_finish(struct campaign *c, struct findings *findings, struct err *err)
{
	const struct campaign_options *o = &c->options;
	const struct folder_facts facts = {
		.recover = o->recover,
		.client = o->client,
		.ready = o->ready,
		.cwd = o->cwd,
		.timeout = o->timeout,
		.memory = o->memory,
		.disk = o->disk,
		.pmem_force = o->pmem_force,
		.ignore = o->ignore_output,
		.ignore_count = o->ignore_output_count,
	};

	if (folders_finish(findings, o->out, &facts, err) < 0)
		results_unkept(&c->results, err);
	if (c->results.is_unkept)
		*err = c->results.unkept;
	return c->results.is_unkept ? -1 : 0;
}
