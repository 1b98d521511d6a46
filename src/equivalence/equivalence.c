/* SPDX-License-Identifier: GPL-2.0-or-later */
/* equivalence.c - see equivalence.h, whose rules are numbered. */
#include "equivalence/equivalence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "crash/tester.h"
#include "equivalence/equivalence_in.h"

enum { PLACES_TWICE = 16 /* places in which orderly runs are repeated from the start */ };

/* ---- places ---- */

/* A crash during recovery is judged as the first one: recovery had no operation to perform until then. */
struct place place_of(const struct equivalence *e, const struct crash_context *crash)
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
	const struct equivalence *e = state;

	return is_judged(crash) ? 1 + place_of(e, crash).number : 0;
}

static void equivalence_meets(void *state, const struct crash_context *crash)
{
	struct equivalence *e = state;
	struct place place = place_of(e, crash);
	const struct group *group;

	if (!is_judged(crash) || !place.inside)
		return;
	group = timeline_group(e->timeline, place.group);
	for (size_t i = group->first; i < group->first + group->count; i++) {
		const struct operation *operation = timeline_operation(e->timeline, i);

		e->crashed.at[i] |= operation->begin <= place.event && place.event < operation->end;
	}
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

struct prepared *prepared_find(const struct equivalence *e, uint64_t number)
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

static void prepared_free(struct prepared *prepared)
{
	vec_free(&prepared->legal.all);
	vec_free(&prepared->orders.all);
}

struct output_body printed_end(const struct equivalence *e, size_t count)
{
	struct output_body printed = output_body(e->options.printed, e->banner);

	count = count < printed.count ? count : printed.count;
	printed.first += printed.count - count;
	printed.count = count;
	return printed;
}

/* Rule 6: does recovery on this content print the last lines that the recorded run printed?  `all`: and no others. */
static bool is_recorded(const struct equivalence *e, const struct expectation *expectation, bool all)
{
	struct expected expected = {.body = output_body(expectation->output, e->banner)};
	const struct output_body printed = printed_end(e, all ? SIZE_MAX : expected.body.count);
	struct output_mask mask = {0};
	bool same;

	if (expectation->again) {
		const struct output_body again = output_body(expectation->again, e->banner);

		mask_learn(&mask, &expected.body, &again);
		expected.mask = &mask;
	}
	same = !compare_one(&expected, &printed).found;
	mask_free(&mask);
	return same;
}

/* Some content of this place must be such that recovery prints what the recorded run did. */
static bool place_is_recorded(const struct equivalence *e, const struct prepared *prepared, bool all)
{
	for (size_t i = 0; i < prepared->legal.all.count; i++)
		if (is_recorded(e, prepared->legal.all.at[i].expectation, all))
			return true;
	return false;
}

/* Before the first operation, recovery does what the recorded run did, unless it prints in another way: then nothing can
 * be said later either. */
static void place_compare(struct equivalence *e, const struct place *place, struct prepared *prepared)
{
	if (!e->options.printed || e->options.probe || e->options.lag ||
	    e->options.after < oplist_count(e->options.list) || place->inside || prepared->uncertain)
		return;
	if (!place->group) {
		e->comparable = place_is_recorded(e, prepared, true);
		e->figures.unlike_run = !e->comparable;
	} else if (e->comparable) {
		prepared->forgets = !place_is_recorded(e, prepared, false);
	}
}

/* ---- comparing ---- */

/* Of two banners, the one that takes more off an output: a banner that names {first} differs from place to place. */
static const struct output *banner_choose(const struct output *output, const struct output *a, const struct output *b)
{
	return output_body(output, b).count < output_body(output, a).count ? b : a;
}

void judging_begin(struct judging *j, const struct legals *legals, const struct output *banner,
		   const struct output *got, const struct output *got_banner)
{
	for (size_t i = 0; i < legals->all.count; i++) {
		const struct expectation *expectation = legals->all.at[i].expectation;
		const struct expectation *own = legals->all.at[i].banner;
		const struct output *left_out =
			own ? own->output : banner_choose(expectation->output, banner, got_banner);
		struct expected expected = {.body = output_body(expectation->output, left_out)};

		if (expectation->again) {
			const struct output_body again = output_body(expectation->again, left_out);
			struct output_mask *mask = mem_alloc(sizeof(*mask));

			mask_learn(mask, &expected.body, &again);
			expected.mask = mask;
		}
		vec_push(&j->expected, expected);
	}
	j->got = output_body(got, got_banner);
}

void judging_end(struct judging *j)
{
	for (size_t i = 0; i < j->expected.count; i++) {
		struct output_mask *mask = (struct output_mask *)j->expected.at[i].mask;

		if (mask)
			mask_free(mask);
		free(mask);
	}
	vec_free(&j->expected);
}

static struct comparison output_compare(const struct legals *legals, const struct output *banner,
					const struct output *got, const struct output *got_banner)
{
	struct judging j = {0};
	struct comparison c;

	judging_begin(&j, legals, banner, got, got_banner);
	c = compare_any(j.expected.at, (unsigned)j.expected.count, &j.got);
	judging_end(&j);
	return c;
}

/* Banners are the same in most outputs, and then it does not matter what they are. */
static bool is_legal(const struct equivalence *e, const struct legals *legals, const struct output *output)
{
	return output_compare(legals, NULL, output, NULL).match >= 0 ||
	       (e->banner && output_compare(legals, e->banner, output, e->banner).match >= 0);
}

/* The first of them on which recovery fails; NULL: none. */
static const struct expectation *legals_failing(const struct legals *legals)
{
	for (size_t i = 0; i < legals->all.count; i++) {
		const struct legal *legal = &legals->all.at[i];

		if (legal->expectation->failed)
			return legal->expectation;
		if (legal->banner && legal->banner->failed)
			return legal->banner;
	}
	return NULL;
}

/* The same for all contents of a place. */
static const struct expectation *prepared_failing(const struct prepared *prepared)
{
	const struct expectation *failing = legals_failing(&prepared->legal);

	if (!failing)
		failing = legals_failing(&prepared->orders);
	if (!failing && prepared->after && prepared->after->failed)
		failing = prepared->after;
	return failing;
}

/* Count a place where recovery fails without a crash.  That it fails on the initial content is no surprise: the pool is
 * not there yet. */
static void failing_note(struct equivalence *e, const struct place *place, const struct prepared *prepared,
			 const struct expectation *failing)
{
	struct equivalence_figures *f = &e->figures;

	if (!failing || failing == prepared->initial)
		return;
	if (!f->failing++ || place->number < f->failing_first.number) {
		f->failing_first = *place;
		f->failing_ending = failing->ending;
	}
}

/* Note what is known about a place now. */
static void place_note(struct equivalence *e, const struct place *place, struct prepared *prepared)
{
	struct prepared *known = prepared_find(e, place->number);
	const struct expectation *failing = prepared_failing(prepared);
	bool overlapping = prepared->uncertain, differing = false, endless = false;

	for (size_t i = 0; i < prepared->legal.all.count; i++) {
		const struct expectation *expectation = prepared->legal.all.at[i].expectation;

		differing |= expectation->again != NULL;
		endless |= expectation->output && output_is_endless(expectation->output);
	}
	if (prepared->after && !failing && !is_legal(e, &prepared->orders, prepared->after->output))
		overlapping = prepared->uncertain = true;
	prepared->uncertain |= failing != NULL;
	place_compare(e, place, prepared);
	e->differs |= differing;
	if (differing && place->group + place->inside)
		e->differing.at[timeline_group(e->timeline, place->group - !place->inside)->first] = true;
	if (known) {
		prepared_free(known);
		*known = *prepared;
		return;
	}
	e->figures.places++;
	failing_note(e, place, prepared, failing);
	e->figures.endless += endless;
	e->figures.overlapping += overlapping;
	vec_push(&e->places, *prepared);
	*map_put(&e->index, place->number, 0) = e->places.count;
}

/* Rule 4. */
static unsigned runs_needed(const struct equivalence *e, bool alone)
{
	return alone || e->differs || e->places.count < PLACES_TWICE ? 2 : 1;
}

/* Rule 3.  Nothing else runs after the drain, so the files of other settings can go. */
static int equivalence_prepare(void *state, struct tester *tester, const struct crash_context *crash, bool alone,
			       struct err *err)
{
	struct equivalence *e = state;
	const struct place place = place_of(e, crash);
	const struct prepared *known = prepared_find(e, place.number);
	struct prepared prepared = {.runs = runs_needed(e, alone)};
	int r;

	if (!is_judged(crash) || (known && (known->runs >= prepared.runs || !alone)))
		return 0;
	r = tester_drain(tester, err);
	settings_drop_others(e->settings, settings_id(e->settings, place.left));
	if (r == 0)
		r = place_ask(e, tester, &place, &prepared, err);
	if (r == 0)
		r = tester_drain(tester, err);
	if (r == 0)
		place_note(e, &place, &prepared);
	else
		prepared_free(&prepared);
	return r;
}

/* Rule 6: the ends of operations, while others are left. */
static uint64_t equivalence_orderly(void *state, uint64_t from)
{
	const struct equivalence *e = state;
	const struct place place = timeline_place(e->timeline, from);
	size_t next = place.group + place.inside, border = next ? next : 1;

	for (; e->comparable && border < timeline_groups(e->timeline); border++)
		if (timeline_border(e->timeline, border).from >= from)
			return timeline_border(e->timeline, border).from;
	return ORDERLY_NEVER;
}

/* ---- judging ---- */

/* Rule 8: a number for the lines that are before a legal output; 0: not only these are wrong. */
static int lines_before(const struct equivalence *e, const struct legals *legals, const struct output *output)
{
	struct judging j = {0};
	XXH64_hash_t hash = 0;

	judging_begin(&j, legals, e->banner, output, e->banner);
	for (size_t i = 0; i < j.expected.count && !hash; i++) {
		const size_t count = j.expected.at[i].body.count;
		const size_t before = j.got.count > count ? j.got.count - count : 0;
		struct output_body rest = j.got;

		rest.first += before;
		rest.count -= before;
		if (compare_one(&j.expected.at[i], &rest).found)
			continue;
		for (size_t line = 0; line < before; line++) {
			const uint64_t text = output_line_hash(&j.got, line);

			hash = XXH3_64bits_withSeed(&text, sizeof(text), hash);
		}
	}
	judging_end(&j);
	return (int)(hash >> 33);
}

static bool equivalence_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
				struct ending *how)
{
	const struct equivalence *e = state;
	const struct prepared *prepared;
	bool legal;

	if (!is_judged(crash) || !ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0}))
		return true;
	prepared = prepared_find(e, place_of(e, crash).number);
	BUG_ON(!prepared || !outcome->output);
	if (prepared->uncertain)
		return true;
	legal = is_legal(e, &prepared->legal, outcome->output);
	if (legal && !prepared->forgets)
		return true;
	*how = (struct ending){ENDING_OUTPUT, legal ? 0 : lines_before(e, &prepared->legal, outcome->output)};
	return false;
}

bool output_is_forgetful(const struct equivalence *e, const struct prepared *prepared, const struct output *output)
{
	return prepared->forgets && is_legal(e, &prepared->legal, output);
}

/* Rules 5 and 6. */
static bool equivalence_fails_orderly(void *state, const struct outcome *outcome, const struct crash_context *crash)
{
	const struct equivalence *e = state;
	const struct prepared *prepared;

	if (!is_judged(crash))
		return false;
	prepared = prepared_find(e, place_of(e, crash).number);
	BUG_ON(!prepared);
	if (ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0}))
		return output_is_forgetful(e, prepared, outcome->output);
	for (size_t i = 0; i < prepared->legal.all.count; i++) {
		const struct expectation *expectation = prepared->legal.all.at[i].expectation;

		if (expectation != prepared->initial && expectation->failed &&
		    ending_same(expectation->ending, outcome->ending))
			return true;
	}
	return false;
}

/* Rule 8. */
static bool equivalence_excuses(void *state, const struct outcome *outcome, const struct outcome *idle,
				const struct crash_context *crash)
{
	const struct equivalence *e = state;
	const struct prepared *prepared = prepared_find(e, place_of(e, crash).number);

	BUG_ON(!prepared || !outcome->output);
	if (!idle->output)
		return false;
	if (output_is_forgetful(e, prepared, outcome->output)) {
		const struct expected body = {.body = output_body(outcome->output, idle->output)};
		const struct output_body printed = printed_end(e, body.body.count);

		return !compare_one(&body, &printed).found;
	}
	return output_compare(&prepared->legal, e->banner, outcome->output, idle->output).match >= 0;
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
		.meets = equivalence_meets,
		.ready = equivalence_ready,
		.prepare = equivalence_prepare,
		.orderly = equivalence_orderly,
		.fails_orderly = equivalence_fails_orderly,
		.excuses = equivalence_excuses,
		.tell = equivalence_tell,
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
		prepared_free(&e->places.at[i]);
	vec_free(&e->places);
	for (size_t i = 0; i < e->told.count; i++)
		free(e->told.at[i]);
	vec_free(&e->told);
	arena_free(&e->texts);
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
