/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strategy.c - see strategy.h. */
#include "crash/strategy.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/err.h"

enum { EVENTS_PER_LOOK = 1 << 14 };

void choosers_begin(struct campaign *c)
{
	size_t count = c->options.strategy_count;

	BUG_ON(count > STRATEGY_SET_MAX);
	c->options.strategies = campaign_block(c, c->options.strategies, count * sizeof(struct strategy *));
	c->choosers = mem_alloc((count + 1) * sizeof(*c->choosers));
	for (unsigned i = 0; i < count; i++) {
		struct chooser *chooser = &c->choosers[i];

		*chooser = (struct chooser){.strategy = c->options.strategies[i], .campaign = c, .number = i};
		chooser->trials = mem_alloc((c->options.platform_count + 1) * sizeof(*chooser->trials));
		if (chooser->strategy->begin)
			chooser->strategy->begin(chooser);
	}
}

void choosers_free(struct campaign *c)
{
	for (size_t i = 0; c->choosers && i < c->options.strategy_count; i++) {
		struct chooser *chooser = &c->choosers[i];

		if (chooser->strategy->free)
			chooser->strategy->free(chooser);
		for (size_t p = 0; p < c->options.platform_count; p++)
			vec_free(&chooser->trials[p].all);
		free(chooser->trials);
	}
	free(c->choosers);
}

uint32_t strategies_layers(const struct strategy *const *strategies, size_t count)
{
	uint32_t layers = 0;

	for (size_t i = 0; i < count; i++)
		layers |= strategies[i]->layers;
	return layers;
}

bool strategies_all_sets(const struct strategy *const *strategies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strategies[i]->all_sets)
			return true;
	return false;
}

/* Reading */

/* Rule 6 of trials.h. */
static int orderly_try(struct pass *pass, const struct event *ev, struct err *err)
{
	const struct trial trial = {.which = TRIAL_ALL,
				    .orderly = true,
				    .context = ev->context,
				    .op = (uint8_t)op_of(ev)};

	pass->orderly = oracles_orderly(pass->chooser->campaign->oracles, pass->orderly + 1);
	return select_returned(pass->chooser->campaign->select) ? pass_try(pass, trial, err) : 0;
}

/* One reading of a platform tests the contents without a crash.  The user may have asked for certain points only. */
static void orderly_begin(struct pass *pass)
{
	struct campaign *c = pass->chooser->campaign;
	bool due = !c->first && !c->options.points && !(c->orderly >> pass->platform & 1);

	pass->orderly = due ? oracles_orderly(c->oracles, 0) : ORDERLY_NEVER;
}

static int pass_moments(struct pass *pass, struct err *err)
{
	const struct campaign *c = pass->chooser->campaign;
	const struct event *ev;
	int r, more;

	while (reading_number(pass->reading) < pass->last) {
		more = reading_look(pass->reading, &ev, err);
		if (more < 0)
			return -1;
		r = more && reading_number(pass->reading) == pass->orderly ? orderly_try(pass, ev, err) : 0;
		if (r == 0)
			r = pass->chooser->strategy->moment(pass, more ? ev : NULL, err);
		if (r < 0 || !more)
			return r;
		reading_go(pass->reading);
		if (reading_number(pass->reading) % EVENTS_PER_LOOK == 0 && stop_asked(&c->options.stop))
			return TESTER_STOPPED;
	}
	return 0;
}

int chooser_read(struct chooser *chooser, size_t platform, unsigned number, struct err *err)
{
	const struct strategy *s = chooser->strategy;
	struct campaign *c = chooser->campaign;
	struct pass pass = {.chooser = chooser, .platform = platform, .number = number, .last = UINT64_MAX};
	bool stopped = c->stopped;
	int r;

	if (s->due && !s->due(chooser, platform, number))
		return 0;
	if (reading_open(&pass.reading, c->options.dir, c->options.platforms[platform], c->survey->origin, err) < 0)
		return -1;
	if (s->open)
		s->open(&pass);
	r = campaign_tester(c, pass.reading, err);
	if (r == 0)
		r = campaign_begin(c, pass.reading, err);
	if (r == 0) {
		orderly_begin(&pass);
		r = pass_moments(&pass, err);
	}
	if (r == 0 && s->check)
		r = s->check(&pass, err);
	c->orderly |= (uint64_t)(r == 0) << platform;
	r = campaign_tester_end(c, r, err);
	pass.stopped = c->stopped && !stopped;
	if (s->close)
		s->close(&pass);
	vec_free(&pass.met);
	reading_close(pass.reading);
	return r;
}

/* Trials */

/* A hash of the contexts whose stores are lost.  Independent of the order and number of the stores. */
static uint64_t lost_hash(struct pass *pass, const bool *persisted)
{
	size_t count;
	const struct unit *const *units = model_pending(image_model(reading_image(pass->reading)), &count);
	uint64_t hash = 0;

	pass->stamp++;
	for (size_t i = 0; i < count; i++) {
		uint32_t context = units[i]->context;

		if (persisted && persisted[i])
			continue;
		while (pass->met.count <= context)
			vec_push(&pass->met, 0);
		if (pass->met.at[context] == pass->stamp)
			continue;
		pass->met.at[context] = pass->stamp;
		hash += XXH3_64bits(&context, sizeof(context));
	}
	return hash;
}

int pass_try(struct pass *pass, struct trial trial, struct err *err)
{
	struct campaign *c = pass->chooser->campaign;
	struct image *image = reading_image(pass->reading);
	const struct crash_context crash = campaign_crash(c, pass->platform, reading_number(pass->reading));
	bool pending = model_pending_count(image_model(image)) > 0;
	struct state *state;
	int advice, r;

	trial.event = crash.event;
	if (trial.from < select_start(c->select))
		trial.from = select_start(c->select);
	trial.digest = trial.persisted            ? state_digest(image, trial.persisted)
		       : trial.which == TRIAL_ALL ? state_digest_all(image)
						  : state_digest_none(image);
	trial.digest = crash_case(trial.digest, &crash);
	trial.guaranteed = !pending || (trial.which == TRIAL_NONE && !trial.persisted);
	if (trial.which == TRIAL_NONE && pending)
		trial.lost = lost_hash(pass, trial.persisted);
	advice = HANGS_TEST;
	if (shard_takes(&c->options.shard, crash_content(trial.digest, &crash)))
		advice = hangs_look(c, pass->platform, &trial, err);
	if (advice < 0 || advice == HANGS_LEAVE)
		return advice < 0 ? advice : 0;
	trial.number = pass->chooser->trials[pass->platform].all.count;
	vec_push(&pass->chooser->trials[pass->platform].all, trial);
	r = tester_claim(c->tester, trial.digest, &crash, err);
	if (r < 0 || (r && !(advice == HANGS_CONFIRM && hangs_are_merged(c, &trial))))
		return r < 0 ? r : 0;
	state = trial_state(&trial, image);
	if (advice == HANGS_CONFIRM)
		r = hangs_try(c, pass->platform, &trial, state, err);
	else
		r = tester_submit(c->tester, state, &crash, err);
	state_free(state);
	return r;
}

void chooser_jobs(struct chooser *chooser, size_t platform, const struct judge_seen *seen, struct jobs *jobs)
{
	struct campaign *c = chooser->campaign;

	trials_judge(&chooser->trials[platform], c->outcomes, chooser->number, jobs, seen, &c->found);
}

struct crash_sighting result_sighting(const struct campaign *c, const struct result *result, const struct trace *trace,
				      const char **names)
{
	struct crash_sighting sighting = result->sighting;

	sighting.detectors = names;
	for (unsigned i = 0; i < c->options.strategy_count; i++) {
		const struct strategy *strategy = c->options.strategies[i];

		if (!(result->strategies & strategy_bit(i)))
			continue;
		names[sighting.detector_count++] = strategy->name;
		if (strategy->tell)
			strategy->tell(&c->choosers[i], trace, &sighting);
	}
	return sighting;
}
