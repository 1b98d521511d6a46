/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_common.c - the part of a campaign that all of its files use: texts, progress, testers, time. */
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "crash/strategy.h"

/* The share of the budget for everything, including explaining. */
#define SHARE_ALL 1.25

/* Texts */

const char *campaign_text(struct campaign *c, const char *text)
{
	return arena_copy(&c->texts, text, strlen(text));
}

void *campaign_block(struct campaign *c, const void *from, size_t size)
{
	void *block;

	if (!from || !size)
		return NULL;
	block = memcpy(mem_alloc(size), from, size);
	vec_push(&c->blocks, block);
	return block;
}

/* Progress */

void campaign_phase(struct campaign *c, const char *name, uint64_t known)
{
	c->progress.phase =
		(struct phase){.name = name, .start = clock_seconds(), .known = known, .runs = c->progress.runs};
}

static void campaign_look(void *arg)
{
	struct campaign *c = arg;
	const struct phase *phase = &c->progress.phase;
	uint64_t runs = c->progress.runs + tester_runs(c->tester) - phase->runs, trials = 0;

	for (size_t i = 0; i < c->options.strategy_count; i++)
		for (size_t p = 0; p < c->options.platform_count; p++)
			trials += c->choosers[i].trials[p].all.count;
	const struct campaign_progress progress = {
		.phase = phase->name,
		.done = phase->known ? trials : runs,
		.tested = runs,
		.known = phase->known,
		.failed = c->progress.failed + tester_failed(c->tester),
		.segments = phase->segments,
		.segments_known = phase->segments_known,
		.seconds = clock_seconds() - phase->start,
		.budget_left = c->testing.deadline > 0 ? c->testing.deadline - clock_seconds() : -1,
	};

	if (c->options.progress)
		c->options.progress(c->options.arg, &progress);
}

struct crash_context campaign_crash(const struct campaign *c, size_t platform, uint64_t event)
{
	return oracles_place(c->oracles, (struct crash_context){.platform = c->options.platforms[platform],
								.event = event,
								.first = c->first});
}

bool campaign_context_ends(const struct campaign *c, size_t platform, struct reading *reading, const struct event *ev)
{
	uint64_t event = reading_number(reading);

	return ev && (ev->type == EVENT_OPERATION_BEGIN || ev->type == EVENT_OPERATION_END) &&
	       model_pending_count(image_model(reading_image(reading))) &&
	       campaign_crash(c, platform, event).key != campaign_crash(c, platform, event + 1).key;
}

void campaign_suspect(struct campaign *c, uint64_t event)
{
	vec_push(&c->suspects, event);
}

/* Testers */

const struct tester_maker *campaign_maker(const struct campaign *c)
{
	return c->options.maker ? c->options.maker : &tester_local;
}

int campaign_tester(struct campaign *c, struct reading *reading, struct err *err)
{
	c->testing.failed = c->progress.failed - c->progress.explained;
	return tester_open(&c->tester, campaign_maker(c), &c->testing, reading_image(reading), c->outcomes, err);
}

/* The mode of the first tester counts for all. */
static void mode_note(struct campaign *c, const struct tester_facts *facts)
{
	if (c->mode || !tester_runs(c->tester))
		return;
	c->mode = recovery_mode_name(facts->mode);
	c->reason = facts->reason ? campaign_text(c, facts->reason) : NULL;
	c->testing.recovery.mode = facts->mode;
	c->testing.recovery.settled = true;
}

void campaign_foreign_file(struct campaign *c, const char *path)
{
	for (size_t i = 0; i < c->foreign_files.count; i++)
		if (!strcmp(c->foreign_files.at[i], path))
			return;
	vec_push(&c->foreign_files, campaign_text(c, path));
}

static void foreign_files_note(struct campaign *c)
{
	const char *path;

	for (size_t i = 0; (path = tester_foreign_file(c->tester, i)); i++)
		campaign_foreign_file(c, path);
}

static void facts_note(struct campaign *c)
{
	const struct tester_facts facts = tester_facts(c->tester);

	mode_note(c, &facts);
	c->testing.recovery.opens |= facts.opened;
	c->unopened += facts.unopened;
}

void campaign_tester_close(struct campaign *c)
{
	if (!c->tester)
		return;
	facts_note(c);
	foreign_files_note(c);
	c->progress.runs += tester_runs(c->tester);
	c->progress.failed += tester_failed(c->tester);
	tester_close(c->tester);
	c->tester = NULL;
}

int campaign_tester_end(struct campaign *c, int r, struct err *err)
{
	int drained;

	if (c->tester && r != -1) {
		drained = tester_drain(c->tester, err);
		r = drained < 0 ? drained : r;
	}
	campaign_tester_close(c);
	c->stopped |= r == TESTER_STOPPED;
	return r == TESTER_STOPPED ? 0 : r;
}

/* Phases */

double campaign_end(const struct campaign *c)
{
	return c->options.budget > 0 ? c->progress.start + c->options.budget * SHARE_ALL : 0;
}

double campaign_time_left(const struct campaign *c)
{
	double left = c->testing.deadline - clock_seconds();

	return c->testing.deadline <= 0 ? -1 : left > 0 ? left : 0;
}

void campaign_testing(struct campaign *c)
{
	const struct campaign_options *o = &c->options;
	struct recovery_options *r = &c->testing.recovery;

	*r = (struct recovery_options){
		.command = o->recover,
		.client = o->client,
		.ready = o->ready,
		.cwd = o->cwd,
		.pmem_force = o->pmem_force,
		.timeout = o->timeout,
		.memory = o->memory,
		.disk = o->disk,
		.huge_pages = o->huge_pages,
		.lean_pmemobj = o->lean_pmemobj,
		.jobs = o->jobs,
		.origin = c->survey ? c->survey->origin : NULL,
		.stop = o->stop,
		.end = campaign_end(c),
	};
	if (c->oracles) {
		r->setting = oracles_setting;
		r->setting_arg = c->oracles;
		r->output = oracles_output(c->oracles);
	}
	BUG_ON(o->mode && !recovery_mode_find(o->mode, &r->mode)); /* the table of options lists them */
	c->testing.fallback = o->out;
	c->testing.shard = o->shard;
	c->testing.parts = o->parts;
	c->testing.checkpoints = c->checkpoints;
	c->testing.look = campaign_look;
	c->testing.arg = c;
}

bool campaign_is_creating(const struct campaign *c, const struct trial *trial)
{
	const struct point *point = trial->point ? points_get(c->survey->points, trial->point) : NULL;

	return creation_covers(c->creation, point ? point->context : trial->context);
}
