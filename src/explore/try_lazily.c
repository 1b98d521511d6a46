/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try_lazily.c - roots whose lines recovery itself decides (run/lazy.h).  Recovery explores the whole tree, a random
 * sample of its paths, two glances, or states for a second crash.
 *
 * A glance is one run of recovery on an extreme state: with all pending stores on media, or with none.  It shows which
 * lines are read there.  A state that agrees with the extreme state in all of these lines is the same to recovery, so
 * it need not be run.  If there is time for only a few states, this leaves the ones that can matter. */
#include <stdlib.h>
#include <string.h>

#include "explore/flight.h"

#include "base/random.h"

enum {
	LEAVES_SAMPLED = 1 << 10,     /* leaves in a random sample, at most */
	LEAVES_NESTED = 1 << 6,       /* leaves of a root, in sequence and random, to look at for a second crash */
	LEAVES_NESTED_HASTY = 1 << 4, /* the same with a budget */
	LEAVES_SOME = 1 << 8,         /* leaves of a root in PASS_SOME, so that large roots do not use up the time */
};

bool try_lazily_decides(const struct explore *e, const struct moment *moment)
{
	return e->campaign->options.prune_reads && moment->choices->unit_count &&
	       tester_facts(e->campaign->tester).lazy;
}

bool try_lazily_can(const struct explore *e, const struct root *root, const struct moment *moment)
{
	return root->state != ROOT_REFUSED && try_lazily_decides(e, moment);
}

static uint64_t leaves_max(const struct explore *e)
{
	uint64_t most = e->campaign->options.per_segment;
	uint64_t limit = e->pass == PASS_SAMPLE ? LEAVES_SAMPLED : e->pass == PASS_SOME ? LEAVES_SOME : most;

	return most < limit ? most : limit;
}

/* Leaves */

/* All states of a leaf are the same to recovery.  If an extreme state is among them, the leaf has its name. */
static void leaf_learn(struct flight *f, const struct lazy_leaf *from)
{
	struct campaign *c = f->explore->campaign;
	const struct flight_leaf leaf = {.name = from->is_all    ? f->moment->all
						 : from->is_none ? f->moment->certain
								 : moment_digest(f->moment, from->taken),
					 .is_all = from->is_all,
					 .is_none = from->is_none,
					 .taken = from->taken,
					 .decided = f->decided};
	struct outcome outcome = *from->outcome;
	struct verdict verdict;

	/* Leaves are not compared with runs from the start. */
	outcome.unconfirmed = outcome.from != 0;
	if (outcome.unconfirmed)
		explore_doubt(f->explore, f->root);
	verdict = outcomes_learn(c->outcomes, leaf.name, &f->moment->crash, &outcome);
	memset(f->decided, 0, from->choices->line_count);
	for (size_t i = 0; i < from->count; i++)
		f->decided[from->lines[i]] = 1;
	if (leaf.is_all)
		outcomes_set(c->outcomes, f->moment->all, verdict);
	if (leaf.is_none)
		outcomes_set(c->outcomes, f->moment->certain, verdict);
	leaf_note(f, &leaf, verdict);
	leaf_log(f, leaf, verdict_failed(verdict) || f->aim >= FLIGHT_NEST);
	tester_count(c->tester, verdict);
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
	if (!flight_goes_on(f, false))
		return false;
	f->leaves++;
	if (leaf->refused) {
		leaf_refuse(f, leaf->refused);
		leaf_log(f, (struct flight_leaf){.refused = leaf->refused}, false);
		return f->refusals < REFUSALS_MAX;
	}
	leaf_learn(f, leaf);
	f->cut = tester_time_is_over(c->tester) || stop_asked(&c->options.stop);
	return f->timeouts < TIMEOUTS_MAX && !f->cut;
}

static void flight_free(struct flight *f)
{
	moment_free(f->moment);
	free(f->decided);
	flight_log_free(&f->log);
	free(f);
}

static void flight_land(struct explore *e, const struct flight *f)
{
	for (size_t i = 0; i < e->flights.count; i++)
		if (e->flights.at[i] == f)
			e->flights.at[i--] = e->flights.at[--e->flights.count];
}

/* What the end of a flight says about its root. */
static void root_judge(struct flight *f, const struct flight_end *end, const char *why)
{
	struct root *root = flight_root(f);
	struct explored *explored = f->explore->explored;

	explored->traps += end->traps;
	if (f->split && f->explore->campaign->options.shard.total) {
		root->state = flight_split_state(f, end);
		return;
	}
	if (f->aim == FLIGHT_TREE) {
		root->left_out = end->left_out;
		root->state = end->left_out > 0 ? ROOT_PART : ROOT_DONE;
	}
	if (f->aim != FLIGHT_NEST && (f->refusals || end->broken)) {
		root->state = ROOT_REFUSED;
		if (!explored->reason)
			explored->reason = campaign_text(f->explore->campaign, why);
	}
}

static void root_ended(void *arg, void *ticket, const struct lazy_end *from)
{
	struct flight *f = ticket;
	const struct flight_end end = {.traps = from->traps, .left_out = from->left_out, .broken = from->broken};

	(void)arg;
	f->cut |= f->split && (from->deep || from->left_out > 0);
	root_judge(f, &end, from->broken ? from->broken : "");
	flight_log_end(f, &end);
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
	struct flight_end end;
	int r;

	*f = *flight;
	f->leaves = before;
	f->split = flight_split(f, &options);
	r = flight_recall(f, &options, &end, err);
	if (r == 1)
		root_judge(f, &end, "");
	if (r || flight_is_missing(f)) {
		flight_free(f);
		return r < 0 ? r : 0;
	}
	options.split = f->split;
	options.branch = flight_branch;
	options.begins = flight_begins;
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

bool try_lazily_shares(struct explore *e, struct moment *moment)
{
	const struct flight f = {.explore = e, .moment = moment, .aim = FLIGHT_TREE};

	return flight_split(&f, &(struct lazy_options){.sequence = LAZY_CONTRAST, .leaves_max = leaves_max(e)});
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
	flight_log_end(f, &(struct flight_end){.traps = end->traps, .broken = end->broken});
}

/* 0 also if it is not known, and is not to be found out. */
static int glance_start(struct flight *f, struct lazy_options *options, struct err *err)
{
	struct flight_end end;
	int r = flight_recall(f, options, &end, err);

	if (r == 1)
		f->explore->explored->traps += end.traps;
	if (r || flight_is_missing(f))
		return r < 0 ? r : 0;
	return flight_start(f, options, err);
}

int try_lazily_glance(struct explore *e, size_t root, struct moment *moment, struct glance *glance, struct err *err)
{
	struct lazy_options options = {.leaves_max = 1, .leaf = glance_arrived, .ended = glance_ended};
	struct flight flights[GLANCES];
	unsigned count = 0;
	int r = 0, drained;

	while (r == 0 && count < GLANCES) {
		options.sequence = count ? LAZY_MOST : LAZY_LEAST;
		flights[count] = (struct flight){.explore = e, .root = root, .moment = moment, .aim = FLIGHT_GLANCE};
		r = glance_start(&flights[count++], &options, err);
	}
	drained = r == -1 ? r : tester_drain(e->campaign->tester, err);
	for (unsigned i = 0; i < count; i++) {
		/* If recovery was cut short, it is not known what else it would have read. */
		if (flights[i].leaves == 1 && !flights[i].timeouts)
			glance->read[i] = flights[i].decided;
		else
			free(flights[i].decided);
		flight_log_free(&flights[i].log);
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
