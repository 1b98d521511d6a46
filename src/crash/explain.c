/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - the reading that finds the cause of what failed.
 *
 * Jobs come in the order of the events where they start; the image rolls from one to the next.  What recovery says on
 * states in between is known by content like everything else, so nothing is run twice. */
#include "crash/explain.h"

#include <string.h>

#include "base/clock.h"

int explain_fails(struct explain *e, const struct state *state, struct ending ending, struct err *err)
{
	struct ending known = known_get(e->campaign->known, state->digest);
	struct outcome outcome;
	int r;

	if (!known.known) {
		if (!explain_may_run(e, ending))
			return TESTER_STOPPED;
		r = tester_run(e->campaign->tester, state, 1, &outcome, err);
		if (r < 0)
			return r;
		known = ending_of(&outcome);
		known_learn(e->campaign->known, state->digest, &outcome);
		outcome_free(&outcome);
	}
	return ending_same(known, ending);
}

bool explain_may_tell(const struct explain *e)
{
	double more = e->campaign->options.timeout;

	return !e->campaign->options.interrupted() && (e->deadline <= 0 || clock_seconds() <= e->deadline + more);
}

bool explain_may_run(struct explain *e, struct ending ending)
{
	double takes = ending.kind == OUTCOME_TIMEOUT ? e->campaign->options.timeout : 0;

	if (e->campaign->options.interrupted() || (e->deadline > 0 && clock_seconds() > e->deadline))
		e->hurry = true;
	return !e->hurry && (e->deadline <= 0 || clock_seconds() + takes <= e->deadline);
}

/* The judge has seen the time-out only: rule 1 of trials.h is for this ending, too. */
bool explain_is_fine(const struct explain *e, const struct job *job, struct ending ending)
{
	return ending_passed(ending) || (job->trial->event < e->created && ending.kind == OUTCOME_EXIT &&
					 ending_same(ending, e->campaign->initial));
}

/* Remember a store for the story. */
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

/* Go on to an event, remembering stores on the way. */
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

static bool job_hangs(const struct job *job)
{
	return job->ending.kind == OUTCOME_TIMEOUT;
}

/* The job that starts first of those that are left. */
static struct job *job_next(struct jobs *jobs, const bool *done)
{
	struct job *next = NULL;

	for (size_t i = 0; i < jobs->all.count; i++)
		if (!done[i] && (!next || jobs->all.at[i].start < next->start))
			next = &jobs->all.at[i];
	return next;
}

static int jobs_explain(struct explain *e, struct jobs *jobs, bool hanging, struct err *err)
{
	bool *done = mem_alloc(jobs->all.count + 1);
	struct job *job;
	int r = 0;

	for (size_t i = 0; i < jobs->all.count; i++)
		done[i] = job_hangs(&jobs->all.at[i]) != hanging;
	while (r >= 0 && (job = job_next(jobs, done))) {
		r = explain_to(e, job->start, err);
		if (r == 0 && job->trial->which == TRIAL_ALL)
			r = prefix_explain(e, job, err);
		else if (r == 0)
			r = loss_explain(e, job, err);
		done[job - jobs->all.at] = r != 1;
	}
	free(done);
	return r < 0 ? r : 0;
}

/* Those that hang take a time limit for each try: they come last, in a reading of their own. */
static int jobs_read(struct explain *e, size_t platform, struct jobs *jobs, bool hanging, struct err *err)
{
	struct campaign *c = e->campaign;
	bool any = false;
	int r;

	for (size_t i = 0; i < jobs->all.count; i++)
		any |= job_hangs(&jobs->all.at[i]) == hanging;
	if (!any)
		return 0;
	e->recent_count = 0;
	e->reading = NULL;
	r = reading_open(&e->reading, c->options.dir, c->options.platforms[platform], c->survey->origin, err);
	if (r == 0)
		r = campaign_tester(c, e->reading, err);
	if (r == 0)
		r = jobs_explain(e, jobs, hanging, err);
	campaign_tester_close(c);
	reading_close(e->reading);
	return r;
}

int explain_jobs(struct campaign *c, size_t platform, struct jobs *jobs, struct err *err)
{
	struct explain *e;
	int r;

	if (!jobs->all.count)
		return 0;
	e = mem_alloc(sizeof(*e));
	e->campaign = c;
	e->platform = platform_name(c->options.platforms[platform]);
	e->created = trials_created(&c->trials[platform], c->known);
	e->deadline = campaign_end(c);
	campaign_phase(c, "minimising", 0);
	r = jobs_read(e, platform, jobs, false, err);
	if (r == 0)
		r = jobs_read(e, platform, jobs, true, err);
	free(e);
	return r;
}
