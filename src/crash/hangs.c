/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs.c - time-outs: does recovery hang, or is it slow?
 *
 * Each time-out costs the whole time limit.  Telling a hang from a slow run costs another run with PATIENCE times the
 * limit.  So only a few are run:
 *
 *  1. While testing, if the state HANG_DISTANCE visits ago at the same failure point exceeded the limit, the next state
 *     runs with patience.  If it does not end either, the point is skipped from then on.  Looking back this far, and
 *     waiting for that outcome, makes the choice independent of the number of workers.
 *  2. Afterwards, one confirmed hang confirms equivalent time-outs: those at the same point, those that lose stores of
 *     the same code, and those of consecutive program-order prefixes.
 *  3. Time-outs that are unconfirmed when the time is over are not reported, but counted.  One run may exceed the end
 *     anyway: if recovery hangs, at least one hang should be known.
 *  4. Even so, a state that is reported was itself seen to hang, or is left out by rule 3. */
#include "crash/hangs.h"

#include <stdlib.h>

#include "base/clock.h"
#include "crash/campaign_in.h"

enum { PATIENCE = 4, HANG_DISTANCE = 4 };

/* The latest states of a failure point. */
struct place {
	struct digest last[HANG_DISTANCE]; /* a ring */
	uint32_t count;
	bool hangs; /* a hang was confirmed */
};

struct hangs {
	struct map confirmed; /* contents, points and losses where a hang was confirmed */
	struct map index;     /* (platform and point or context, which) -> 1 + index of its place */
	VEC_OF(struct place) places;
	struct map left_out;  /* contents not tested because others of their point hang */
	uint64_t unconfirmed; /* time-outs that were neither confirmed nor refuted */
	bool late;            /* one was run although it was too late; only one may (rule 3) */
};

/* Keys of hangs.confirmed, besides contents. */
enum { BY_POINT = 1, BY_LOSS };

static bool trial_hangs(const struct campaign *c, const struct trial *trial)
{
	return verdict_hangs(outcomes_get(c->outcomes, trial->digest));
}

static uint64_t point_key(size_t platform, const struct trial *trial)
{
	return (uint64_t)platform << 32 | trial->point;
}

/* Note that this trial was seen to hang. */
static void trial_confirmed(struct campaign *c, size_t platform, const struct trial *trial)
{
	if (trial->point)
		*map_put(&c->hangs->confirmed, point_key(platform, trial), BY_POINT) = 1;
	if (trial->lost)
		*map_put(&c->hangs->confirmed, trial->lost, BY_LOSS) = 1;
}

/* Was an equivalent state confirmed to hang? */
static bool trial_believed(const struct campaign *c, size_t platform, const struct trial *trial)
{
	return map_get(&c->hangs->confirmed, trial->digest.low, trial->digest.high) ||
	       (trial->point && map_get(&c->hangs->confirmed, point_key(platform, trial), BY_POINT)) ||
	       (trial->lost && map_get(&c->hangs->confirmed, trial->lost, BY_LOSS));
}

/* Is it too late to run a state with patience?  Rule 3 allows one more. */
static bool is_late(const struct campaign *c)
{
	double end = campaign_end(c);

	return end > 0 && clock_seconds() + PATIENCE * c->options.timeout > end;
}

static bool digest_is_known(struct digest digest)
{
	return digest.low | digest.high;
}

int hangs_certainly(struct campaign *c, const struct state *state, const struct crash_context *crash,
		    struct verdict *how, struct err *err)
{
	bool known = digest_is_known(state->digest), late;
	struct digest name = crash_case(state->digest, crash);
	struct tester_result run;
	int r;

	*how = outcomes_get(c->outcomes, name);
	if (known && map_get(&c->hangs->confirmed, name.low, name.high))
		return 1;
	late = is_late(c);
	if (stop_asked(&c->options.stop) || (late && c->hangs->late))
		return TESTER_STOPPED;
	r = tester_run(c->tester, state, crash, PATIENCE, &run, err);
	/* If the time ended while this waited for other runs, it did not run, so another one may: rule 3. */
	if (r < 0)
		return r;
	c->hangs->late |= late;
	*how = run.verdict;
	r = verdict_hangs(run.verdict);
	if (known && r)
		*map_put(&c->hangs->confirmed, name.low, name.high) = 1;
	if (known)
		outcomes_learn(c->outcomes, name, crash, &run.outcome);
	outcome_free(&run.outcome);
	return r;
}

static int state_confirm(struct campaign *c, size_t platform, const struct trial *trial, const struct state *state,
			 struct err *err)
{
	const struct crash_context crash = campaign_crash(c, platform, trial->event);
	struct verdict how;
	int r = hangs_certainly(c, state, &crash, &how, err);

	if (r == 1)
		trial_confirmed(c, platform, trial);
	return r < 0 ? r : 0;
}

/* Rule 1 */

static struct place *place_get(struct campaign *c, size_t platform, const struct trial *trial)
{
	uint64_t no_point = trial->point ? 0 : UINT64_C(1) << 63 | trial->context;
	uint64_t *place = map_put(&c->hangs->index, point_key(platform, trial) | no_point, trial->which);

	if (!*place) {
		vec_push(&c->hangs->places, (struct place){0});
		*place = c->hangs->places.count;
	}
	return &c->hangs->places.at[*place - 1];
}

int hangs_look(struct campaign *c, size_t platform, const struct trial *trial, struct err *err)
{
	struct place *place;
	struct digest *last, before;
	int r;

	if (c->options.visits <= HANG_DISTANCE)
		return HANGS_TEST;
	place = place_get(c, platform, trial);
	last = &place->last[place->count % HANG_DISTANCE];
	before = *last;
	if (place->hangs) {
		*map_put(&c->hangs->left_out, trial->digest.low, trial->digest.high) = 1;
		return HANGS_LEAVE;
	}
	*last = trial->digest;
	if (place->count++ < HANG_DISTANCE)
		return HANGS_TEST;
	if (!outcomes_get(c->outcomes, before).known && (r = tester_drain(c->tester, err)) < 0)
		return r;
	return verdict_hangs(outcomes_get(c->outcomes, before)) ? HANGS_CONFIRM : HANGS_TEST;
}

bool hangs_are_merged(const struct campaign *c, const struct trial *trial)
{
	return c->options.parts && trial_hangs(c, trial);
}

int hangs_try(struct campaign *c, size_t platform, const struct trial *trial, const struct state *state,
	      struct err *err)
{
	int r = state_confirm(c, platform, trial, state, err);

	if (r == 0)
		place_get(c, platform, trial)->hangs = trial_hangs(c, trial);
	return r;
}

/* Rules 2 and 3 */

static int trial_confirm(struct campaign *c, size_t platform, struct reading *reading, const struct trial *trial,
			 struct err *err)
{
	struct state *state;
	int r;

	if (reading_to(reading, trial->event, err) < 0)
		return -1;
	state = trial_state(trial, reading_image(reading));
	r = state_confirm(c, platform, trial, state, err);
	state_free(state);
	return r;
}

static int reading_confirm(struct campaign *c, size_t platform, const struct trials *trials, struct reading *reading,
			   struct err *err)
{
	bool prefix_hangs = false;
	int r = 0;

	for (size_t i = 0; i < trials->all.count && r != -1; i++) {
		const struct trial *trial = &trials->all.at[i];
		bool prefix = trial->which == TRIAL_ALL;

		if (trial_hangs(c, trial) && !trial_believed(c, platform, trial) && !(prefix && prefix_hangs)) {
			if (r == 0)
				r = trial_confirm(c, platform, reading, trial, err);
			if (r == TESTER_STOPPED) {
				outcomes_drop(c->outcomes, trial->digest);
				c->hangs->unconfirmed++;
			}
		}
		if (prefix)
			prefix_hangs = trial_hangs(c, trial);
	}
	return r;
}

int hangs_confirm(struct campaign *c, size_t platform, const struct trials *trials, struct err *err)
{
	struct reading *reading;
	uint64_t hangs = 0;
	int r;

	for (size_t i = 0; i < trials->all.count; i++)
		hangs += trial_hangs(c, &trials->all.at[i]);
	if (!hangs)
		return 0;
	if (reading_open(&reading, c->options.dir, c->options.platforms[platform], c->survey->origin, err) < 0)
		return -1;
	campaign_phase(c, "waiting for slow recoveries", 0);
	r = campaign_tester(c, reading, err);
	if (r == 0)
		r = reading_confirm(c, platform, trials, reading, err);
	r = campaign_tester_end(c, r, err);
	reading_close(reading);
	return r;
}

void hangs_leave_unconfirmed(struct campaign *c, uint64_t states)
{
	c->hangs->unconfirmed += states;
}

struct hangs_figures hangs_figures(const struct campaign *c)
{
	return (struct hangs_figures){.left_out = c->hangs->left_out.count, .unconfirmed = c->hangs->unconfirmed};
}

struct hangs *hangs_new(void)
{
	return mem_alloc(sizeof(struct hangs));
}

void hangs_free(struct hangs *h)
{
	map_free(&h->confirmed);
	map_free(&h->index);
	map_free(&h->left_out);
	vec_free(&h->places);
	free(h);
}
