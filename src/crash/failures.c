/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failures.c - what fails in an exploration, by root; and what of it is to be explained. */
#include <stdlib.h>
#include <string.h>

#include "crash/explore_in.h"

enum {
	GROUPS_KEPT = 256, /* of one root, while it is explored */
	GROUPS_TOLD = 64,  /* of one root, that are explained */
};

static struct failure *failure_find(struct failures *f, struct ending ending, uint64_t lost)
{
	for (size_t i = 0; i < f->all.count; i++)
		if (f->all.at[i].lost == lost && ending_same(f->all.at[i].ending, ending))
			return &f->all.at[i];
	return NULL;
}

/* It is the first of its group so far: results come in any order. */
static void failure_lead(struct failure *failure, const struct moment *m, const uint8_t *taken, uint32_t units,
			 uint64_t sequence)
{
	failure->count = m->choices->unit_count;
	if (!failure->persisted)
		failure->persisted = mem_alloc(failure->count + 1);
	moment_persisted(m, taken, failure->persisted);
	failure->sequence = sequence;
	failure->units = units;
}

void failures_add(struct failures *f, const struct moment *m, const uint8_t *taken, const uint8_t *decided,
		  struct ending ending, uint64_t sequence)
{
	uint32_t units;
	uint64_t lost = moment_lost(m, taken, decided, &units);
	struct failure *failure = failure_find(f, ending, lost), fresh = {.ending = ending, .lost = lost};

	if (!failure) {
		if (f->all.count == GROUPS_KEPT)
			return;
		vec_push(&f->all, fresh);
		failure = &f->all.at[f->all.count - 1];
	}
	if (!failure->persisted || sequence < failure->sequence)
		failure_lead(failure, m, taken, units, sequence);
	vec_push(&failure->contents, moment_digest(m, taken));
}

void failures_clear(struct failures *f)
{
	for (size_t i = 0; i < f->all.count; i++) {
		free(f->all.at[i].persisted);
		vec_free(&f->all.at[i].contents);
	}
	vec_free(&f->all);
}

/* Jobs */

/* Fewest lost first: what loses more fails mostly for the same reason. */
static int failure_order(const void *left, const void *right)
{
	const struct failure *a = left, *b = right;

	if (a->units != b->units)
		return a->units < b->units ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

struct judge {
	struct campaign *campaign;
	struct explored *explored;
	struct trials *trials;
	struct jobs *jobs;
	struct map loses; /* (lost, ending) -> 1 + index of the job */
	struct map seen;  /* contents that fail on this platform: 1 */
	uint64_t created; /* before this event the initial ending is accepted */
};

static unsigned detector_of(const struct judge *j)
{
	return j->campaign->options.explore ? JOB_EXPLORE : JOB_INJECT;
}

/* The trial that stands for one of the extreme states of a root; where inject tries pages, its own. */
static const struct trial *trial_find(const struct judge *j, uint64_t event, enum trial_which which)
{
	const struct trials *trials = j->trials;
	bool explored = j->campaign->options.explore;
	size_t low = 0, high = trials->all.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (trials->all.at[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < trials->all.count && trials->all.at[low].event == event; low++)
		if (trials->all.at[low].which == which && trials->all.at[low].explored == explored)
			return &trials->all.at[low];
	return NULL;
}

/* Is this failing content counted for the first time, on whatever platform? */
static bool content_fails_first(struct judge *j, struct digest digest)
{
	uint64_t *counted = map_put(&j->campaign->counted, digest.low, digest.high);
	bool first = *counted != COUNTED_FAILING;

	*counted = COUNTED_FAILING;
	return first;
}

static uint64_t contents_fresh(struct judge *j, const struct failure *failure)
{
	uint64_t fresh = 0;

	for (size_t i = 0; i < failure->contents.count; i++)
		fresh += content_fails_first(j, failure->contents.at[i]);
	return fresh;
}

/* The contents that no other group, or trial, of this platform has. */
static uint64_t contents_unseen(struct judge *j, const struct failure *failure)
{
	uint64_t unseen = 0;

	for (size_t i = 0; i < failure->contents.count; i++) {
		uint64_t *seen = map_put(&j->seen, failure->contents.at[i].low, failure->contents.at[i].high);

		unseen += !*seen;
		*seen = 1;
	}
	return unseen;
}

static bool is_accepted(const struct judge *j, const struct root *root, const struct failure *failure)
{
	return root->event < j->created && failure->ending.kind == OUTCOME_EXIT &&
	       ending_same(failure->ending, j->campaign->initial);
}

/* All that is stored fails in the same way: that is explained already. */
static bool prefix_fails(const struct judge *j, const struct root *root, const struct failure *failure)
{
	const struct trial *all = trial_find(j, root->event, TRIAL_ALL);

	return all && !all->accepted && ending_same(known_get(j->campaign->known, all->digest), failure->ending);
}

/* By the job of the latest prefix up to the root that fails so; rule 2 of trials.h. */
static void prefix_count(struct judge *j, const struct root *root, const struct failure *failure, uint64_t states)
{
	struct job *latest = NULL;

	for (size_t i = 0; i < j->jobs->all.count; i++) {
		struct job *job = &j->jobs->all.at[i];

		if (job->trial->which == TRIAL_ALL && job->trial->event <= root->event &&
		    ending_same(job->ending, failure->ending) && (!latest || latest->trial->event < job->trial->event))
			latest = job;
	}
	if (!latest)
		return;
	latest->states += states;
	latest->detectors |= detector_of(j);
}

static void failure_judge(struct judge *j, const struct root *root, const struct failure *failure)
{
	const struct trial *none = trial_find(j, root->event, TRIAL_NONE);
	uint64_t fresh = contents_fresh(j, failure), states = contents_unseen(j, failure), *job;

	if (is_accepted(j, root, failure)) {
		j->explored->accepted += fresh;
		return;
	}
	j->explored->failed += fresh;
	if (prefix_fails(j, root, failure)) {
		prefix_count(j, root, failure, states);
		return;
	}
	if (!none)
		return;
	job = map_put(&j->loses, failure->lost, ending_code(failure->ending));
	if (!*job) {
		vec_push(&j->jobs->all, ((struct job){.trial = none,
						      .ending = failure->ending,
						      .start = root->event,
						      .detectors = detector_of(j),
						      .persisted = failure->persisted}));
		*job = j->jobs->all.count;
	}
	j->jobs->all.at[*job - 1].states += states;
}

static void root_judge(struct judge *j, struct root *root)
{
	struct failures *f = &root->failures;

	if (f->all.count)
		qsort(f->all.at, f->all.count, sizeof(*f->all.at), failure_order);
	for (size_t i = 0; i < f->all.count; i++) {
		if (i < GROUPS_TOLD)
			failure_judge(j, root, &f->all.at[i]);
		else
			j->explored->failed += contents_fresh(j, &f->all.at[i]);
	}
}

/* The extreme states of a root have trials of their own. */
static void trials_see(struct judge *j)
{
	for (size_t i = 0; i < j->trials->all.count; i++) {
		const struct trial *trial = &j->trials->all.at[i];
		struct ending ending = known_get(j->campaign->known, trial->digest);

		if (!ending.known || ending_passed(ending))
			continue;
		*map_put(&j->seen, trial->digest.low, trial->digest.high) = 1;
		if (!trial->explored || !content_fails_first(j, trial->digest))
			continue;
		j->explored->failed += !trial->accepted;
		j->explored->accepted += trial->accepted;
	}
}

/* What inject has tested counts there, and what was tested on another platform counts once. */
static void tested_count(struct judge *j)
{
	const struct contents *tested = &j->explored->tested;

	for (size_t i = 0; i < tested->room; i++) {
		uint64_t *counted;

		if (!(tested->at[i].low | tested->at[i].high))
			continue;
		counted = map_put(&j->campaign->counted, tested->at[i].low, tested->at[i].high);
		j->explored->tested_new += !*counted;
		*counted = *counted ? *counted : COUNTED;
	}
}

void explore_jobs(struct campaign *c, size_t platform, struct jobs *jobs)
{
	struct explored *explored = &c->explored[platform];
	struct judge j = {.campaign = c, .explored = explored, .trials = &c->trials[platform], .jobs = jobs};

	j.created = trials_created(j.trials, c->known);
	tested_count(&j);
	trials_see(&j);
	for (size_t i = 0; i < explored->roots.count; i++)
		root_judge(&j, &explored->roots.at[i]);
	map_free(&j.loses);
	map_free(&j.seen);
}
