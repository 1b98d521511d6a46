/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explore.c - see explore.h. */
#include "explore/explore.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "detect/segments.h"
#include "explore/explore_in.h"
#include "model/moments.h"
#include "trace/op.h"

enum {
	ROOTS_PER_SUSPECT = 4,
	EXPLAIN_LEAST = 16, /* roots between two searches for causes, at least */
	EXPLAIN_PART = 4,   /* or one in this many of the roots so far */
};

/* Keys of explored.ends. */
enum { END_CHOSEN, END_CODE };

static bool has_budget(const struct campaign *c)
{
	return c->options.budget > 0;
}

/* Roots */

/* Add the trials of the two extreme states, which are judged separately. */
static void trials_add(struct explore *e, const struct moment *moment, const struct event *ev)
{
	bool pending = moment->choices->unit_count > 0;
	struct trial trial = {
		.digest = moment->all,
		.event = reading_number(e->reading),
		.context = ev ? ev->context : 0,
		.op = (uint8_t)(ev ? op_of(ev) : OP_COUNT),
		.which = TRIAL_ALL,
		.guaranteed = !pending,
		.from = select_start(e->campaign->select),
	};
	uint8_t *nothing;
	uint32_t units;

	vec_push(&e->trials->all, trial);
	if (!pending)
		return;
	nothing = mem_alloc(moment->choices->unit_count);
	trial.which = TRIAL_NONE;
	trial.digest = moment->certain;
	trial.guaranteed = true;
	trial.lost = moment_lost(moment, nothing, NULL, &units);
	vec_push(&e->trials->all, trial);
	free(nothing);
}

/* Rules 2 and 3 of shard.h. */
static int root_leave(struct explore *e, struct root *root, struct moment *moment, struct err *err)
{
	int r = tester_prepare(e->campaign->tester, &moment->crash, err);

	root->state = ROOT_ELSEWHERE;
	moment_free(moment);
	return r;
}

int root_test(struct explore *e, size_t index, struct moment *moment, struct err *err)
{
	struct root *root = &e->explored->roots.at[index];
	bool pending = moment->choices->unit_count;
	enum try_extent extent = TRY_ALL;

	root->passes |= (uint16_t)(1u << e->pass);
	if (e->pages)
		return try_each(e, index, moment, TRY_PAGES, err);
	if (try_lazily_decides(e, moment) && !shard_takes(&e->campaign->options.shard, moment->name) &&
	    !(e->pass == PASS_ALL && try_lazily_shares(e, moment)))
		return root_leave(e, root, moment, err);
	if (e->pass == PASS_NEST)
		return try_lazily_nest(e, index, moment, err);
	if (pending && e->pass <= PASS_ALL && has_budget(e->campaign))
		extent = TRY_GLANCE;
	else if (e->pass == PASS_CONTRAST)
		extent = TRY_CONTRAST;
	else if (try_lazily_can(e, root, moment))
		return try_lazily(e, index, moment, err);
	else if (pending && e->campaign->options.prune_reads)
		e->explored->one_by_one += !e->again;
	return try_each(e, index, moment, extent, err);
}

/* Is a store pending that another detector reported?  A store that is never flushed stays pending to the end, so only
 * the first few roots after each such store count. */
static bool root_is_suspect(struct explored *explored, const struct moment *moment)
{
	bool is_suspect = false;

	for (uint32_t i = 0; i < moment->choices->unit_count; i++) {
		const uint64_t *index = map_get(&explored->suspect_index, choices_units(moment->choices)[i].event, 0);
		struct suspect *suspect = index ? &explored->suspects.at[*index - 1] : NULL;

		if (!suspect || (suspect->roots == ROOTS_PER_SUSPECT && suspect->last != moment->choices->event))
			continue;
		suspect->roots += suspect->last != moment->choices->event;
		suspect->last = moment->choices->event;
		is_suspect = true;
	}
	return is_suspect;
}

static void suspects_take(struct explored *explored, const uint64_t *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t *index = map_put(&explored->suspect_index, events[i], 0);

		if (*index)
			continue;
		vec_push(&explored->suspects, ((struct suspect){0}));
		*index = explored->suspects.count;
	}
}

bool root_is_due(const struct explore *e, const struct root *root, const struct moment *moment)
{
	switch (e->pass) {
	case PASS_SUSPECTS: return e->again || root_is_suspect(e->explored, moment);
	case PASS_ALL: return root->state == ROOT_WAITS;
	case PASS_NEST: return moment->choices->unit_count > 1 && try_lazily_can(e, root, moment);
	case PASS_SOME: return root->state == ROOT_PART && !root->reads_many;
	case PASS_REFUSED: return root->state == ROOT_REFUSED;
	default: return root->state == ROOT_PART;
	}
}

/* Explore a moment that is chosen: the end of `segments` segments, which is 1 or 0.  It is a new root unless the same
 * root was seen before. */
static int moment_explore(struct explore *e, const struct event *ev, uint64_t segments, struct err *err)
{
	struct moment *moment = explore_moment(e);
	uint64_t *known = map_put(&e->explored->names, moment->name.low, moment->name.high);
	struct root fresh = {.event = reading_number(e->reading)};
	size_t index;
	bool is_root;

	if (!*known) {
		vec_push(&e->explored->roots, fresh);
		*known = e->explored->roots.count;
	}
	index = *known - 1;
	if (!e->explored->read) {
		e->explored->seen += segments;
		e->explored->roots.at[index].segments += segments;
		trials_add(e, moment, ev);
	}
	is_root = e->explored->roots.at[index].event == fresh.event;
	if (is_root && root_is_due(e, &e->explored->roots.at[index], moment)) {
		e->campaign->progress.phase.segments += segments;
		e->tested++;
		return root_test(e, index, moment, err);
	}
	/* Nothing to do for this segment. */
	if (e->pass == PASS_ALL || (e->pass == PASS_NEST && is_root))
		e->campaign->progress.phase.segments += segments;
	moment_free(moment);
	return 0;
}

/* Contexts */

/* With --prune segments, contexts that end with stores of the same code pending are explored a few times only. */
static bool context_is_chosen(struct explore *e)
{
	const struct campaign_options *o = &e->campaign->options;
	uint64_t hash = 0, event = reading_number(e->reading);
	size_t count;
	const struct unit *const *units = model_pending(image_model(reading_image(e->reading)), &count);

	if (!o->prune_segments)
		return true;
	if (e->explored->read)
		return map_get(&e->explored->ends, event, END_CHOSEN);
	for (size_t i = 0; i < count; i++)
		if (!i || units[i]->context != units[i - 1]->context)
			hash = XXH3_64bits_withSeed(&units[i]->context, sizeof(units[i]->context), hash);
	if ((*map_put(&e->explored->ends, hash, END_CODE))++ >= o->representatives)
		return false;
	*map_put(&e->explored->ends, event, END_CHOSEN) = 1;
	return true;
}

/* The reading */

/* Find the causes of the failures so far, so that they are known if the user interrupts.  When this happens depends
 * only on the number of roots, not on the clock, so that findings are reproducible. */
static int explain_meanwhile(struct explore *e, struct err *err)
{
	struct campaign *c = e->campaign;
	int r = c->options.shard.total ? 0 : tester_drain(c->tester, err);

	e->explain_at =
		e->tested + (e->tested / EXPLAIN_PART > EXPLAIN_LEAST ? e->tested / EXPLAIN_PART : EXPLAIN_LEAST);
	if (r < 0 || !tester_failed(c->tester) || c->options.shard.total)
		return r;
	campaign_tester_close(c);
	if (c->judge_meanwhile(c, e->platform, err) < 0)
		return -1;
	return campaign_tester(c, e->reading, err);
}

static int explore_event(struct pass *pass, const struct event *ev, struct err *err)
{
	struct explore *e = pass->state;
	struct model *model = image_model(reading_image(e->reading));
	int r = 0;

	if (ev)
		select_event(e->campaign->select, reading_trace(e->reading), ev, reading_number(e->reading));
	if (moments_before(&e->moments, model, ev)) {
		if (!select_returned(e->campaign->select))
			segments_skip(e->segments);
		else if (segments_cut(e->segments).chosen)
			r = moment_explore(e, ev, 1, err);
	} else if (campaign_context_ends(e->campaign, e->platform, e->reading, ev) &&
		   select_returned(e->campaign->select) && context_is_chosen(e)) {
		r = moment_explore(e, ev, 0, err);
	}
	if (ev)
		segments_event(e->segments, ev);
	return r == 0 && e->tested >= e->explain_at ? explain_meanwhile(e, err) : r;
}

/* The number of roots that wait for this pass; not for the first passes. */
static uint64_t pass_roots(const struct explored *explored, enum explore_pass pass)
{
	enum root_state wanted = pass == PASS_REFUSED ? ROOT_REFUSED : ROOT_PART;
	uint64_t count = 0;

	for (size_t i = 0; i < explored->roots.count; i++)
		count += explored->roots.at[i].state == wanted;
	return count;
}

/* Is there anything to do in this pass? */
static bool pass_is_due(const struct campaign *c, const struct explored *explored, size_t platform,
			enum explore_pass pass)
{
	if (pass == PASS_SUSPECTS)
		return has_budget(c) && c->options.suspect_count + c->suspects.count;
	if (pass == PASS_ALL)
		return true;
	if (pass == PASS_NEST)
		return c->options.nested && platform == 0;
	if (!has_budget(c) && (pass == PASS_SOME || pass == PASS_REST))
		return false;
	return pass_roots(explored, pass) > 0;
}

/* Set the phase and its number of segments for the progress line. */
static void pass_begin(const struct chooser *chooser, size_t platform, enum explore_pass pass)
{
	static const char *const phases[EXPLORE_PASSES] = {
		[PASS_SUSPECTS] = "exploring suspicious segments",
		[PASS_ALL] = "exploring",
		[PASS_NEST] = "looking for states to crash recovery on",
		[PASS_SOME] = "exploring small segments completely",
		[PASS_CONTRAST] = "exploring large segments",
		[PASS_REST] = "exploring large segments completely",
		[PASS_REFUSED] = "exploring state by state",
		[PASS_SAMPLE] = "sampling large segments",
	};

	struct campaign *c = chooser->campaign;
	const struct explored *all = chooser->state, *explored = &all[platform];

	campaign_phase(c, phases[pass], 0);
	if (pass == PASS_ALL) {
		c->progress.phase.segments_known = c->options.segments; /* on all platforms */
		for (const struct explored *before = all; before < explored; before++)
			c->progress.phase.segments += before->seen;
	}
	if (pass == PASS_NEST)
		c->progress.phase.segments_known = explored->roots.count;
	else if (pass > PASS_NEST)
		c->progress.phase.segments_known = pass_roots(explored, pass);
}

static unsigned explore_passes(const struct campaign_options *options)
{
	(void)options;
	return EXPLORE_PASSES;
}

static bool explore_due(struct chooser *chooser, size_t platform, unsigned number)
{
	struct explored *explored = &((struct explored *)chooser->state)[platform];
	const struct campaign *c = chooser->campaign;
	enum explore_pass pass = (enum explore_pass)number;

	explored->pass = pass;
	if (!pass_is_due(c, explored, platform, pass))
		return false;
	if (pass == PASS_SUSPECTS) {
		suspects_take(explored, c->options.suspects, c->options.suspect_count);
		suspects_take(explored, c->suspects.at, c->suspects.count);
	}
	pass_begin(chooser, platform, pass);
	return true;
}

static void explore_open(struct pass *pass)
{
	struct campaign *c = pass->chooser->campaign;
	struct explored *explored = pass->chooser->state;
	bool code = trace_layers(reading_trace(pass->reading)) & BO_LAYER_CODE;
	struct explore *e = mem_alloc(sizeof(*e));

	*e = (struct explore){
		.campaign = c,
		.explored = &explored[pass->platform],
		.trials = &pass->chooser->trials[pass->platform],
		.reading = pass->reading,
		.segments = segments_new(code, c->options.prune_segments ? c->options.representatives : 0),
		.pass = (enum explore_pass)pass->number,
		.platform = pass->platform,
		.nests = c->options.nested && pass->platform == 0,
		.explain_at = EXPLAIN_LEAST,
		.files = mem_alloc((origin_path_count(c->survey->origin) + 1) * sizeof(*e->files)),
	};
	select_round(c->select, 0);
	pass->state = e;
}

static int explore_check(const struct pass *pass, struct err *err)
{
	return select_check_after(pass->chooser->campaign->select, err);
}

static void explore_close(struct pass *pass)
{
	struct explore *e = pass->state;

	if (pass->stopped && !e->explored->read)
		e->explored->stopped = reading_number(e->reading);
	e->explored->read = true;
	try_lazily_close(e);
	segments_free(e->segments);
	free(e->files);
	free(e);
}

static void root_count(struct explore_figures *f, const struct root *root)
{
	f->left_in += root->left_out > 0;
	f->left_out += root->left_out;
	f->pages_sampled += root->pages_sampled;
	f->doubted += root->doubted != 0;
	switch (root->state) {
	case ROOT_WAITS: f->waiting += root->segments; break;
	case ROOT_ELSEWHERE: break;
	case ROOT_DONE: f->complete += root->segments; break;
	default: f->partial += root->segments; break;
	}
}

struct explore_figures explored_figures(const struct explored *explored, size_t platforms)
{
	struct explore_figures f = {0};
	struct contents all = {0};

	for (size_t p = 0; explored && p < platforms; p++) {
		const struct explored *e = &explored[p];

		f.roots += e->seen;
		f.different += e->roots.count;
		for (size_t i = 0; i < e->tested.room; i++)
			if (e->tested.at[i].low | e->tested.at[i].high)
				contents_add(&all, e->tested.at[i]);
		f.traps += e->traps;
		f.one_by_one += e->one_by_one;
		f.reason = f.reason ? f.reason : e->reason;
		f.stopped = f.stopped && (!e->stopped || f.stopped < e->stopped) ? f.stopped : e->stopped;
		f.observed |= e->observed;
		for (size_t i = 0; i < e->roots.count; i++)
			root_count(&f, &e->roots.at[i]);
	}
	f.all = all.count;
	contents_free(&all);
	return f;
}

struct explored *explored_new(size_t platforms)
{
	return mem_alloc(platforms * sizeof(struct explored));
}

void explored_free(struct explored *explored, size_t platforms)
{
	for (size_t p = 0; explored && p < platforms; p++) {
		struct explored *e = &explored[p];

		for (size_t i = 0; i < e->roots.count; i++) {
			failures_clear(&e->roots.at[i].failures);
			candidates_free(&e->roots.at[i].candidates);
		}
		vec_free(&e->roots);
		map_free(&e->names);
		map_free(&e->ends);
		vec_free(&e->suspects);
		map_free(&e->suspect_index);
		contents_free(&e->tested);
		observed_free(e->lines);
	}
	free(explored);
}

/* The strategy.  The state of its chooser is an array of struct explored, by platform. */

static void explore_begin(struct chooser *chooser)
{
	chooser->state = explored_new(chooser->campaign->options.platform_count);
}

static void explore_free(struct chooser *chooser)
{
	explored_free(chooser->state, chooser->campaign->options.platform_count);
}

static int explore_recheck(struct chooser *chooser, size_t platform, struct err *err)
{
	return roots_recheck(chooser, platform, &((struct explored *)chooser->state)[platform], false, err);
}

static const struct candidates *explore_candidates(const struct chooser *chooser, size_t index, uint64_t *event)
{
	const struct explored *first = chooser->state;

	if (index >= first->roots.count)
		return NULL;
	*event = first->roots.at[index].event;
	return &first->roots.at[index].candidates;
}

static struct explore_figures chooser_figures(const struct chooser *chooser)
{
	return explored_figures(chooser->state, chooser->campaign->options.platform_count);
}

static void explore_figures(const struct chooser *chooser, struct findings *f)
{
	struct explore_figures e = chooser_figures(chooser);

	f->stats.crash_states.explored = figure_known(e.all);
	f->stats.segments.explored = figure_known(e.complete);
	f->stats.segments.partial = figure_known(e.partial);
	f->stats.segments.untested = figure_known(e.waiting);
	if (e.partial || e.waiting)
		f->stats.complete = figure_known(0);
}

static bool explore_partly(const struct chooser *chooser)
{
	struct explore_figures e = chooser_figures(chooser);

	return e.left_in || e.waiting;
}

/* Notes on limits that were met. */
static void explore_limits(const struct chooser *chooser, struct findings *f)
{
	const struct campaign *c = chooser->campaign;
	struct explore_figures e = chooser_figures(chooser);

	if (e.one_by_one)
		findings_note(f,
			      "in %" PRIu64
			      " segment%s crash states were tried one by one, because recovery's reads could "
			      "not decide them (%s)%s",
			      e.one_by_one, e.one_by_one == 1 ? "" : "s",
			      e.reason    ? e.reason
			      : c->reason ? c->reason
					  : "no fork server",
			      e.observed ? "; only lines that an observed recovery read were varied" : "");
	if (e.left_in)
		findings_note(f,
			      "%s%.3g sets of stores were left out in %" PRIu64
			      " segment%s; the most suspicious sets and a "
			      "random sample were tested",
			      isinf(e.left_out) ? "more than " : "", isinf(e.left_out) ? 1e308 : e.left_out, e.left_in,
			      e.left_in == 1 ? "" : "s");
	roots_recheck_note(chooser, &e, f);
	if (e.stopped)
		findings_note(f, "crashes after event %" PRIu64 " of %" PRIu64 " were not explored", e.stopped,
			      c->survey->events);
}

const struct strategy strategy_explore = {
	.name = "explore",
	.layers = BO_LAYER_CODE,
	.all_sets = true,
	.observes = true,
	.passes = explore_passes,
	.begin = explore_begin,
	.free = explore_free,
	.due = explore_due,
	.open = explore_open,
	.close = explore_close,
	.moment = explore_event,
	.check = explore_check,

	.recheck = explore_recheck,
	.jobs = explore_jobs,
	.candidates = explore_candidates,
	.figures = explore_figures,
	.limits = explore_limits,
	.partly = explore_partly,
};
