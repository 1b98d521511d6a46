/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recheck.c - see recheck.h. */
#include "crash/recheck.h"

static uint64_t doubtful_count(const struct campaign *c, const struct trials *trials)
{
	uint64_t count = 0;

	for (size_t i = 0; i < trials->all.count; i++)
		count += outcomes_is_doubtful(c->outcomes, trials->all.at[i].digest);
	return count;
}

static int trial_repeat(struct campaign *c, size_t platform, struct reading *reading, const struct trial *trial,
			struct err *err)
{
	const struct crash_context crash = campaign_crash(c, platform, trial->event);
	struct state *state;
	int r;

	if (tester_is_stopped(c->tester))
		return TESTER_STOPPED;
	if (reading_to(reading, trial->event, err) < 0)
		return -1;
	state = trial_state(trial, reading_image(reading));
	r = tester_submit(c->tester, state, &crash, err);
	state_free(state);
	return r;
}

static int trials_repeat(struct campaign *c, size_t platform, struct reading *reading, const struct trials *trials,
			 struct err *err)
{
	struct map repeated = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < trials->all.count; i++) {
		const struct trial *trial = &trials->all.at[i];
		uint64_t *again;

		if (!outcomes_is_doubtful(c->outcomes, trial->digest))
			continue;
		again = map_put(&repeated, trial->digest.low, trial->digest.high);
		if (!*again)
			r = trial_repeat(c, platform, reading, trial, err);
		*again = 1;
	}
	map_free(&repeated);
	return r;
}

int recheck(struct campaign *c, size_t platform, const struct trials *trials, struct err *err)
{
	struct reading *reading;
	/* A merge tests nothing, or has tested these already (shard.h). */
	uint64_t count = c->options.parts ? 0 : doubtful_count(c, trials);
	int r;

	if (!count)
		return 0;
	if (reading_open(&reading, c->options.dir, c->options.platforms[platform], c->survey->origin, err) < 0)
		return -1;
	campaign_phase(c, "testing without checkpoints", count);
	r = campaign_tester(c, reading, err);
	if (r == 0)
		r = trials_repeat(c, platform, reading, trials, err);
	r = campaign_tester_end(c, r, err);
	reading_close(reading);
	return r;
}
