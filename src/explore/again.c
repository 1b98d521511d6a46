/* SPDX-License-Identifier: GPL-2.0-or-later */
/* again.c - test roots again whose states were run from a checkpoint of recovery only, after such a run has proved wrong.
 *
 * A root does not remember its states, so one with a doubtful state is tested from nothing, in all passes that it had.
 * States whose verdicts still count are known, and do not run.  Trees (try_lazily.c) are repeated whole. */
#include <inttypes.h>
#include <stdlib.h>

#include "explore/explore_in.h"

/* A root to test again. */
struct doubtful {
	uint64_t event;
	size_t root;
};

struct doubtful_roots {
	VEC_OF(struct doubtful) all;
};

static int doubtful_compare(const void *left, const void *right)
{
	const struct doubtful *a = left, *b = right;

	return a->event < b->event ? -1 : a->event > b->event;
}

/* In trace order.  Inject has its roots in the order of its rounds. */
static struct doubtful_roots doubtful_find(const struct explored *explored)
{
	struct doubtful_roots found = {0};

	for (size_t i = 0; i < explored->roots.count; i++)
		if (explored->roots.at[i].doubted)
			vec_push(&found.all, ((struct doubtful){.event = explored->roots.at[i].event, .root = i}));
	if (found.all.count)
		qsort(found.all.at, found.all.count, sizeof(*found.all.at), doubtful_compare);
	return found;
}

/* Roots that are tested again find theirs again. */
static struct contents failing_find(const struct explored *explored)
{
	struct contents found = {0};

	for (size_t i = 0; i < explored->roots.count; i++) {
		const struct failures *f = &explored->roots.at[i].failures;

		for (size_t k = 0; !explored->roots.at[i].doubted && k < f->all.count; k++)
			for (size_t n = 0; n < f->all.at[k].contents.count; n++)
				contents_add(&found, f->all.at[k].contents.at[n]);
	}
	return found;
}

/* Is there something to do in this pass?  Without checkpoints it might have been another one that has tested the root. */
static bool pass_is_due(const struct explore *e, const struct root *root, const struct moment *moment)
{
	bool was = root->passes >> e->pass & 1, is_over = e->pass > PASS_SUSPECTS && e->pass < e->explored->pass;

	return e->pages || (was && e->pass == PASS_NEST) ||
	       ((was || (is_over && e->pass != PASS_NEST)) && root_is_due(e, root, moment));
}

static int pass_repeat(struct explore *e, size_t index, struct err *err)
{
	struct tester *tester = e->campaign->tester;
	struct moment *moment = explore_moment(e);
	int r;

	if (!pass_is_due(e, &e->explored->roots.at[index], moment)) {
		moment_free(moment);
		return 0;
	}
	r = root_test(e, index, moment, err);
	if (r == 0)
		r = tester_drain(tester, err);
	return r == 0 && tester_is_stopped(tester) ? TESTER_STOPPED : r;
}

/* All passes, as if the root had not been tested: what fails in one of them, is not noted in another.  States whose verdicts
 * count do not run. */
static int root_repeat(struct explore *e, size_t index, struct err *err)
{
	struct root *root = &e->explored->roots.at[index];
	struct failures failures = root->failures;
	enum root_state state = root->state;
	double left_out = root->left_out;
	int r = 0;

	root->failures = (struct failures){0};
	root->state = ROOT_WAITS;
	root->left_out = 0;
	for (unsigned pass = 0; r == 0 && pass < (e->pages ? 1 : EXPLORE_PASSES); pass++) {
		e->pass = (enum explore_pass)pass;
		r = pass_repeat(e, index, err);
	}
	if (r == 0) {
		root->doubted = 0;
		failures_clear(&failures);
	} else {
		failures_join(&root->failures, &failures, e->campaign->outcomes);
		root->state = state;
		root->left_out = left_out;
	}
	e->campaign->progress.phase.segments++;
	return r;
}

static int roots_repeat(struct explore *e, const struct doubtful_roots *roots, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < roots->all.count; i++) {
		if (tester_is_stopped(e->campaign->tester))
			return TESTER_STOPPED;
		if (reading_to(e->reading, roots->all.at[i].event, err) < 0)
			return -1;
		r = root_repeat(e, roots->all.at[i].root, err);
	}
	return r;
}

static int reading_repeat(struct explore *e, const struct doubtful_roots *roots, struct err *err)
{
	struct campaign *c = e->campaign;
	int r;

	if (reading_open(&e->reading, c->options.dir, c->options.platforms[e->platform], c->survey->origin, err) < 0)
		return -1;
	campaign_phase(c, "exploring without checkpoints", 0);
	c->progress.phase.segments_known = roots->all.count;
	r = campaign_tester(c, e->reading, err);
	if (r == 0)
		r = roots_repeat(e, roots, err);
	r = campaign_tester_end(c, r, err);
	try_lazily_close(e);
	reading_close(e->reading);
	return r;
}

int roots_recheck(struct chooser *chooser, size_t platform, struct explored *explored, bool pages, struct err *err)
{
	struct campaign *c = chooser->campaign;
	struct explore e = {
		.campaign = c,
		.explored = explored,
		.platform = platform,
		.pages = pages,
		.again = true,
	};
	struct doubtful_roots roots;
	int r = 0;

	if (!outcomes_are_distrusted(c->outcomes))
		return 0;
	roots = doubtful_find(explored);
	e.failing = failing_find(explored);
	e.files = mem_alloc((origin_path_count(c->survey->origin) + 1) * sizeof(*e.files));
	if (roots.all.count)
		r = reading_repeat(&e, &roots, err);
	free(e.files);
	contents_free(&e.failing);
	vec_free(&roots.all);
	return r;
}

void roots_recheck_note(const struct chooser *chooser, const struct explore_figures *figures, struct findings *f)
{
	if (figures->doubted && outcomes_are_distrusted(chooser->campaign->outcomes))
		findings_note(f,
			      "in %" PRIu64
			      " segment%s some states passed only from a checkpoint, and no time was left to "
			      "run them from the start",
			      figures->doubted, figures->doubted == 1 ? "" : "s");
}
