/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trials.c - see trials.h, whose rules are numbered. */
#include "crash/trials.h"

#include <stdlib.h>

static int trial_order(const void *left, const void *right)
{
	const struct trial *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->which != b->which)
		return a->which - b->which;
	return a->number < b->number ? -1 : a->number > b->number;
}

void trials_sort(struct trials *t)
{
	if (t->all.count)
		qsort(t->all.at, t->all.count, sizeof(*t->all.at), trial_order);
}

struct state *trial_state(const struct trial *trial, struct image *image)
{
	if (trial->persisted)
		return state_new(image, trial->persisted);
	return trial->which == TRIAL_ALL ? state_all(image) : state_none(image);
}

/* Rule 1. */
uint64_t trials_created(const struct trials *t, const struct outcomes *outcomes)
{
	for (size_t i = 0; i < t->all.count; i++)
		if (t->all.at[i].guaranteed && verdict_passed(outcomes_get(outcomes, t->all.at[i].digest)))
			return t->all.at[i].event;
	return UINT64_MAX;
}

void trials_accept(struct trials *t, const struct outcomes *outcomes, struct verdict initial)
{
	uint64_t created = trials_created(t, outcomes);

	for (size_t i = 0; i < t->all.count; i++) {
		struct trial *trial = &t->all.at[i];

		trial->accepted =
			trial->event < created && verdict_is_accepted(outcomes_get(outcomes, trial->digest), initial);
	}
}

/* Counting */

void judgement_count(struct judgement *found, struct digest content, enum content_result result)
{
	uint64_t *before = map_put(&found->contents, content.low, content.high);

	if (result <= *before)
		return;
	found->distinct += *before == CONTENT_NONE;
	found->tested += *before < CONTENT_TESTED && result >= CONTENT_TESTED;
	found->accepted -= *before == CONTENT_ACCEPTED;
	found->accepted += result == CONTENT_ACCEPTED;
	found->failed += result == CONTENT_FAILED;
	*before = result;
}

/* Rule 4. */
void job_count(struct job *job, const struct judge_seen *seen, struct digest content)
{
	uint64_t *known = map_put(seen->own, content.low, content.high);

	if (*known)
		return;
	*known = 1;
	job->states++;
	job->fresh += !seen->others || !map_get(seen->others, content.low, content.high);
}

/* The state of judging. */
struct judge {
	const struct outcomes *outcomes;
	unsigned strategy;
	struct jobs *jobs;
	struct judgement *found;
	const struct judge_seen *seen;
	struct map loses;   /* (lost, verdict) -> 1 + index of the job */
	struct map orderly; /* verdict -> 1 + index of the job */
	/* the last prefix */
	const struct trial *prefix;
	bool prefix_failed;
	struct verdict prefix_verdict;
	size_t prefix_job;      /* the first job of those that fail as the last prefix does */
	unsigned prefix_follow; /* number of jobs that name it */
};

enum { FOLLOWERS_MAX = 32 /* prefixes to examine for a reason of their own */ };

static size_t job_new(struct judge *j, const struct trial *trial, struct verdict verdict, uint64_t start)
{
	struct job job = {
		.trial = trial, .digest = trial->digest, .verdict = verdict, .start = start, .strategy = j->strategy};

	vec_push(&j->jobs->all, job);
	return j->jobs->all.count - 1;
}

static void job_follow(struct judge *j, size_t job)
{
	j->jobs->all.at[job].follows = true;
	j->jobs->all.at[job].prefix = j->jobs->all.at[j->prefix_job].digest;
}

/* Rules 2 and 5. */
static size_t judge_prefix(struct judge *j, const struct trial *trial, struct verdict verdict, bool fails)
{
	bool same = j->prefix_failed && fails && verdict_same(verdict, j->prefix_verdict);
	uint64_t start = j->prefix && j->prefix->event > trial->from ? j->prefix->event : trial->from;
	bool created = same && j->jobs->all.at[j->prefix_job].trial->creating && !trial->creating; /* rule 5 */
	size_t job = j->prefix_job;

	if (created || (fails && !same)) {
		job = j->prefix_job = job_new(j, trial, verdict, created ? trial->event : start);
		j->prefix_follow = 0;
	} else if (fails && j->prefix_follow < FOLLOWERS_MAX && !verdict_hangs(verdict)) {
		/* One hang stands for the others, because each run takes the whole time limit. */
		job = job_new(j, trial, verdict, start);
		job_follow(j, job);
		j->prefix_follow++;
	}
	j->prefix = trial;
	j->prefix_failed = fails;
	j->prefix_verdict = verdict;
	return job;
}

/* Rule 6. */
static size_t judge_orderly(struct judge *j, const struct trial *trial, struct verdict verdict)
{
	uint64_t *job = map_put(&j->orderly, verdict_class(verdict), 0);

	if (!*job)
		*job = 1 + job_new(j, trial, verdict, trial->event);
	return *job - 1;
}

/* Rule 3. */
static size_t judge_loss(struct judge *j, const struct trial *trial, struct verdict verdict)
{
	bool follows = j->prefix && j->prefix->event == trial->event && j->prefix_failed &&
		       verdict_same(verdict, j->prefix_verdict);
	uint64_t *job;

	if (follows && verdict_hangs(verdict))
		return j->prefix_job;
	job = map_put(&j->loses, trial->lost, verdict_class(verdict));
	if (*job)
		return *job - 1;
	*job = 1 + job_new(j, trial, verdict, trial->event);
	j->jobs->all.at[*job - 1].persisted = trial->persisted;
	if (follows)
		job_follow(j, *job - 1);
	return *job - 1;
}

static void judge_trial(struct judge *j, const struct trial *trial)
{
	struct verdict verdict = outcomes_get(j->outcomes, trial->digest);
	bool fails = verdict_failed(verdict) && !trial->accepted;
	bool counts = !j->seen->run || contents_has(j->seen->run, trial->digest);
	size_t job = 0;

	if (counts)
		judgement_count(j->found, trial->digest,
				fails             ? CONTENT_FAILED
				: trial->accepted ? CONTENT_ACCEPTED
				: verdict.known   ? CONTENT_TESTED
						  : CONTENT_UNTESTED);
	if (trial->orderly)
		job = fails ? judge_orderly(j, trial, verdict) : 0;
	else if (trial->which == TRIAL_ALL)
		job = judge_prefix(j, trial, verdict, fails);
	else if (fails)
		job = judge_loss(j, trial, verdict);
	if (fails && counts)
		job_count(&j->jobs->all.at[job], j->seen, trial->digest);
}

static int job_order(const void *left, const void *right)
{
	const struct job *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void jobs_prune(struct jobs *jobs)
{
	size_t kept = 0;

	for (size_t i = 0; i < jobs->all.count; i++) {
		jobs->all.at[i].order = i;
		if (jobs->all.at[i].states)
			jobs->all.at[kept++] = jobs->all.at[i];
	}
	jobs->all.count = kept;
	if (kept)
		qsort(jobs->all.at, kept, sizeof(*jobs->all.at), job_order);
}

void trials_judge(const struct trials *t, const struct outcomes *outcomes, unsigned strategy, struct jobs *jobs,
		  const struct judge_seen *seen, struct judgement *found)
{
	struct judge j = {.outcomes = outcomes, .strategy = strategy, .jobs = jobs, .seen = seen, .found = found};

	for (size_t i = 0; i < t->all.count; i++)
		judge_trial(&j, &t->all.at[i]);
	map_free(&j.loses);
	map_free(&j.orderly);
}
