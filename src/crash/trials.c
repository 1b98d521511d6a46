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
	return a->explored - b->explored;
}

void trials_sort(struct trials *t)
{
	if (t->all.count)
		qsort(t->all.at, t->all.count, sizeof(*t->all.at), trial_order);
}

struct state *trial_state(const struct trial *trial, struct image *image)
{
	return trial->which == TRIAL_ALL ? state_all(image) : state_none(image);
}

/* Rule 1. */
void trials_accept(struct trials *t, const struct known *known, struct ending initial)
{
	if (!initial.known || initial.kind != OUTCOME_EXIT || ending_passed(initial))
		return;
	for (size_t i = 0; i < t->all.count; i++) {
		struct trial *trial = &t->all.at[i];
		struct ending ending = known_get(known, trial->digest);

		if (trial->guaranteed && ending_passed(ending))
			return;
		trial->accepted = ending_same(ending, initial);
	}
}

uint64_t trials_created(const struct trials *t, const struct known *known)
{
	for (size_t i = 0; i < t->all.count; i++)
		if (t->all.at[i].guaranteed && ending_passed(known_get(known, t->all.at[i].digest)))
			return t->all.at[i].event;
	return UINT64_MAX;
}

/* The judge at work. */
struct judge {
	const struct known *known;
	struct jobs *jobs;
	struct judgement *found;
	struct map *counted; /* contents of trials that count: COUNTED, COUNTED_FAILING */
	struct map seen;     /* contents that fail: 1 */
	struct map loses;    /* (lost, ending) -> 1 + index of the job */
	/* the last prefix */
	const struct trial *prefix;
	bool prefix_failed;
	struct ending prefix_ending;
	size_t prefix_job;
};

static size_t job_new(struct judge *j, const struct trial *trial, struct ending ending, uint64_t start)
{
	vec_push(&j->jobs->all, ((struct job){.trial = trial, .ending = ending, .start = start}));
	return j->jobs->all.count - 1;
}

/* Rules 2 and 5. */
static size_t judge_prefix(struct judge *j, const struct trial *trial, struct ending ending, bool fails)
{
	bool same = j->prefix_failed && fails && ending_same(ending, j->prefix_ending);
	bool created = same && j->jobs->all.at[j->prefix_job].trial->creating && !trial->creating; /* rule 5 */

	if (created)
		j->prefix_job = job_new(j, trial, ending, trial->event);
	else if (fails && !same)
		j->prefix_job = job_new(j, trial, ending, j->prefix ? j->prefix->event : 0);
	j->prefix = trial;
	j->prefix_failed = fails;
	j->prefix_ending = ending;
	return j->prefix_job;
}

/* Rule 3. */
static size_t judge_loss(struct judge *j, const struct trial *trial, struct ending ending)
{
	uint64_t *job;

	if (j->prefix && j->prefix->event == trial->event && j->prefix_failed && ending_same(ending, j->prefix_ending))
		return j->prefix_job;
	job = map_put(&j->loses, trial->lost, ending_code(ending));
	if (!*job)
		*job = 1 + job_new(j, trial, ending, trial->event);
	return *job - 1;
}

static void judge_count(struct judge *j, const struct trial *trial, struct ending ending, bool fails)
{
	uint64_t *counted = map_put(j->counted, trial->digest.low, trial->digest.high);
	bool first = !*counted;

	j->found->distinct += first;
	j->found->tested += first && ending.known;
	j->found->accepted += first && trial->accepted;
	j->found->failed += fails && *counted != COUNTED_FAILING;
	if (first || fails)
		*counted = fails ? COUNTED_FAILING : COUNTED;
}

static void judge_trial(struct judge *j, const struct trial *trial)
{
	struct ending ending = known_get(j->known, trial->digest);
	bool fails = ending.known && !ending_passed(ending) && !trial->accepted;
	uint64_t *seen = map_put(&j->seen, trial->digest.low, trial->digest.high);
	bool fails_first = fails && !*seen; /* rule 4 */
	size_t job = 0;

	*seen |= fails;
	if (!trial->explored)
		judge_count(j, trial, ending, fails);
	if (trial->which == TRIAL_ALL)
		job = judge_prefix(j, trial, ending, fails);
	else if (fails)
		job = judge_loss(j, trial, ending);
	if (!fails)
		return;
	j->jobs->all.at[job].states += fails_first;
	j->jobs->all.at[job].detectors |= trial->explored ? JOB_EXPLORE : JOB_INJECT;
}

static int job_order(const void *left, const void *right)
{
	const struct job *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->trial < b->trial ? -1 : a->trial > b->trial;
}

void jobs_prune(struct jobs *jobs)
{
	size_t kept = 0;

	for (size_t i = 0; i < jobs->all.count; i++)
		if (jobs->all.at[i].states || jobs->all.at[i].persisted)
			jobs->all.at[kept++] = jobs->all.at[i];
	jobs->all.count = kept;
}

void trials_judge(const struct trials *t, const struct known *known, struct jobs *jobs, struct map *counted,
		  struct judgement *found)
{
	struct judge j = {.known = known, .jobs = jobs, .counted = counted, .found = found};

	for (size_t i = 0; i < t->all.count; i++)
		judge_trial(&j, &t->all.at[i]);
	map_free(&j.seen);
	map_free(&j.loses);
	if (jobs->all.count)
		qsort(jobs->all.at, jobs->all.count, sizeof(*jobs->all.at), job_order);
}
