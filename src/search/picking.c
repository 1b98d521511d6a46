/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picking.c - which input is executed next: the strategies. */
#include "base/random.h"
#include "search/input_search_in.h"
#include "search/vary.h"

enum {
	ADDRESS_SHIFT = 4, /* another address is worth less than other code */
	QUESTIONS_PER_EXECUTION = 4,
	INSIDE_MOST = 4, /* frames of libraries that count */
	VARY_EVERY = 8,  /* inputs that were made by turning branches, before one is made by varying */
};

/* ---- ranks ---- */

/* What was spent on a side so far, in executions.  Many questions can be asked in the time of one. */
static uint64_t effort(const struct side *side)
{
	return 1 + side->turned + side->asked / QUESTIONS_PER_EXECUTION;
}

/* What is inside a library counts less.  Functions that compare are called by the program itself; what is deeper inside
 * handles buffers, mostly. */
static unsigned inside_shift(const struct side *side)
{
	if (side->inside < 2)
		return side->inside;
	return side->inside < INSIDE_MOST ? 2 * side->inside : 2 * INSIDE_MOST;
}

/* What can be reached behind the side. */
static uint64_t side_worth(const struct input_search *s, const struct side *side)
{
	struct reach_weight weight = {0};
	uint64_t worth;

	if (side->depth)
		weight = reach_weight(s->reach, &side->branch, &s->sides.places.at[side->stack], side->depth);
	worth = 8 * weight.unreached + weight.all + REACH_ONE;
	if (!side->is_code)
		worth >>= ADDRESS_SHIFT;
	else if (!side->taken)
		worth = 2 * worth + 8 * REACH_ONE;
	return worth;
}

/* A side counts the less, the more often it was turned to: loops, and hashes that mix all input, offer the same side again
 * and again. */
static struct rank rank_by_pm(const struct input_search *s, const struct candidate *c, const struct attempt *attempt)
{
	const struct side *side = &s->sides.all.at[c->side], *behind = &s->sides.all.at[c->leads];
	uint64_t worth = side_worth(s, side), later = side_worth(s, behind);

	if (later > worth)
		worth = later;
	return (struct rank){{(worth >> inside_shift(side)) / effort(side), attempt->novelty, !side->taken}};
}

static struct rank rank_by_coverage(const struct side *side, const struct attempt *attempt)
{
	return (struct rank){{!side->taken, UINT64_MAX / effort(side), attempt->news}};
}

struct rank candidate_rank(void *search, const struct candidate *candidate)
{
	struct input_search *s = search;
	const struct side *side = &s->sides.all.at[candidate->side];
	const struct attempt *attempt = &s->attempts.at[candidate->execution - 1];
	uint64_t number = random_seed(s->options->seed, candidate->execution << 32 | candidate->branch);

	switch (s->options->strategy) {
	case SEARCH_PM: return rank_by_pm(s, candidate, attempt);
	case SEARCH_COVERAGE: return rank_by_coverage(side, attempt);
	default: return (struct rank){{random_mix(number + candidate->tries)}};
	}
}

/* ---- turning ---- */

static int verdict_note(struct input_search *s, const struct candidate *c, enum solver_verdict verdict, struct err *err)
{
	const struct search_step step = {
		.kind = SEARCH_STEP_TURNED,
		.execution = c->execution,
		.branch = c->branch,
		.tries = c->tries,
		.verdict = verdict,
	};

	s->solved += verdict == SOLVER_SOLVED;
	s->unsat += verdict == SOLVER_UNSAT;
	s->unknown += verdict == SOLVER_UNKNOWN;
	return search_journal_add(&s->journal, &step, err);
}

/* There may be more targets of a jump, and more addresses. */
static void candidate_again(struct input_search *s, const struct candidate *c)
{
	struct candidate again = *c;

	if (++again.tries < c->most)
		queue_push(&s->queue, &again, candidate_rank(s, &again));
}

static void verdict_take(struct input_search *s, const struct candidate *c, enum solver_verdict verdict)
{
	s->sides.all.at[c->side].asked++;
	s->sides.all.at[c->side].turned += verdict == SOLVER_SOLVED;
	if (verdict == SOLVER_SOLVED)
		candidate_again(s, c);
}

/* A search that is resumed has turned it before. */
static bool was_turned(struct input_search *s, const struct candidate *c)
{
	const uint64_t *verdict = map_get(&s->turned, c->execution, search_turned_key(c->branch, c->tries));

	if (verdict)
		verdict_take(s, c, (enum solver_verdict)(*verdict - 1));
	return verdict;
}

/* 1: the input is new; 0: there is none, or it is known; -1. */
static int candidate_turn(struct input_search *s, const struct candidate *c, struct err *err)
{
	const struct turner_question question = {
		.execution = c->execution,
		.input = &s->attempts.at[c->execution - 1].input,
		.branch = c->branch,
	};
	enum solver_verdict verdict;
	struct input input = {0};
	int result;

	if (turner_turn(s->turner, &question, &verdict, &input, err) < 0)
		return -1;
	if (stop_asked(&s->plan.stop)) { /* the verdict means nothing */
		input_free(&input);
		return 0;
	}
	verdict_take(s, c, verdict);
	result = verdict == SOLVER_SOLVED
			 ? input_search_offer(s, &input, ORIGIN_TURNED, c->execution, c->branch + 1, err)
			 : 0;
	return verdict_note(s, c, verdict, err) < 0 ? -1 : result;
}

/* ---- varying ---- */

/* 1, 0 or -1 as input_pick. */
static int variation_make(struct input_search *s, struct err *err)
{
	while (s->variations.count) {
		struct variation *v = &s->variations.at[0];
		const struct input *from = &s->attempts.at[v->execution - 1].input;
		bool lines = s->plan.sources->at[v->source].ops;
		unsigned way = v->most - v->left;
		struct input input = lines ? vary_lines(from, v->source, way, &s->random)
					   : vary_longer(from, v->source, way, s->options->max_input);
		struct variation now = *v;
		int result;

		memmove(v, v + 1, --s->variations.count * sizeof(*v));
		if (--now.left)
			vec_push(&s->variations, now);
		result = input_search_offer(s, &input, way ? ORIGIN_VARIED : ORIGIN_GROWN, now.execution, 0, err);
		if (result)
			return result;
	}
	return 0;
}

int input_pick(struct input_search *s, struct err *err)
{
	struct candidate candidate;
	int result = s->picks % VARY_EVERY == 0 ? variation_make(s, err) : 0;

	while (result == 0 && !input_search_is_over(s) && queue_pop(&s->queue, candidate_rank, s, &candidate))
		if (!was_turned(s, &candidate))
			result = candidate_turn(s, &candidate, err);
	if (result == 0 && !input_search_is_over(s))
		result = variation_make(s, err);
	s->picks += result > 0;
	return result;
}
