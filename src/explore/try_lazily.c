/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try_lazily.c - roots whose lines recovery itself decides (run/lazy.h).  Recovery explores the whole tree, a random
 * sample of its paths, two glances, or states for a second crash.
 *
 * A glance is one run of recovery on an extreme state: with all pending stores on media, or with none.  It shows which
 * lines are read there.  A state that agrees with the extreme state in all of these lines is the same to recovery, so
 * it need not be run.  If there is time for only a few states, this leaves the ones that can matter. */
#include <stdlib.h>
#include <string.h>

#include "explore/explore_in.h"

#include "base/random.h"

enum {
	LEAVES_SAMPLED = 1 << 10,     /* leaves in a random sample, at most */
	LEAVES_NESTED = 1 << 6,       /* leaves of a root, in sequence and random, to look at for a second crash */
	LEAVES_NESTED_HASTY = 1 << 4, /* the same with a budget */
	LEAVES_SOME = 1 << 8,         /* leaves of a root in PASS_SOME, so that large roots do not use up the time */
	TIMEOUTS_MAX = 3,             /* time-outs of a root: recovery that hangs usually hangs again */
	REFUSALS_MAX = 8,
};

bool try_lazily_can(const struct explore *e, const struct root *root, const struct moment *moment)
{
	return e->campaign->options.prune_reads && moment->choices->unit_count && root->state != ROOT_REFUSED &&
	       tester_facts(e->campaign->tester).lazy;
}

static uint64_t leaves_max(const struct explore *e)
{
	uint64_t most = e->campaign->options.per_segment;
	uint64_t limit = e->pass == PASS_SAMPLE ? LEAVES_SAMPLED : e->pass == PASS_SOME ? LEAVES_SOME : most;

	return most < limit ? most : limit;
}

/* An exploration that runs on a worker. */
struct flight {
	struct explore *explore;
	size_t root;
	struct moment *moment;
	uint8_t *decided; /* by line, for one leaf */
	uint64_t leaves, refusals, timeouts;
	enum flight_aim {
		FLIGHT_TREE,
		FLIGHT_SAMPLE, /* of a root already explored as a tree: `left_out` does not change */
		FLIGHT_NEST,   /* the same, and states are kept for a second crash */
	} aim;
};

/* Leaves */

static struct root *flight_root(const struct flight *f)
{
	return &f->explore->explored->roots.at[f->root];
}

/* All states of a leaf are the same to recovery.  If an extreme state is among them, the leaf has its name. */
static void leaf_learn(struct flight *f, const struct lazy_leaf *leaf)
{
	struct campaign *c = f->explore->campaign;
	struct digest name = leaf->is_all    ? f->moment->all
			     : leaf->is_none ? f->moment->certain
					     : moment_digest(f->moment, leaf->taken);
	struct verdict verdict = outcomes_learn(c->outcomes, name, &f->moment->crash, leaf->outcome);

	memset(f->decided, 0, leaf->choices->line_count);
	for (size_t i = 0; i < leaf->count; i++)
		f->decided[leaf->lines[i]] = 1;
	if (leaf->is_all)
		outcomes_set(c->outcomes, f->moment->all, verdict);
	if (leaf->is_none)
		outcomes_set(c->outcomes, f->moment->certain, verdict);
	contents_add(&f->explore->explored->tested, name);
	if (verdict_failed(verdict))
		failures_add(&flight_root(f)->failures, f->moment, leaf->taken, f->decided, name, verdict, f->leaves);
	else if (f->aim == FLIGHT_NEST && !leaf->is_all && !leaf->is_none)
		candidates_add(&flight_root(f)->candidates, f->moment, leaf->taken, f->decided, f->leaves);
	tester_count(c->tester, verdict);
	f->timeouts += verdict_hangs(verdict);
}

/* Map each path to its current file in the choices. */
static void files_find(struct explore *e)
{
	const struct origin *origin = e->campaign->survey->origin;
	const struct image *image = reading_image(e->reading);

	for (size_t i = 0; i < origin_path_count(origin); i++) {
		e->files[i] = CHOICES_NONE;
		for (uint32_t file = 1; file <= image_file_count(image); file++)
			if (image_exists(image, file) && !strcmp(image_path(image, file), origin_path(origin, i)))
				e->files[i] = file;
	}
}

static int flight_start(struct flight *f, struct lazy_options *options, struct err *err)
{
	struct explore *e = f->explore;
	struct state *certain = state_none(reading_image(e->reading));
	int r;

	files_find(e);
	options->choices = f->moment->choices;
	options->files = e->files;
	f->decided = mem_alloc(f->moment->choices->line_count + 1);
	r = tester_submit_lazy(e->campaign->tester, certain, &f->moment->crash, f, options, err);
	state_free(certain);
	return r;
}

/* Trees, and samples of them */

static bool leaf_arrived(void *arg, void *ticket, const struct lazy_leaf *leaf)
{
	struct flight *f = ticket;
	struct campaign *c = f->explore->campaign;

	(void)arg;
	f->leaves++;
	if (leaf->refused) {
		if (!f->explore->explored->reason)
			f->explore->explored->reason = campaign_text(c, leaf->refused);
		return ++f->refusals < REFUSALS_MAX;
	}
	leaf_learn(f, leaf);
	return f->timeouts < TIMEOUTS_MAX && !tester_time_is_over(c->tester) && !stop_asked(&c->options.stop);
}

static void flight_free(struct flight *f)
{
	moment_free(f->moment);
	free(f->decided);
	free(f);
}

static void flight_land(struct explore *e, const struct flight *f)
{
	for (size_t i = 0; i < e->flights.count; i++)
		if (e->flights.at[i] == f)
			e->flights.at[i--] = e->flights.at[--e->flights.count];
}

static void root_ended(void *arg, void *ticket, const struct lazy_end *end)
{
	struct flight *f = ticket;
	struct root *root = flight_root(f);
	struct explored *explored = f->explore->explored;

	(void)arg;
	explored->traps += end->traps;
	if (f->aim == FLIGHT_TREE) {
		root->left_out = end->left_out;
		root->state = end->left_out > 0 ? ROOT_PART : ROOT_DONE;
	}
	if (f->aim != FLIGHT_NEST && (f->refusals || end->broken)) {
		root->state = ROOT_REFUSED;
		if (!explored->reason)
			explored->reason = campaign_text(f->explore->campaign, end->broken ? end->broken : "");
	}
	flight_land(f->explore, f);
	flight_free(f);
}

/* Start an exploration.  Its leaves are numbered from `before` + 1 on. */
static int flight_send(const struct flight *flight, enum lazy_sequence sequence, uint64_t leaves_most, uint64_t before,
		       struct err *err)
{
	struct explore *e = flight->explore;
	struct flight *f = mem_alloc(sizeof(*f));
	struct lazy_options options = {
		.sequence = sequence,
		.seed = random_seed(e->campaign->options.seed, e->explored->roots.at[flight->root].event),
		.leaves_max = leaves_most,
		.stores = flight->aim == FLIGHT_NEST,
		.leaf = leaf_arrived,
		.ended = root_ended,
	};
	int r;

	*f = *flight;
	f->leaves = before;
	vec_push(&e->flights, f);
	r = flight_start(f, &options, err);
	if (r < 0) {
		flight_land(e, f);
		flight_free(f);
	}
	return r;
}

int try_lazily(struct explore *e, size_t root, struct moment *moment, struct err *err)
{
	bool sample = e->pass == PASS_SAMPLE;
	const struct flight f = {.explore = e,
				 .root = root,
				 .moment = moment,
				 .aim = sample ? FLIGHT_SAMPLE : FLIGHT_TREE};

	return flight_send(&f, sample ? LAZY_SAMPLE : LAZY_CONTRAST, leaves_max(e),
			   sample ? e->campaign->options.per_segment : 0, err);
}

/* Here recovery's stores decide lines, too: an old content that recovery overwrites is visible again if the power fails
 * before the new one is on media.  The first leaves of a large tree resemble each other, so random ones are added. */
int try_lazily_nest(struct explore *e, size_t root, struct moment *moment, struct err *err)
{
	uint64_t before = 2 * e->campaign->options.per_segment;
	struct flight f = {.explore = e, .root = root, .moment = moment, .aim = FLIGHT_NEST};
	uint64_t leaves = e->campaign->options.budget > 0 ? LEAVES_NESTED_HASTY : LEAVES_NESTED;
	bool is_large = choices_count(moment->choices, CHOICES_OPEN, NULL) > (double)leaves;
	int r = flight_send(&f, LAZY_CONTRAST, leaves, before, err);

	if (r < 0 || !is_large)
		return r;
	f.moment = explore_moment(e);
	return flight_send(&f, LAZY_SAMPLE, leaves, before + leaves, err);
}

void try_lazily_close(struct explore *e)
{
	for (size_t i = 0; i < e->flights.count; i++)
		flight_free(e->flights.at[i]);
	vec_free(&e->flights);
}

/* Glances */

static bool glance_arrived(void *arg, void *ticket, const struct lazy_leaf *leaf)
{
	struct flight *f = ticket;

	(void)arg;
	if (!leaf->refused) {
		leaf_learn(f, leaf);
		f->leaves++;
	}
	return false;
}

static void glance_ended(void *arg, void *ticket, const struct lazy_end *end)
{
	struct flight *f = ticket;

	(void)arg;
	f->explore->explored->traps += end->traps;
}

int try_lazily_glance(struct explore *e, size_t root, struct moment *moment, struct glance *glance, struct err *err)
{
	struct lazy_options options = {.leaves_max = 1, .leaf = glance_arrived, .ended = glance_ended};
	struct flight flights[GLANCES];
	unsigned count = 0;
	int r = 0, drained;

	while (r == 0 && count < GLANCES) {
		options.sequence = count ? LAZY_MOST : LAZY_LEAST;
		flights[count] = (struct flight){.explore = e, .root = root, .moment = moment};
		r = flight_start(&flights[count++], &options, err);
	}
	drained = r == -1 ? r : tester_drain(e->campaign->tester, err);
	for (unsigned i = 0; i < count; i++) {
		/* If recovery was cut short, it is not known what else it would have read. */
		if (flights[i].leaves == 1 && !flights[i].timeouts)
			glance->read[i] = flights[i].decided;
		else
			free(flights[i].decided);
	}
	return r < 0 ? r : drained;
}

void glance_free(struct glance *glance)
{
	for (unsigned i = 0; i < GLANCES; i++)
		free(glance->read[i]);
}

bool glance_reads(const struct glance *glance, uint32_t line)
{
	for (unsigned i = 0; i < GLANCES; i++)
		if (!glance->read[i] || glance->read[i][line])
			return true;
	return false;
}

/* Does this set agree with the extreme state `end` in all lines that recovery reads there? */
static bool is_like(const struct choices *c, const uint8_t *read, unsigned end, const uint8_t *taken)
{
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct choices_line *l = &choices_lines(c)[i];

		for (uint32_t k = 0; read[i] && k < l->count; k++)
			if (taken[l->first + k] != end)
				return false;
	}
	return true;
}

bool glance_covers(const struct glance *glance, const struct choices *c, const uint8_t *taken)
{
	for (unsigned i = 0; i < GLANCES; i++)
		if (glance->read[i] && is_like(c, glance->read[i], i, taken))
			return true;
	return false;
}
