/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoints.c - see checkpoints.h. */
#include "crash/checkpoints.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"

/* For tests: recovery is recorded at once, and again after some runs from the start; every touch may be a checkpoint. */
#define EARLY "BLACKOUT_CHECKPOINTS_EARLY"

#define COST_EXPECTED 1.5 /* seconds for the first recording */
#define COST_RATIO 3      /* recoveries must have taken so many times as long */
#define WORTH_SHARE 0.05  /* of recovery: checkpoints that save less are not worth it */
#define WORTH_SECONDS 0.0002

enum {
	CONFIRMED_FIRST = 5, /* uses of a profile that are confirmed */
	CONFIRMED_ONE_IN = 100,
	FAILURES_MAX = 3, /* recordings without a profile, before no more are made */
	EARLY_RUNS = 25,
	WALKS_MAX = 3, /* of a worker, without leaving a checkpoint */
};

/* What is known from one recording. */
struct route {
	struct profile *profile; /* NULL: there is none */
	unsigned number;         /* from 1 */
	uint64_t used;
	bool logged; /* a walk has shown the touches without a recorder */
	struct checkpoint_plan plan;
	struct walk_range *stored[CHECKPOINTS_MAX];
	size_t touch[CHECKPOINTS_MAX];   /* the stops in the profile */
	double seconds[CHECKPOINTS_MAX]; /* from the start to there */
	struct outcome end;              /* of a run in which all was as in the profile */
	bool ends;                       /* it is there */
};

struct checkpoints {
	uint64_t seed;
	const char *under;
	bool early;
	uint64_t setting; /* of the route */
	struct route route;
	double limit;        /* seconds of recoveries until the next recording */
	double spent, saved; /* by recoveries since the last one */
	double cost;         /* of a recording */
	unsigned missed;     /* runs from the start since the last one that was shortened */
	unsigned failures;
	bool off;
	struct map unconfirmed; /* runs that passed in this way */
	struct checkpoints_figures figures;
};

struct checkpoints *checkpoints_new(uint64_t seed, const char *under)
{
	struct checkpoints *k = mem_alloc(sizeof(*k));

	k->seed = seed;
	k->under = under;
	k->early = getenv(EARLY);
	k->cost = k->early ? 0 : COST_EXPECTED;
	k->limit = COST_RATIO * k->cost;
	return k;
}

static void plan_clear(struct route *r)
{
	for (size_t i = 0; i < r->plan.count; i++)
		free(r->stored[i]);
	r->plan.count = 0;
}

static void route_clear(struct route *r)
{
	plan_clear(r);
	profile_free(r->profile);
	outcome_free(&r->end);
	*r = (struct route){.number = r->number};
}

void checkpoints_free(struct checkpoints *k)
{
	if (!k)
		return;
	route_clear(&k->route);
	map_free(&k->unconfirmed);
	free(k);
}

const char *checkpoints_under(const struct checkpoints *k)
{
	return k->under;
}

/* Rule 1 */

bool checkpoints_wants_profile(struct checkpoints *k, uint64_t setting, double left)
{
	if (k->setting != setting) {
		route_clear(&k->route);
		k->setting = setting;
		k->spent = k->saved = 0;
	}
	if (k->off || k->failures >= FAILURES_MAX || (left >= 0 && left < 2 * COST_RATIO * k->cost))
		return false;
	return k->early ? !k->route.profile || k->missed > EARLY_RUNS : k->spent > k->limit;
}

/* A profile that did not save what it cost is not made again so soon. */
void checkpoints_learn(struct checkpoints *k, struct profile *profile, double seconds)
{
	bool paid = k->figures.recordings == 0 || k->saved > 2 * k->cost;

	k->cost = seconds;
	k->limit = paid ? COST_RATIO * seconds : 2 * k->limit + seconds;
	k->spent = k->saved = 0;
	k->missed = 0;
	k->failures = profile ? 0 : k->failures + 1;
	k->figures.recordings++;
	if (!profile)
		return;
	route_clear(&k->route);
	k->route.profile = profile;
	k->route.number++;
}

/* The plan */

static void stop_add(struct route *r, size_t event, size_t touch, double seconds)
{
	struct profile_range *stored;
	size_t count = profile_stored(r->profile, touch, &stored), i = r->plan.count++;

	r->stored[i] = mem_alloc((count + 1) * sizeof(*r->stored[i]));
	for (size_t n = 0; n < count; n++)
		r->stored[i][n] = (struct walk_range){stored[n].offset, stored[n].size, stored[n].file, 0};
	free(stored);
	r->plan.stops[i] = (struct checkpoint_stop){event, r->stored[i], count};
	r->touch[i] = touch;
	r->seconds[i] = seconds;
}

/* Touches of a walk where a process may be stopped. */
struct candidates {
	VEC_OF(struct profile_touch) touches;
	VEC_OF(size_t) events;
	size_t *agreed;
};

static void candidates_make(struct candidates *c, const struct profile *profile, const struct walk_event *events,
			    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct profile_touch touch = {.page = events[i].offset / PROFILE_PAGE, .file = events[i].file};

		if (events[i].kind != WALK_TOUCH)
			continue;
		vec_push(&c->touches, touch);
		vec_push(&c->events, i);
	}
	c->agreed = mem_alloc((c->touches.count + 1) * sizeof(*c->agreed));
	profile_agree(profile, c->touches.at, c->touches.count, c->agreed);
}

static double event_seconds(const struct walk_event *event)
{
	return (double)event->nanoseconds / 1e9;
}

/* How far recovery is at a touch, from 0 to 2: by time, which is not sure on a busy machine, and by touches. */
static double progress_at(const struct candidates *c, const struct walk_event *events, size_t i, size_t last)
{
	double all = event_seconds(&events[c->events.at[last]]);

	return (all > 0 ? event_seconds(&events[c->events.at[i]]) / all : 0) + (double)(i + 1) / (double)(last + 1);
}

/* Stops at even distances up to the last touch that is possible. */
static void stops_choose(struct route *r, const struct candidates *c, const struct walk_event *events, size_t last)
{
	double before = 0;

	for (size_t i = 0; i <= last; i++) {
		double now = progress_at(c, events, i, last);
		bool far = now - before >= 2.0 / CHECKPOINTS_MAX && r->plan.count < CHECKPOINTS_MAX - 1;

		if (c->agreed[i] == PROFILE_END || (!far && i < last))
			continue;
		stop_add(r, c->events.at[i], c->agreed[i], event_seconds(&events[c->events.at[i]]));
		before = now;
	}
}

/* The last touch where a process may be stopped. */
static bool last_find(const struct candidates *c, size_t *last)
{
	for (*last = c->touches.count; *last > 0; --*last)
		if (c->agreed[*last - 1] != PROFILE_END)
			return --*last, true;
	return false;
}

static void plan_make(struct checkpoints *k, const struct walk_event *events, size_t count, double seconds)
{
	double worth = WORTH_SHARE * seconds > WORTH_SECONDS ? WORTH_SHARE * seconds : WORTH_SECONDS;
	struct candidates c = {0};
	size_t last;

	candidates_make(&c, k->route.profile, events, count);
	if (last_find(&c, &last) && (k->early || event_seconds(&events[c.events.at[last]]) >= worth))
		stops_choose(&k->route, &c, events, last);
	vec_free(&c.touches);
	vec_free(&c.events);
	free(c.agreed);
}

/* Rule 2 */

/* How many of the stops recovery comes to in the same way. */
static unsigned stops_reached(const struct route *r, size_t reach)
{
	unsigned count = 0;

	while (count < r->plan.count && r->touch[count] < reach)
		count++;
	return count;
}

static size_t route_reach(const struct route *r, const struct stage_view *view)
{
	bool all = !r->logged || r->ends || !r->plan.count;
	size_t most = all ? PROFILE_END : r->touch[r->plan.count - 1] + 1;

	return profile_reach(r->profile, view->files, view->count, most);
}

/* A worker without checkpoints may have lost them, or its recovery leaves none. */
static bool worker_walks(struct checkpoints_worker *w, const struct route *r, unsigned reached, unsigned there)
{
	if (w->route != r->number)
		*w = (struct checkpoints_worker){.route = r->number, .whole = w->whole};
	if (reached <= w->planned && (there || !reached || w->walks == WALKS_MAX))
		return false;
	w->walks = there ? 0 : w->walks + 1;
	w->planned = reached;
	return true;
}

static void worker_shorten(struct checkpoints_worker *w, double skipped)
{
	w->shortened = true;
	w->skipped = skipped;
}

struct checkpoints_choice checkpoints_choose(struct checkpoints *k, struct checkpoints_worker *w,
					     const struct stage_view *view, unsigned there)
{
	struct route *r = &k->route;
	struct checkpoints_choice choice = {0};

	w->logs = w->whole = w->known = w->shortened = false;
	w->skipped = 0;
	if (k->off || !r->profile)
		return choice;
	size_t reach = route_reach(r, view);
	unsigned reached = stops_reached(r, reach);

	w->whole = reach == PROFILE_END;
	if (w->whole && r->ends) {
		choice.outcome = &r->end;
		w->known = true;
		worker_shorten(w, r->end.seconds);
	} else if (!r->logged) {
		w->logs = choice.walks = w->whole || reach == profile_touch_count(r->profile);
	} else if (worker_walks(w, r, reached, there)) {
		choice.walks = true;
		choice.plan = &r->plan;
	} else if (reached && there) {
		choice.from = reached < there ? reached : there;
		worker_shorten(w, r->seconds[choice.from - 1]);
	}
	return choice;
}

/* What a newer profile might have saved. */
static double seconds_wasted(const struct route *r, const struct checkpoints_worker *w, const struct outcome *outcome)
{
	double best = r->plan.count ? r->seconds[r->plan.count - 1] : 0;

	return !w->shortened ? outcome->seconds : best > w->skipped ? best - w->skipped : 0;
}

void checkpoints_ran(struct checkpoints *k, struct checkpoints_worker *w, const struct outcome *outcome,
		     const struct walk_event *events, size_t count)
{
	struct route *r = &k->route;

	w->shortened &= outcome->from > 0;
	k->spent += seconds_wasted(r, w, outcome);
	k->missed = w->shortened ? 0 : k->missed + 1;
	if (!r->profile || outcome->mode != RECOVERY_FORK)
		return;
	if (w->logs && !r->logged) {
		r->logged = true;
		plan_make(k, events, count, outcome->seconds);
	}
	if (w->whole && !w->shortened && !r->ends && outcome->ending.kind != ENDING_TIMEOUT) {
		outcome_copy(&r->end, outcome);
		r->ends = true;
	}
}

/* Rules 3 and 4 */

static bool is_sampled(const struct checkpoints *k, struct digest run)
{
	return k->route.used <= CONFIRMED_FIRST || random_mix(random_seed(k->seed, run.low)) % CONFIRMED_ONE_IN == 0;
}

bool checkpoints_doubt(struct checkpoints *k, const struct checkpoints_worker *w, struct digest run, bool passed)
{
	if (!w->shortened)
		return false;
	k->route.used++;
	k->figures.known += w->known;
	k->figures.used += !w->known;
	if (k->off || !passed || is_sampled(k, run))
		return true;
	*map_put(&k->unconfirmed, run.low, run.high) = 1;
	k->saved += w->skipped;
	k->figures.saved += w->skipped;
	return false;
}

void checkpoints_compare(struct checkpoints *k, const struct outcome *outcome, const struct outcome *start)
{
	k->figures.confirmed++;
	if (outcome_same(outcome, start))
		return;
	k->figures.differences++;
	k->off = true;
}

bool checkpoints_is_doubtful(const struct checkpoints *k, struct digest run)
{
	return k->off && map_get(&k->unconfirmed, run.low, run.high);
}

bool checkpoints_are_off(const struct checkpoints *k)
{
	return k->off;
}

struct checkpoints_figures checkpoints_figures(const struct checkpoints *k)
{
	return k->figures;
}
