/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failing.c - failures found by exploring, grouped by root, and the jobs made from them. */
#include <stdlib.h>
#include <string.h>

#include "explore/explore_in.h"

enum {
	GROUPS_KEPT = 256, /* groups of one root while it is explored; one more group for each verdict takes the rest */
	LOST_OTHERS = 0,   /* `lost` of the group that takes the rest */
	GROUPS_EXPLAINED = 64, /* groups of one root that are explained */
};

static struct failure *failure_find(struct failures *f, struct verdict verdict, uint64_t lost)
{
	for (size_t i = 0; i < f->all.count; i++)
		if (f->all.at[i].lost == lost && verdict_same(f->all.at[i].verdict, verdict))
			return &f->all.at[i];
	return NULL;
}

/* Make this state the leader of its group: it comes first so far.  Results arrive in any order. */
static void failure_lead(struct failure *failure, const struct moment *m, const uint8_t *taken, struct digest content,
			 uint32_t units, uint64_t sequence)
{
	failure->count = m->choices->unit_count;
	if (!failure->persisted)
		failure->persisted = mem_alloc(failure->count + 1);
	moment_persisted(m, taken, failure->persisted);
	failure->sequence = sequence;
	failure->units = units;
	failure->leader = content;
}

void failures_add(struct failures *f, const struct moment *m, const uint8_t *taken, const uint8_t *decided,
		  struct digest content, struct verdict verdict, uint64_t sequence)
{
	uint32_t units;
	uint64_t lost = moment_lost(m, taken, decided, &units);
	struct failure *failure = failure_find(f, verdict, lost);

	if (!failure && f->all.count >= GROUPS_KEPT) {
		lost = LOST_OTHERS;
		failure = failure_find(f, verdict, lost);
	}
	if (!failure) {
		vec_push(&f->all, ((struct failure){.verdict = verdict, .lost = lost}));
		failure = &f->all.at[f->all.count - 1];
	}
	if (!failure->persisted || sequence < failure->sequence)
		failure_lead(failure, m, taken, content, units, sequence);
	vec_push(&failure->contents, content);
}

static void failure_free(struct failure *failure)
{
	free(failure->persisted);
	vec_free(&failure->contents);
}

void failures_clear(struct failures *f)
{
	for (size_t i = 0; i < f->all.count; i++)
		failure_free(&f->all.at[i]);
	vec_free(&f->all);
}

/* Does the content end in another way now than when it was found? */
static bool is_over(const struct outcomes *outcomes, struct digest content, const struct failure *failure)
{
	struct verdict now = outcomes_get(outcomes, content);

	return outcomes_are_distrusted(outcomes) && now.known && !verdict_same(now, failure->verdict);
}

static void failure_join(struct failures *f, struct failure *before, const struct outcomes *outcomes)
{
	struct failure *failure = failure_find(f, before->verdict, before->lost);

	/* What does not fail any more may not lead. */
	if (!failure && !is_over(outcomes, before->leader, before)) {
		vec_push(&f->all, *before);
		return;
	}
	for (size_t i = 0; failure && i < before->contents.count; i++)
		vec_push(&failure->contents, before->contents.at[i]);
	failure_free(before);
}

void failures_join(struct failures *f, struct failures *before, const struct outcomes *outcomes)
{
	for (size_t i = 0; i < before->all.count; i++)
		failure_join(f, &before->all.at[i], outcomes);
	vec_free(&before->all);
}

/* Jobs */

/* Fewest lost units first: states that lose more mostly fail for the same reason. */
static int failure_compare(const void *left, const void *right)
{
	const struct failure *a = left, *b = right;

	if (a->units != b->units)
		return a->units < b->units ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

struct judge {
	struct campaign *campaign;
	unsigned strategy;
	const struct trials *trials;
	struct jobs *jobs;
	const struct judge_seen *seen;
	struct map loses; /* (lost, verdict) -> 1 + index of the job */
	uint64_t created; /* before this event the initial verdict is accepted */
};

/* The trial of one of the two extreme states of a root. */
static const struct trial *trial_find(const struct trials *trials, uint64_t event, enum trial_which which)
{
	size_t low = 0, high = trials->all.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (trials->all.at[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < trials->all.count && trials->all.at[low].event == event; low++)
		if (trials->all.at[low].which == which)
			return &trials->all.at[low];
	return NULL;
}

/* If the state with everything on media fails in the same way, the reason may be the same.  Returns the job of the
 * latest prefix up to the root that fails in this way and names no other job; rule 2 of trials.h. */
static const struct job *prefix_find(const struct judge *j, const struct root *root, const struct failure *failure)
{
	const struct trial *all = trial_find(j->trials, root->event, TRIAL_ALL);
	const struct job *latest = NULL;

	if (!all || all->accepted || !verdict_same(outcomes_get(j->campaign->outcomes, all->digest), failure->verdict))
		return NULL;
	for (size_t i = 0; i < j->jobs->all.count; i++) {
		const struct job *job = &j->jobs->all.at[i];

		if (job->trial->which == TRIAL_ALL && !job->follows && job->trial->event <= root->event &&
		    verdict_same(job->verdict, failure->verdict) &&
		    (!latest || latest->trial->event < job->trial->event))
			latest = job;
	}
	return latest;
}

/* The job for states that lose stores of this code and fail in this way. */
static struct job *loss_job(struct judge *j, const struct root *root, const struct failure *failure)
{
	const struct trial *none = trial_find(j->trials, root->event, TRIAL_NONE);
	uint64_t *known;

	if (!none)
		return NULL;
	known = map_put(&j->loses, failure->lost, verdict_class(failure->verdict));
	if (!*known) {
		const struct job *prefix = prefix_find(j, root, failure);
		struct job job = {.trial = none,
				  .digest = failure->leader,
				  .verdict = failure->verdict,
				  .start = root->event,
				  .strategy = j->strategy,
				  .persisted = failure->persisted,
				  .follows = prefix};

		job.prefix = prefix ? prefix->digest : job.prefix;
		vec_push(&j->jobs->all, job);
		*known = j->jobs->all.count;
	}
	return &j->jobs->all.at[*known - 1];
}

/* Count all failing states of the root, and make jobs of the first groups. */
static void root_judge(struct judge *j, struct root *root)
{
	struct failures *f = &root->failures;

	if (f->all.count)
		qsort(f->all.at, f->all.count, sizeof(*f->all.at), failure_compare);
	for (size_t i = 0; i < f->all.count; i++) {
		const struct failure *failure = &f->all.at[i];
		bool accepted = root->event < j->created && verdict_is_accepted(failure->verdict, j->campaign->initial);
		struct job *job = accepted || i >= GROUPS_EXPLAINED ? NULL : loss_job(j, root, failure);

		for (size_t k = 0; k < failure->contents.count; k++) {
			if (is_over(j->campaign->outcomes, failure->contents.at[k], failure))
				continue;
			judgement_count(&j->campaign->found, failure->contents.at[k],
					accepted ? CONTENT_ACCEPTED : CONTENT_FAILED);
			if (job)
				job_count(job, j->seen, failure->contents.at[k]);
		}
	}
}

void roots_judge(struct chooser *chooser, size_t platform, struct explored *explored, const struct judge_seen *seen,
		 struct jobs *jobs)
{
	struct campaign *c = chooser->campaign;
	const struct contents *tested = &explored->tested;
	struct judge j = {
		.campaign = c,
		.strategy = chooser->number,
		.trials = &chooser->trials[platform],
		.jobs = jobs,
		.seen = seen,
	};

	j.created = trials_created(j.trials, c->outcomes);
	for (size_t i = 0; i < tested->room; i++)
		if (tested->at[i].low | tested->at[i].high)
			judgement_count(&c->found, tested->at[i], CONTENT_TESTED);
	for (size_t i = 0; i < explored->roots.count; i++)
		root_judge(&j, &explored->roots.at[i]);
	map_free(&j.loses);
}

void explore_jobs(struct chooser *chooser, size_t platform, const struct judge_seen *given, struct jobs *jobs)
{
	struct explored *explored = &((struct explored *)chooser->state)[platform];
	struct judge_seen seen = *given;

	for (size_t i = 0; i < chooser->trials[platform].all.count; i++)
		if (chooser->trials[platform].all.at[i].orderly)
			contents_add(&explored->tested, chooser->trials[platform].all.at[i].digest);
	seen.run = &explored->tested;
	chooser_jobs(chooser, platform, &seen, jobs);
	roots_judge(chooser, platform, explored, &seen, jobs);
}
