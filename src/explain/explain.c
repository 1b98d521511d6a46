/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - the reading that finds the causes of failures.
 *
 * Jobs are sorted by the event where they start, and the image rolls from one to the next.  Outcomes on states in
 * between are kept by content like all others, so nothing is run twice. */
#include "explain/explain.h"

#include <string.h>

#include "base/clock.h"

struct crash_context explain_crash(const struct explain *e)
{
	return campaign_crash(e->campaign, e->platform_index, reading_number(e->reading));
}

int explain_fails(struct explain *e, const struct state *state, struct verdict verdict, struct err *err)
{
	const struct crash_context crash = explain_crash(e);
	struct digest name = crash_case(state->digest, &crash);
	struct verdict known = outcomes_find(e->campaign->outcomes, name, &crash);
	struct tester_result run;
	int r;

	if (!known.known) {
		if (!explain_may_run(e, verdict))
			return TESTER_STOPPED;
		r = tester_run(e->campaign->tester, state, &crash, 1, &run, err);
		if (r < 0)
			return r;
		known = outcomes_learn(e->campaign->outcomes, name, &crash, &run.outcome);
		outcome_free(&run.outcome);
	}
	return verdict_same(known, verdict);
}

bool explain_may_run_late(const struct explain *e)
{
	double more = e->campaign->options.timeout;

	return !stop_asked(&e->campaign->options.stop) && (e->deadline <= 0 || clock_seconds() <= e->deadline + more);
}

bool explain_may_run(struct explain *e, struct verdict verdict)
{
	double takes = verdict_hangs(verdict) ? e->campaign->options.timeout : 0;

	if (stop_asked(&e->campaign->options.stop) || (e->deadline > 0 && clock_seconds() > e->deadline))
		e->hurry = true;
	return !e->hurry && (e->deadline <= 0 || clock_seconds() + takes <= e->deadline);
}

bool explain_accepts(const struct explain *e, uint64_t event, struct verdict verdict)
{
	return event < e->created && verdict_is_accepted(verdict, e->campaign->initial);
}

/* Judging saw only the time-out, so rule 1 of trials.h must be applied to this verdict, too. */
bool explain_is_fine(const struct explain *e, const struct job *job, struct verdict verdict)
{
	return verdict_passed(verdict) || explain_accepts(e, job->trial->event, verdict);
}

/* Explained jobs */

enum { ANY_STRATEGY = 0xffff };

/* A job is identified by the digest and the kind of its first state.  The same content may be everything stored at one
 * moment and only the guaranteed stores at another; these need two explanations. */
static uint64_t *explained(const struct explain *e, struct digest digest, unsigned which, unsigned strategy)
{
	uint64_t kind = (uint64_t)e->platform_index << 32 | which << 16 | strategy;

	return map_put(&e->campaign->results.explained, digest.low + kind, digest.high);
}

static struct result *result_at(const struct explain *e, uint64_t index)
{
	return index && index != EXPLAINED_FINE ? &e->campaign->results.all.at[index - 1] : NULL;
}

struct result *explain_followed(const struct explain *e, const struct job *follower)
{
	return result_at(e, *explained(e, follower->prefix, TRIAL_ALL, follower->strategy));
}

/* A job that names another may not have been examined itself, so other strategies must not rely on it. */
static void job_remember(struct explain *e, const struct job *job)
{
	uint64_t index = e->result ? e->result : EXPLAINED_FINE;

	*explained(e, job->digest, job->trial->which, job->strategy) = index;
	if (!job->follows)
		*explained(e, job->digest, job->trial->which, ANY_STRATEGY) = index;
}

/* Has this state been explained before?  Then nothing else is to be done. */
static bool job_is_explained(struct explain *e, const struct job *job)
{
	uint64_t known = *explained(e, job->digest, job->trial->which, job->strategy);
	struct result *result;

	if (!known)
		known = *explained(e, job->digest, job->trial->which, ANY_STRATEGY);
	if (!known)
		return false;
	result = result_at(e, known);
	e->result = 0;
	if (result)
		result_join(e, result, job);
	*explained(e, job->digest, job->trial->which, job->strategy) = known;
	return true;
}

/* Remember a store to show in the explanation. */
static void recent_note(struct explain *e, const struct event *ev, uint64_t number)
{
	struct recent *r;

	if (ev->type != EVENT_STORE || !ev->file)
		return;
	r = &e->recents[e->recent_count++ % RECENT_MAX];
	r->store = (struct crash_store){
		.context = ev->context,
		.file = ev->file,
		.size = (uint32_t)ev->size,
		.offset = ev->offset,
		.value = ev->size <= sizeof(r->value) ? r->value : NULL,
		.event = number,
	};
	if (r->store.value)
		memcpy(r->value, ev->data, ev->size);
}

/* Move the image to an event, and remember the stores on the way. */
static int explain_to(struct explain *e, uint64_t event, struct err *err)
{
	const struct event *ev;
	int more;

	while (reading_number(e->reading) < event) {
		more = reading_look(e->reading, &ev, err);
		if (more < 0)
			return -1;
		if (!more)
			break;
		recent_note(e, ev, reading_number(e->reading) + 1);
		reading_go(e->reading);
	}
	return 0;
}

/* The unfinished job that starts first. */
static struct job *job_next(struct jobs *jobs, const bool *done)
{
	struct job *next = NULL;

	for (size_t i = 0; i < jobs->all.count; i++)
		if (!done[i] && (!next || jobs->all.at[i].start < next->start))
			next = &jobs->all.at[i];
	return next;
}

static int job_explain(struct explain *e, struct job *job, struct err *err)
{
	int r = explain_to(e, job->start, err);

	e->result = 0;
	if (r == 0)
		r = job->verdict.orderly             ? orderly_explain(e, job, err)
		    : job->trial->which == TRIAL_ALL ? prefix_explain(e, job, err)
						     : loss_explain(e, job, err);
	if (r == 0)
		job_remember(e, job);
	return r;
}

static int jobs_explain(struct explain *e, struct jobs *jobs, bool *done, struct err *err)
{
	struct job *job;
	int r = 0;

	while (r >= 0 && (job = job_next(jobs, done))) {
		if (e->enough > 0 && (stop_asked(&e->campaign->options.stop) || clock_seconds() >= e->enough))
			break;
		r = job_is_explained(e, job) ? 0 : job_explain(e, job, err);
		done[job - jobs->all.at] = r != 1;
	}
	e->campaign->results.postponed += r >= 0 && job_next(jobs, done);
	return r < 0 ? r : 0;
}

/* Jobs are explained in turns, each in a reading of its own.  Failures that are likely to be excused come after the
 * others.  Jobs that hang take a whole time limit for each try, so they come last. */
enum turn { TURN_FIRST, TURN_LIKELY_EXCUSED, TURN_HANGING };

static enum turn job_turn(const struct explain *e, const struct job *job)
{
	if (verdict_hangs(job->verdict))
		return TURN_HANGING;
	return oracles_likely_excuse(e->campaign->oracles, job->verdict) ? TURN_LIKELY_EXCUSED : TURN_FIRST;
}

static int jobs_read(struct explain *e, struct jobs *jobs, enum turn turn, struct err *err)
{
	struct campaign *c = e->campaign;
	bool *done = mem_alloc(jobs->all.count + 1), any = false;
	int r = 0;

	for (size_t i = 0; i < jobs->all.count; i++) {
		done[i] = job_turn(e, &jobs->all.at[i]) != turn || job_is_explained(e, &jobs->all.at[i]);
		any |= !done[i];
	}
	if (any) {
		e->recent_count = 0;
		e->reading = NULL;
		r = reading_open(&e->reading, c->options.dir, c->options.platforms[e->platform_index],
				 c->survey->origin, err);
		if (r == 0)
			r = campaign_tester(c, e->reading, err);
		if (r == 0)
			r = jobs_explain(e, jobs, done, err);
		campaign_tester_close(c);
		reading_close(e->reading);
	}
	free(done);
	return r;
}

/* The share of a budget that may be spent on causes before testing is complete. */
#define SHARE_WHILE_TESTING 0.25

int explain_jobs(struct campaign *c, size_t platform, uint64_t created, struct jobs *jobs, enum judge_extent extent,
		 struct err *err)
{
	double start = clock_seconds();
	struct explain *e;
	int r;

	if (!jobs->all.count)
		return 0;
	e = mem_alloc(sizeof(*e));
	e->campaign = c;
	e->platform_index = platform;
	e->platform = platform_name(c->options.platforms[platform]);
	e->created = created;
	e->deadline = campaign_end(c);
	if (extent == JUDGE_QUICKLY && c->options.budget > 0)
		e->enough = start + SHARE_WHILE_TESTING * c->options.budget - c->results.seconds;
	campaign_phase(c, "minimizing", 0);
	r = jobs_read(e, jobs, TURN_FIRST, err);
	if (r == 0 && extent == JUDGE_ALL)
		r = jobs_read(e, jobs, TURN_LIKELY_EXCUSED, err);
	if (r == 0 && extent == JUDGE_ALL)
		r = jobs_read(e, jobs, TURN_HANGING, err);
	c->results.seconds += clock_seconds() - start;
	free(e);
	return r;
}
