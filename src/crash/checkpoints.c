/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoints.c - see checkpoints.h. */
#include "crash/checkpoints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"

/* For tests: recovery is recorded at once, and again after some runs from the start; every touch may be a checkpoint. */
#define EARLY "BLACKOUT_CHECKPOINTS_EARLY"

#define COST_EXPECTED 0.75 /* seconds for the first recording, */
#define START_SLOWER 150   /* or so many times what recovery takes to begin: its code is translated, and runs once */
#define COST_MARGIN 2      /* it may take so many times as long: this is not sure, and the machine may be busy */
#define COST_RATIO 10      /* recoveries must have taken so many times as long: it may be in vain, */
#define COST_RATIO_LONG 2  /* or so many times, if each of them takes long: there is more to save */
#define LONG_SECONDS 0.001
#define BUDGET_SHARE 0.5 /* of what recoveries have taken, for all recordings together, */
#define BUDGET_MORE 0.75 /* and so many seconds */
#define WORTH_SHARE 0.05 /* of recovery: checkpoints that save less are not worth it */
#define WORTH_SECONDS 0.0002

enum {
	CONFIRMED_FIRST = 5, /* uses of a profile that are confirmed */
	CONFIRMED_ONE_IN = 100,
	FAILURES_MAX = 3, /* recordings without a profile, before no more are made */
	EARLY_RUNS = 25,
	OFTEN = 8,  /* states that first differ at the same read: a checkpoint just before it is worth a walk */
	TRIED = 16, /* runs from a checkpoint, before it is known whether they save time; the average is about so many */
	AGAIN = 32,       /* runs from the start, before it is tried again whether others save time by now */
	TREE_LEAVES = 16, /* that a run on undecided lines is taken to have */
	USUAL_OVER = 64,  /* runs that the average is about */
	WALKS_MAX = 3,    /* of a worker, without leaving a checkpoint */
	DEEPER_MAX = 2,   /* checkpoints just before such reads */
	COMMON_MAX = 4,   /* reads that may be such ones */
};

/* A checkpoint of the plan. */
struct halt {
	struct profile_point point; /* what recovery has done when it comes there */
	struct walk_range *stored;
	double seconds; /* from the start to there, or to the touch before it */
};

/* A read at which states first differ, and how many did. */
struct common {
	size_t read;
	unsigned often;
};

/* What is known from one recording. */
struct route {
	struct profile *profile; /* NULL: there is none */
	unsigned number;         /* of the plan, from 1 */
	uint64_t used;
	bool logged;            /* a walk has shown the touches without a recorder: */
	struct walk_event *way; /* what it has logged, */
	size_t way_count;
	size_t *agreed; /* the same touches in the profile, or PROFILE_END, */
	double seconds; /* how long it took, */
	bool complete;  /* and whether there was no more */
	struct checkpoint_plan plan;
	size_t most; /* stops that it may have */
	struct halt stops[CHECKPOINTS_MAX];
	struct common common[COMMON_MAX];
	unsigned deepened;  /* reads for which the plan has a stop just before them, or cannot have one */
	double usual;       /* seconds of runs from a checkpoint, on average, */
	unsigned runs;      /* and how many there were */
	struct outcome end; /* of a run in which all was as in the profile */
	bool ends;          /* it is there */
};

struct checkpoints {
	uint64_t seed;
	const char *under;
	uint64_t room;
	bool early;
	uint64_t setting; /* of the route */
	struct route route;
	double limit;        /* seconds of recoveries until the next recording; fewer if they are long */
	double spent, saved; /* by recoveries since the last one */
	double cost;         /* of a recording */
	double recovered;    /* seconds that recoveries have taken in all, */
	double recorded;     /* and recordings */
	double budget;       /* seconds that a recording may take, */
	double needed;       /* and must be allowed to take, or it would be cut off as the last one was */
	unsigned workers;    /* that wait for a recording */
	double usual;        /* seconds of a run from the start, on average */
	unsigned missed;     /* runs from the start since the last one that was shortened */
	unsigned failures;
	bool off;
	struct checkpoints_figures figures;
};

struct checkpoints *checkpoints_new(uint64_t seed, const char *under, uint64_t room)
{
	struct checkpoints *k = mem_alloc(sizeof(*k));

	k->seed = seed;
	k->under = under;
	k->room = room;
	k->early = getenv(EARLY);
	k->cost = k->early ? 0 : COST_EXPECTED;
	k->limit = COST_RATIO * k->cost;
	k->budget = INFINITY;
	k->workers = 1;
	return k;
}

static void route_clear(struct route *r)
{
	for (size_t i = 0; i < r->plan.count; i++)
		free(r->stops[i].stored);
	profile_free(r->profile);
	free(r->way);
	free(r->agreed);
	outcome_free(&r->end);
	*r = (struct route){.number = r->number};
}

void checkpoints_free(struct checkpoints *k)
{
	if (!k)
		return;
	route_clear(&k->route);
	free(k);
}

const char *checkpoints_under(const struct checkpoints *k)
{
	return k->under;
}

/* Rule 1 */

static double cost_ratio(const struct checkpoints *k)
{
	return k->usual > LONG_SECONDS ? COST_RATIO_LONG : COST_RATIO;
}

/* Nothing is known but how long recovery takes to begin. */
static void cost_expect(struct checkpoints *k, double start)
{
	if (k->early || k->figures.recordings)
		return;
	k->cost = fmax(COST_EXPECTED, START_SLOWER * start);
	k->limit = COST_RATIO * k->cost;
	k->needed = COST_MARGIN * k->cost;
}

/* The time of testing is that of one worker. */
static double budget_now(const struct checkpoints *k, double left)
{
	double share = BUDGET_MORE + BUDGET_SHARE * k->recovered / k->workers - k->recorded;

	if (k->early)
		return INFINITY;
	return left >= 0 ? fmin(share, left / 2) : share;
}

static bool profile_is_due(const struct checkpoints *k, double ratio)
{
	if (k->early)
		return !k->route.profile || k->missed > EARLY_RUNS;
	return k->spent / k->workers > ratio / COST_RATIO * k->limit;
}

bool checkpoints_wants_profile(struct checkpoints *k, const struct checkpoints_moment *now)
{
	double ratio = cost_ratio(k);

	if (k->setting != now->setting) {
		route_clear(&k->route);
		k->setting = now->setting;
		k->spent = k->saved = 0;
	}
	k->workers = now->workers;
	cost_expect(k, now->start);
	if (k->off || k->failures >= FAILURES_MAX || (now->left >= 0 && now->left < 2 * ratio * k->cost))
		return false;
	k->budget = budget_now(k, now->left);
	return k->budget >= k->needed && profile_is_due(k, ratio);
}

double checkpoints_budget(const struct checkpoints *k)
{
	return k->budget;
}

/* Does it show more than what there is? */
static bool profile_is_longer(const struct checkpoints *k, const struct profile *profile)
{
	return profile_read_count(profile) > (k->route.profile ? profile_read_count(k->route.profile) : 0);
}

/* A profile that did not save what it cost is not made again so soon.  A recording that was cut off may have shown nothing but
 * the start of the program; the next one may take twice as long. */
void checkpoints_learn(struct checkpoints *k, struct profile *profile, double seconds)
{
	bool paid = k->figures.recordings == 0 || k->saved / k->workers > 2 * k->cost;
	bool late = seconds >= k->budget;

	if (late && profile && !profile_is_longer(k, profile)) {
		profile_free(profile);
		profile = NULL;
	}
	k->recorded += seconds;
	k->needed = late ? 2 * k->budget : seconds;
	k->cost = seconds;
	k->limit = paid ? COST_RATIO * seconds : 2 * k->limit + seconds;
	k->spent = k->saved = 0;
	k->missed = 0;
	k->failures = profile ? 0 : k->failures + !late;
	k->figures.recordings++;
	if (!profile)
		return;
	route_clear(&k->route);
	k->route.profile = profile;
	k->route.number++;
}

/* The plan */

/* The stops are sorted by event and visits. */
static size_t plan_place(const struct route *r, size_t event, uint32_t visits)
{
	size_t i = r->plan.count;

	while (i > 0 && (r->plan.stops[i - 1].event > event ||
			 (r->plan.stops[i - 1].event == event && r->plan.stops[i - 1].visits >= visits)))
		i--;
	return i;
}

static void stop_add(struct route *r, size_t event, const struct profile_stop *stop)
{
	struct profile_range *stored;
	size_t count = profile_stored(r->profile, stop->point, &stored), at = plan_place(r, event, stop->visits);
	struct walk_range *ranges = mem_alloc((count + 1) * sizeof(*ranges));

	for (size_t n = 0; n < count; n++)
		ranges[n] = (struct walk_range){stored[n].offset, stored[n].size, stored[n].file, 0};
	free(stored);
	for (size_t i = r->plan.count++; i > at; i--) {
		r->plan.stops[i] = r->plan.stops[i - 1];
		r->stops[i] = r->stops[i - 1];
	}
	r->plan.stops[at] = (struct checkpoint_stop){event, stop->visits, stop->hash, ranges, count};
	r->stops[at] = (struct halt){stop->point, ranges, (double)r->way[event].nanoseconds / 1e9};
	r->plan.way = r->way;
	r->plan.way_count = r->plan.stops[r->plan.count - 1].event + 1;
}

static double event_seconds(const struct route *r, size_t event)
{
	return event < r->way_count ? (double)r->way[event].nanoseconds / 1e9 : r->seconds;
}

/* How far recovery is at an event, from 0 to 2: by time, which is not sure on a busy machine, and by events. */
static double progress_at(const struct route *r, size_t event, size_t last)
{
	double all = event_seconds(r, last);

	return (all > 0 ? event_seconds(r, event) / all : 0) + (double)(event + 1) / (double)(last + 1);
}

/* Each copy may come to have memory of its own for all that it shares now. */
static size_t stops_most(const struct checkpoints *k, const struct outcome *outcome)
{
	uint64_t most = outcome->memory ? k->room / outcome->memory : CHECKPOINTS_MAX;

	return most < CHECKPOINTS_MAX ? (size_t)most : CHECKPOINTS_MAX;
}

/* Stops at even distances up to the last touch that is possible, at least one; with room for the deeper ones, if there is. */
static void stops_choose(struct route *r, size_t last)
{
	size_t most = r->most > DEEPER_MAX ? r->most - DEEPER_MAX : 1;
	double before = 0;

	for (size_t i = 0; i <= last; i++) {
		double now = progress_at(r, i, last);
		bool far = r->plan.count + 1 < most && now - before >= 2.0 / (double)most;

		if (r->agreed[i] == PROFILE_END || (!far && i < last))
			continue;
		stop_add(r, i,
			 &(struct profile_stop){.touch = r->agreed[i],
						.point = profile_touch_point(r->profile, r->agreed[i])});
		before = now;
	}
}

/* The last touch where a process may be stopped. */
static bool last_find(const struct route *r, size_t *last)
{
	for (*last = r->way_count; *last > 0; --*last)
		if (r->agreed[*last - 1] != PROFILE_END)
			return --*last, true;
	return false;
}

/* Seconds that a checkpoint must save. */
static double worth_of(const struct checkpoints *k)
{
	double share = WORTH_SHARE * k->route.seconds;

	return k->early ? 0 : share > WORTH_SECONDS ? share : WORTH_SECONDS;
}

static void plan_make(struct checkpoints *k)
{
	size_t last;

	if (k->route.most && last_find(&k->route, &last) && event_seconds(&k->route, last) >= worth_of(k))
		stops_choose(&k->route, last);
}

/* Where the log of the walk and the profile have the same touches. */
static void way_compare(struct route *r)
{
	VEC_OF(struct profile_touch) touches = {0};
	size_t *agreed = mem_alloc((r->way_count + 1) * sizeof(*agreed)), n = 0;

	for (size_t i = 0; i < r->way_count; i++) {
		struct profile_touch touch = {.page = r->way[i].offset / PROFILE_PAGE, .file = r->way[i].file};

		if (r->way[i].kind == WALK_TOUCH)
			vec_push(&touches, touch);
	}
	r->complete &= profile_agree(r->profile, touches.at, touches.count, agreed);
	r->agreed = mem_alloc((r->way_count + 1) * sizeof(*r->agreed));
	for (size_t i = 0; i < r->way_count; i++)
		r->agreed[i] = r->way[i].kind == WALK_TOUCH ? agreed[n++] : PROFILE_END;
	free(agreed);
	vec_free(&touches);
}

static void way_learn(struct checkpoints *k, const struct checkpoints_walk *walk, const struct outcome *outcome)
{
	struct route *r = &k->route;

	r->logged = true;
	r->way = mem_alloc((walk->count + 1) * sizeof(*r->way));
	if (walk->count)
		memcpy(r->way, walk->events, walk->count * sizeof(*r->way));
	r->way_count = walk->count;
	r->complete = walk->whole;
	r->seconds = outcome->seconds;
	r->most = stops_most(k, outcome);
	way_compare(r);
	plan_make(k);
}

/* The event of the walk that is this touch of the profile; the count of events: none. */
static size_t event_of(const struct route *r, size_t touch)
{
	size_t i = 0;

	while (i < r->way_count && r->agreed[i] != touch)
		i++;
	return i;
}

/* How many of the stops recovery comes to in the same way. */
static unsigned stops_reached(const struct route *r, struct profile_point reach)
{
	unsigned count = 0;

	while (count < r->plan.count && r->stops[count].point.reads <= reach.reads &&
	       r->stops[count].point.stores <= reach.stores)
		count++;
	return count;
}

/* Many states differ first at this read: have a checkpoint just before it, if that saves anything. */
static void plan_deepen(struct checkpoints *k, size_t read)
{
	struct route *r = &k->route;
	unsigned reached = stops_reached(r, (struct profile_point){read, SIZE_MAX});
	double saved = reached ? r->stops[reached - 1].seconds : 0;
	struct profile_stop stop;
	size_t event;

	r->deepened++;
	if (!profile_stop_before(r->profile, read, &stop) || (event = event_of(r, stop.touch)) == r->way_count)
		return;
	if (event_seconds(r, event + !!stop.visits) - saved <= worth_of(k) || r->plan.count >= r->most)
		return;
	stop_add(r, event, &stop);
	r->number++;
	r->runs = 0;
}

/* The entry of this read, or of the rarest one, which gives way to it. */
static struct common *common_find(struct route *r, size_t read)
{
	struct common *rarest = r->common;

	for (struct common *c = r->common; c < r->common + COMMON_MAX; c++) {
		if (c->often && c->read == read)
			return c;
		if (c->often < rarest->often)
			rarest = c;
	}
	*rarest = (struct common){.read = read};
	return rarest;
}

static void difference_note(struct checkpoints *k, size_t read)
{
	struct route *r = &k->route;

	/* The files have other sizes, or nothing is known of what comes later. */
	if (read >= profile_read_count(r->profile))
		return;
	struct common *common = common_find(r, read);
	if (r->logged && common->often++ == OFTEN && r->deepened < DEEPER_MAX)
		plan_deepen(k, read);
}

/* Rule 2 */

static size_t route_reach(const struct route *r, const struct stage_view *view)
{
	bool all = !r->logged || r->ends || r->complete || r->deepened < DEEPER_MAX || !r->plan.count;
	size_t most = all ? PROFILE_END : r->stops[r->plan.count - 1].point.reads;

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
	w->skipped = w->saved = skipped;
}

static void worker_begin(struct checkpoints_worker *w)
{
	w->logs = w->whole = w->known = w->shortened = false;
	w->skipped = 0;
}

/* Does it take less time to begin at a checkpoint?  Copies of a large process may cost more than they save.  On a busy machine
 * that may be chance, so it is tried again. */
static bool route_pays(const struct checkpoints *k)
{
	const struct route *r = &k->route;

	return k->early || r->runs < TRIED || r->usual < (1 - WORTH_SHARE) * k->usual || k->missed >= AGAIN;
}

/* Where a run begins that comes so far in the same way. */
static struct checkpoints_choice choice_at(struct checkpoints *k, struct checkpoints_worker *w,
					   struct profile_point reach, unsigned there)
{
	struct route *r = &k->route;
	unsigned reached = stops_reached(r, reach);
	struct checkpoints_choice choice = {0};

	if (!route_pays(k))
		return choice;
	if (!r->logged) {
		w->logs = choice.walks = w->whole || reach.reads >= profile_read_count(r->profile);
	} else if (worker_walks(w, r, reached, there)) {
		choice.walks = true;
		choice.plan = &r->plan;
		choice.stops = reached;
	} else if (reached && there) {
		choice.from = reached < there ? reached : there;
		worker_shorten(w, r->stops[choice.from - 1].seconds);
	}
	return choice;
}

struct checkpoints_choice checkpoints_choose(struct checkpoints *k, struct checkpoints_worker *w,
					     const struct stage_view *view, unsigned there)
{
	struct route *r = &k->route;

	worker_begin(w);
	if (k->off || !r->profile)
		return (struct checkpoints_choice){0};
	size_t reach = route_reach(r, view);
	w->whole = reach == PROFILE_END;
	if (!w->whole)
		difference_note(k, reach);
	if (w->whole && r->ends) {
		w->known = true;
		worker_shorten(w, r->end.seconds);
		return (struct checkpoints_choice){.outcome = &r->end};
	}
	return choice_at(k, w, (struct profile_point){reach, SIZE_MAX}, there);
}

struct checkpoints_choice checkpoints_choose_tree(struct checkpoints *k, struct checkpoints_worker *w,
						  const struct stage_view *view, unsigned there,
						  profile_filter *is_undecided, void *arg)
{
	worker_begin(w);
	if (k->off || !k->route.profile)
		return (struct checkpoints_choice){0};
	struct profile_point reach = profile_until(k->route.profile, is_undecided, arg);
	size_t same = profile_reach(k->route.profile, view->files, view->count, PROFILE_END);
	w->whole = same == PROFILE_END;
	if (same < reach.reads)
		reach.reads = same;
	difference_note(k, reach.reads);
	return choice_at(k, w, reach, there);
}

static void times_note(struct checkpoints *k, const struct checkpoints_worker *w, const struct outcome *outcome)
{
	struct route *r = &k->route;

	if (w->shortened) {
		r->runs++;
		r->usual += (outcome->seconds - w->skipped - r->usual) / (r->runs < TRIED ? r->runs : TRIED);
	} else if (!w->logs && outcome->mode == RECOVERY_FORK) {
		k->usual += (outcome->seconds - k->usual) / (k->usual ? USUAL_OVER : 1);
	}
}

/* What a newer profile might have saved. */
static double seconds_wasted(const struct route *r, const struct checkpoints_worker *w, const struct outcome *outcome)
{
	double best = r->plan.count ? r->stops[r->plan.count - 1].seconds : 0;

	return !w->shortened ? outcome->seconds : best > w->skipped ? best - w->skipped : 0;
}

void checkpoints_ran(struct checkpoints *k, struct checkpoints_worker *w, const struct outcome *outcome,
		     const struct checkpoints_walk *walk)
{
	struct route *r = &k->route;

	w->shortened &= outcome->from > 0;
	k->recovered += outcome->seconds - (w->shortened ? w->skipped : 0);
	times_note(k, w, outcome);
	k->spent += seconds_wasted(r, w, outcome);
	if (w->shortened)
		w->saved = k->usual - (outcome->seconds - w->skipped);
	k->missed = w->shortened ? 0 : k->missed + 1;
	if (!r->profile || outcome->mode != RECOVERY_FORK)
		return;
	if (w->logs && !r->logged)
		way_learn(k, walk, outcome);
	if (w->whole && !w->shortened && !r->ends && r->complete && outcome->ending.kind != ENDING_TIMEOUT) {
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
	k->saved += w->saved;
	return false;
}

bool checkpoints_tree_is_sampled(const struct checkpoints *k, struct digest run)
{
	return random_mix(random_seed(k->seed, run.low)) % CONFIRMED_ONE_IN == 0;
}

void checkpoints_tree_begins(struct checkpoints *k, const struct checkpoints_worker *w, bool shortened, double since)
{
	/* A checkpoint saves the beginning of a tree, once. */
	double beginning = k->usual ? k->usual : since / TREE_LEAVES;

	k->spent += since < beginning ? since : beginning;
	k->recovered += since;
	if (!shortened)
		return;
	k->figures.used++;
	k->saved += w->skipped;
}

/* Which of two runs is late may be chance. */
static bool is_late(const struct outcome *outcome)
{
	return outcome->ending.kind == ENDING_TIMEOUT;
}

void checkpoints_compare(struct checkpoints *k, const struct outcome *outcome, const struct outcome *start)
{
	k->figures.confirmed++;
	if (outcome_same(outcome, start) || is_late(outcome) || is_late(start))
		return;
	checkpoints_differ(k);
}

void checkpoints_differ(struct checkpoints *k)
{
	k->figures.differences++;
	k->off = true;
}

void checkpoints_switch_off(struct checkpoints *k)
{
	k->off = true;
}

bool checkpoints_are_off(const struct checkpoints *k)
{
	return k->off;
}

struct checkpoints_figures checkpoints_figures(const struct checkpoints *k)
{
	return k->figures;
}
