/* SPDX-License-Identifier: GPL-2.0-or-later */
/* equivalence.c - see equivalence.h, whose rules are numbered. */
#include "equivalence/equivalence.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "crash/tester.h"
#include "equivalence/expectation.h"
#include "equivalence/orderly.h"
#include "equivalence/settings.h"
#include "equivalence/timeline.h"

/* The expectations of a place, once they are known. */
struct prepared {
	VEC_OF(const struct expectation *) legal; /* without those that are there already */
	bool uncertain;                           /* rule 5: there are histories without an expectation */
};

struct equivalence {
	struct equivalence_options options;
	struct oracle oracle;
	struct timeline *timeline;
	struct settings *settings;
	struct orderly *orderly;           /* from `begin` on */
	struct expectations *expectations; /* the same */
	struct output *banner;             /* what recovery prints at the end, without operations; NULL: not known */
	struct map index;                  /* number of a place -> 1 + index */
	VEC_OF(struct prepared) places;
	VEC_OF(bool) crashed, differing; /* by number of the operation */
	struct equivalence_figures figures;
};

/* ---- places ---- */

/* A crash during recovery is judged as the first one: recovery had no operation to perform until then. */
static struct place place_of(const struct equivalence *e, const struct crash_context *crash)
{
	while (crash->first)
		crash = crash->first;
	return timeline_place(e->timeline, crash->event);
}

static bool is_judged(const struct crash_context *crash)
{
	return crash->first || crash->event != CRASH_NONE;
}

static uint64_t equivalence_key(void *state, const struct crash_context *crash)
{
	struct equivalence *e = state;
	struct place place;

	if (!is_judged(crash))
		return 0;
	place = place_of(e, crash);
	if (place.inside)
		e->crashed.at[timeline_group(e->timeline, place.group)->first] = true;
	return 1 + place.number;
}

static uint64_t equivalence_command(void *state, const struct crash_context *crash)
{
	const struct equivalence *e = state;

	return settings_id(e->settings, place_of(e, crash).left);
}

static uint64_t equivalence_idle(void *state, const struct crash_context *crash)
{
	const struct equivalence *e = state;

	return settings_idle_id(e->settings, place_of(e, crash).left);
}

static const struct recovery_setting *equivalence_setting(void *state, uint64_t command)
{
	struct equivalence *e = state;

	return settings_get(e->settings, command);
}

static struct prepared *prepared_find(const struct equivalence *e, uint64_t number)
{
	const uint64_t *index = map_get(&e->index, number, 0);

	return index && *index ? &e->places.at[*index - 1] : NULL;
}

static bool equivalence_ready(void *state, const struct crash_context *crash)
{
	const struct equivalence *e = state;

	return !is_judged(crash) || prepared_find(e, place_of(e, crash).number);
}

/* ---- preparing ---- */

/* What is legal in one place. */
struct legal {
	VEC_OF(struct expectation *) all;
	bool overlapping; /* some histories have no content */
};

static void legal_add(struct legal *legal, struct expectation *expectation)
{
	for (size_t i = 0; i < legal->all.count; i++)
		if (legal->all.at[i] == expectation)
			return;
	vec_push(&legal->all, expectation);
}

/* Rule 2. */
static int border_ask(struct equivalence *e, struct tester *tester, size_t border, uint64_t setting,
		      struct legal *legal, struct err *err)
{
	const struct border at = timeline_border(e->timeline, border);
	const uint64_t events[] = {at.from, at.to};
	struct expectation *expectation;
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = expectations_ask(e->expectations, tester, events[i], setting, &expectation, err);
		if (r == 0)
			legal_add(legal, expectation);
	}
	return r;
}

/* Rule 1.  Older contents come first, since the recording is read forward. */
static int place_ask(struct equivalence *e, struct tester *tester, const struct place *place, struct legal *legal,
		     struct err *err)
{
	uint64_t setting = settings_id(e->settings, place->left), lost = 0;
	size_t oldest = place->group;
	int r = 0;

	while (oldest && lost + timeline_group(e->timeline, oldest - 1)->count <= e->options.lag)
		lost += timeline_group(e->timeline, --oldest)->count;
	legal->overlapping = (place->inside && timeline_group(e->timeline, place->group)->count > 1) ||
			     (oldest && lost < e->options.lag);
	for (size_t border = oldest; border <= place->group + place->inside && r == 0; border++)
		r = border_ask(e, tester, border, setting, legal, err);
	return r;
}

/* Note what is known about a place now. */
static void place_note(struct equivalence *e, const struct place *place, const struct legal *legal)
{
	struct prepared prepared = {.uncertain = legal->overlapping};
	bool failing = false, differing = false;

	for (size_t i = 0; i < legal->all.count; i++) {
		const struct expectation *expectation = legal->all.at[i];

		failing |= expectation->failed;
		differing |= expectation->again != NULL;
		vec_push(&prepared.legal, expectation);
	}
	prepared.uncertain |= failing;
	e->figures.places++;
	e->figures.failing += failing;
	e->figures.overlapping += legal->overlapping;
	if (differing && place->group + place->inside)
		e->differing.at[timeline_group(e->timeline, place->group - !place->inside)->first] = true;
	vec_push(&e->places, prepared);
	*map_put(&e->index, place->number, 0) = e->places.count;
}

/* Rule 3.  Nothing else runs after the drain, so the files of other settings can go. */
static int equivalence_prepare(void *state, struct tester *tester, const struct crash_context *crash, struct err *err)
{
	struct equivalence *e = state;
	struct legal legal = {0};
	struct place place;
	int r;

	if (equivalence_ready(e, crash))
		return 0;
	place = place_of(e, crash);
	r = tester_drain(tester, err);
	settings_drop_others(e->settings, settings_id(e->settings, place.left));
	if (r == 0)
		r = place_ask(e, tester, &place, &legal, err);
	if (r == 0)
		r = tester_drain(tester, err);
	if (r == 0)
		place_note(e, &place, &legal);
	vec_free(&legal.all);
	return r;
}

/* ---- judging ---- */

/* The legal outputs of a place, without a banner, and what does not count in them. */
struct judging {
	VEC_OF(struct expected) expected;
	struct output_body got;
};

static void judging_begin(struct judging *j, const struct prepared *prepared, const struct output *banner,
			  const struct output *got)
{
	for (size_t i = 0; i < prepared->legal.count; i++) {
		const struct expectation *expectation = prepared->legal.at[i];
		struct expected expected = {.body = output_body(expectation->output, banner)};

		if (expectation->again) {
			const struct output_body again = output_body(expectation->again, banner);
			struct output_mask *mask = mem_alloc(sizeof(*mask));

			mask_learn(mask, &expected.body, &again);
			expected.mask = mask;
		}
		vec_push(&j->expected, expected);
	}
	j->got = output_body(got, banner);
}

static void judging_end(struct judging *j)
{
	for (size_t i = 0; i < j->expected.count; i++) {
		struct output_mask *mask = (struct output_mask *)j->expected.at[i].mask;

		if (mask)
			mask_free(mask);
		free(mask);
	}
	vec_free(&j->expected);
}

static struct comparison output_compare(const struct prepared *prepared, const struct output *banner,
					const struct output *got)
{
	struct judging j = {0};
	struct comparison c;

	judging_begin(&j, prepared, banner, got);
	c = compare_any(j.expected.at, (unsigned)j.expected.count, &j.got);
	judging_end(&j);
	return c;
}

/* Banners are the same in most outputs, and then it does not matter what they are. */
static bool is_legal(const struct equivalence *e, const struct prepared *prepared, const struct output *output)
{
	return output_compare(prepared, NULL, output).match >= 0 ||
	       (e->banner && output_compare(prepared, e->banner, output).match >= 0);
}

static bool equivalence_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
				struct ending *how)
{
	const struct equivalence *e = state;
	const struct prepared *prepared;

	if (!is_judged(crash) || !ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0}))
		return true;
	prepared = prepared_find(e, place_of(e, crash).number);
	BUG_ON(!prepared || !outcome->output);
	*how = (struct ending){ENDING_OUTPUT, 0};
	return prepared->uncertain || is_legal(e, prepared, outcome->output);
}

static enum finding_kind equivalence_finding(struct ending how)
{
	(void)how;
	return KIND_OUTPUT_MISMATCH;
}

/* ---- beginning and ending ---- */

/* The banner: without operations, on what the program leaves at its end. */
static int banner_make(struct equivalence *e, struct tester *tester, struct err *err)
{
	const struct place last = timeline_place(e->timeline, CRASH_NONE);
	const struct crash_context crash = {.event = CRASH_NONE, .command = settings_idle_id(e->settings, last.left)};
	const struct orderly_content *content = orderly_at(e->orderly, CRASH_NONE, err);
	struct tester_result run;
	int r = content ? tester_run_content(tester, content->content, &crash, 1, &run, err) : -1;

	if (r < 0)
		return r;
	if (run.outcome.output && ending_same(run.outcome.ending, (struct ending){ENDING_EXIT, 0}))
		e->banner = output_copy(run.outcome.output);
	outcome_free(&run.outcome);
	return 0;
}

static int equivalence_begin(void **state, const void *options, const struct oracle_scene *scene, struct err *err)
{
	struct equivalence *e = *state;

	(void)options;
	e->orderly = orderly_new(e->options.dir, scene->tester->options.recovery.origin, e->options.lag + 4);
	e->expectations = expectations_new(e->orderly);
	return banner_make(e, scene->tester, err);
}

static int timeline_read(struct equivalence *e, struct err *err)
{
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, e->options.dir, err) < 0)
		return -1;
	while ((more = trace_next(trace, &ev, err)) > 0)
		timeline_add(e->timeline, &ev);
	timeline_end(e->timeline);
	trace_close(trace);
	return more;
}

int equivalence_open(struct equivalence **equivalence, const struct equivalence_options *options, struct err *err)
{
	struct equivalence *e = mem_alloc(sizeof(*e));

	e->options = *options;
	e->timeline = timeline_new();
	e->oracle = (struct oracle){
		.name = "equivalence",
		.accepts = equivalence_accepts,
		.finding = equivalence_finding,
		.state = e,
		.begin = equivalence_begin,
		.key = equivalence_key,
		.command = equivalence_command,
		.idle = equivalence_idle,
		.setting = equivalence_setting,
		.output = options->rules,
		.ready = equivalence_ready,
		.prepare = equivalence_prepare,
	};
	if (timeline_read(e, err) < 0) {
		equivalence_close(e);
		return -1;
	}
	e->settings = settings_new(&e->options);
	for (size_t i = 0; i < timeline_operations(e->timeline); i++) {
		vec_push(&e->crashed, false);
		vec_push(&e->differing, false);
	}
	*equivalence = e;
	return 0;
}

void equivalence_close(struct equivalence *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->places.count; i++)
		vec_free(&e->places.at[i].legal);
	vec_free(&e->places);
	map_free(&e->index);
	vec_free(&e->crashed);
	vec_free(&e->differing);
	expectations_free(e->expectations);
	orderly_free(e->orderly);
	output_free(e->banner);
	settings_free(e->settings);
	timeline_free(e->timeline);
	free(e);
}

const struct oracle *equivalence_oracle(const struct equivalence *e)
{
	return &e->oracle;
}

struct equivalence_figures equivalence_figures(const struct equivalence *e)
{
	struct equivalence_figures figures = e->figures;

	figures.total = timeline_operations(e->timeline);
	for (size_t i = 0; i < figures.total; i++) {
		figures.crashed_in += e->crashed.at[i];
		figures.nondeterministic += e->differing.at[i];
	}
	return figures;
}
