/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reading.c - see reading.h. */
#include "search/reading.h"

#include "base/random.h"
#include "expression/evaluation.h"
#include "expression/variables.h"
#include "solve/meaning.h"

enum { BYTES = 256, WORD_BITS = 64 };

/* What a branch asked, and the answer. */
struct look {
	uint64_t question;
	uint64_t answer;
	size_t branch;
};

/* The looks from the first one at a byte to the first one at the next. */
struct step {
	size_t from, to;
};

struct reader {
	const struct route *route;
	struct variables *variables;
	struct meanings meanings;
	struct map *questions;
	uint64_t furthest; /* byte that was looked at */
	VEC_OF(struct look) looks;
	VEC_OF(struct step) steps;
	struct map done; /* by hash of a step: how often */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return random_mix(hash + (value + 1) * RANDOM_STEP);
}

/* ---- looks ---- */

/* The variable that a branch is about, if it is a single byte; else 0. */
static uint64_t single_byte(struct reader *r, const struct route_branch *branch)
{
	const struct variable_set *set = variables_of(r->variables, branch->expression);
	uint64_t first = set->count ? set->at[0].first : 0;

	if (set->count != 1 || first != set->at[0].last ||
	    first == variable_of_length((uint32_t)(first >> BO_EXPR_SOURCE_SHIFT)))
		return 0;
	return first;
}

/* A C library parses, too: sscanf, strtol, inet_pton.  What else it does with bytes has nothing to do with how they are read, and
 * neither have its looks at bytes that were read before: it copies them, and looks for the end of the text. */
static bool counts(struct reader *r, const struct route_branch *branch)
{
	if (branch->inside) {
		uint64_t byte = branch->kind == BO_BRANCH_CONDITION ? single_byte(r, branch) : 0;

		return byte && byte >= r->furthest;
	}
	return branch->kind == BO_BRANCH_CONDITION || branch->kind == BO_BRANCH_JUMP;
}

/* A name for the bytes for which the condition is not what it is for 0.  The lowest bit: what it is for 0. */
static uint64_t question_name(const struct reader *r, uint32_t condition, uint64_t variable)
{
	struct evaluation *evaluation = evaluation_new(r->route->x);
	uint64_t holds[BYTES / WORD_BITS] = {0}, name = 0, for_zero;
	struct assignment input = {0};

	for (unsigned byte = 0; byte < BYTES; byte++) {
		assignment_set_byte(&input, (uint32_t)(variable >> BO_EXPR_SOURCE_SHIFT),
				    variable & bo_width_mask(BO_EXPR_SOURCE_SHIFT), (uint8_t)byte);
		evaluation_forget(evaluation);
		holds[byte / WORD_BITS] |= evaluation_value(evaluation, condition, &input) << byte % WORD_BITS;
	}
	evaluation_free(evaluation);
	assignment_free(&input);
	for_zero = holds[0] & 1;
	for (size_t i = 0; i < BYTES / WORD_BITS; i++)
		name = mix(name, for_zero ? ~holds[i] : holds[i]);
	return (name & ~UINT64_C(1)) | for_zero;
}

/* Equal expressions are the same question, at whatever byte. */
static struct look byte_look(struct reader *r, const struct route_branch *branch, uint64_t variable)
{
	struct meaning meaning = meaning_of(&r->meanings, branch->expression);
	uint64_t *known = map_put(r->questions, meaning.low, meaning.high);

	if (!*known)
		*known = question_name(r, branch->expression, variable);
	return (struct look){.question = *known >> 1, .answer = branch->value ^ (*known & 1)};
}

static void branch_look(struct reader *r, size_t index)
{
	const struct route_branch *branch = &r->route->branches.at[index];
	uint64_t byte = single_byte(r, branch);
	struct look look = {.question = branch->site, .answer = branch->value};

	if (byte > r->furthest) {
		r->furthest = byte;
		vec_push(&r->steps, ((struct step){.from = r->looks.count}));
	}
	if (!r->steps.count)
		return;
	if (branch->kind == BO_BRANCH_JUMP)
		look.answer = meaning_of(&r->meanings, branch->expression).low;
	else if (byte)
		look = byte_look(r, branch, byte);
	look.branch = index;
	vec_push(&r->looks, look);
	r->steps.at[r->steps.count - 1].to = r->looks.count;
}

/* ---- steps ---- */

/* Does the next step, of which these looks are known, do the same?  Or the same up to the last question, to which the answer is
 * another one: the step is a round of a loop, which the next one leaves. */
static bool is_repeated(const struct reader *r, const struct step *step, const struct look *next, size_t known)
{
	const struct look *looks = &r->looks.at[step->from];
	size_t size = step->to - step->from, same = 0;

	while (same < size && same < known && looks[same].question == next[same].question &&
	       looks[same].answer == next[same].answer)
		same++;
	if (same == size)
		return same == known;
	return same + 1 == size && same < known && looks[same].question == next[same].question;
}

static uint64_t step_hash(const struct reader *r, const struct step *step)
{
	uint64_t hash = 0;

	for (size_t i = step->from; i < step->to; i++)
		hash = mix(mix(hash, r->looks.at[i].question), r->looks.at[i].answer);
	return hash;
}

/* The ways that lead to a step, with and without the step before it. */
struct approach {
	const struct step *before; /* NULL: none */
	uint64_t with, without;
	unsigned repeats;
};

static uint64_t approach_way(const struct reader *r, const struct approach *approach, const struct look *looks,
			     size_t known)
{
	return approach->before && is_repeated(r, approach->before, looks, known) ? approach->without : approach->with;
}

static void forks_add(struct reading *reading, struct reader *r, const struct step *step,
		      const struct approach *approach)
{
	struct look *looks = &r->looks.at[step->from];
	uint64_t way = approach_way(r, approach, looks, step->to - step->from), asked = 0;

	for (size_t i = 0; i < step->to - step->from; i++) {
		uint64_t answer = looks[i].answer, other;

		looks[i].answer = !answer;
		other = mix(mix(mix(approach_way(r, approach, looks, i + 1), asked), looks[i].question), !answer);
		looks[i].answer = answer;
		vec_push(&reading->forks,
			 ((struct reading_fork){.branch = looks[i].branch,
						.taken = mix(mix(mix(way, asked), looks[i].question), answer),
						.other = other,
						.question = mix(looks[i].question, !answer),
						.repeats = approach->repeats}));
		asked = mix(mix(asked, looks[i].question), answer);
	}
}

static void forks_take(struct reading *reading, struct reader *r)
{
	struct approach approach = {0};

	for (size_t i = 0; i < r->steps.count; i++) {
		const struct step *step = &r->steps.at[i];
		uint64_t hash = step_hash(r, step), *done;

		forks_add(reading, r, step, &approach);
		approach.without = approach_way(r, &approach, &r->looks.at[step->from], step->to - step->from);
		approach.with = mix(approach.without, hash);
		approach.before = step;
		if (i + 1 < r->steps.count &&
		    is_repeated(r, step, &r->looks.at[step[1].from], step[1].to - step[1].from))
			continue;
		done = map_put(&r->done, hash, 0);
		approach.repeats += *done > 0;
		*done = 1;
	}
}

void reading_take(struct reading *reading, const struct route *route, struct map *questions)
{
	struct reader r = {
		.route = route,
		.variables = variables_new(route->x),
		.meanings = {.x = route->x, .anywhere = true},
		.questions = questions,
	};

	for (size_t i = 0; i < route->branches.count; i++)
		if (counts(&r, &route->branches.at[i]))
			branch_look(&r, i);
	forks_take(reading, &r);
	variables_free(r.variables);
	meanings_free(&r.meanings);
	map_free(&r.done);
	vec_free(&r.looks);
	vec_free(&r.steps);
}

void reading_free(struct reading *reading)
{
	vec_free(&reading->forks);
}
