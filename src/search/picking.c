/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picking.c - which input is executed next: the strategies. */
#include <string.h>

#include "base/random.h"
#include "search/input_search_in.h"

enum {
	ADDRESS_SHIFT = 4, /* another address is worth less than other code */
	QUESTIONS_PER_EXECUTION = 32,
	HARD_QUESTION = 64, /* one that is not answered takes as long as so many */
	INSIDE_MOST = 4,    /* frames of libraries that count */
	VARY_EVERY = 4,     /* inputs that were made by turning branches, before one is made by varying */
	STATES_SHARE = 4,   /* a side that was taken in so many states counts half in another one */
	FAMILY_SHARE = 16,  /* the share of the effort for a side that counts in all families */
	FRESH_ASKED = 4,    /* branches of an input that did something new that come first, */
	FRESH_SHARE = 8,    /* and the share of the effort for a side that counts for them */
	EXHAUSTED_SHIFT =
		4, /* a jump that has gone everywhere is worth less: not all that it can reach is behind one target */
	BULK_SHIFT = 4,     /* how a library goes through memory is worth less than what it looks for */
	NEAR_SHIFT = 1,     /* a branch right behind a side that is new is worth more */
	HOPE_SHIFT = 1,     /* an input that only may take a side is worth less than one that will */
	DULL_MOST = 8,      /* executions that come no nearer to PM, before the frontier has turns */
	PATIENCE_SHIFT = 2, /* and a question that is hard less than one that may be easy */
};

/* ---- ranks ---- */

/* What was spent on a side so far, in executions.  Many questions can be asked in the time of one. */
static uint64_t effort(uint64_t spent)
{
	return 1 + spent / QUESTIONS_PER_EXECUTION;
}

/* The same, mostly for inputs of the same family: nearer to PM, each side deserves to be turned to again. */
static uint64_t family_effort(const struct input_search *s, size_t side, const struct attempt *attempt)
{
	const uint64_t *spent = map_get(&s->spent, attempt->family, side);

	return effort((spent ? *spent : 0) + s->sides.all.at[side].spent / FAMILY_SHARE);
}

static unsigned bulk_shift(const struct side *side)
{
	return side->is_bulk ? BULK_SHIFT : 0;
}

/* What is inside a library counts less.  Functions that compare are called by the program itself; what is deeper inside
 * handles buffers, mostly. */
static unsigned inside_shift(const struct side *side)
{
	if (side->inside < 2)
		return bulk_shift(side) + side->inside;
	return bulk_shift(side) + (side->inside < INSIDE_MOST ? 2 * side->inside : 2 * INSIDE_MOST);
}

uint64_t side_worth(const struct input_search *s, const struct side *side)
{
	struct reach_weight weight = {0};
	uint64_t worth;

	if (side->depth)
		weight = reach_weight(s->reach, &side->branch, &s->sides.places.at[side->stack], side->depth);
	worth = 8 * weight.unreached + weight.all + REACH_ONE;
	if (!side->is_code)
		worth >>= ADDRESS_SHIFT;
	else if (side->is_exhausted)
		worth >>= EXHAUSTED_SHIFT;
	else if (!side->taken)
		worth = 2 * worth + REACH_ONE;
	return worth;
}

/* A side in a state in which it was never taken counts, too; the less, the more complicated the state is, compared with what
 * led to something new. */
static uint64_t state_worth(const struct input_search *s, const struct candidate *c)
{
	unsigned cost = side_state_cost(c->state), before = s->attempts.at[c->execution - 1].cost;
	uint64_t asked;

	if (!sides_lack(&s->sides, c->side, c->state, &asked))
		return 0;
	return 4 * REACH_ONE / (cost > before ? 1 + cost - before : 1) / (1 + asked) /
	       (1 + s->sides.all.at[c->side].states / STATES_SHARE);
}

/* An input that did something new is at a place where the search was never before.  So what was spent on its next sides
 * elsewhere counts less, until a few of them were turned. */
static bool is_fresh(const struct attempt *attempt)
{
	return attempt->asked < FRESH_ASKED && (attempt->news || attempt->novelty);
}

/* Was the side never taken, or not in this state? */
static bool is_lacking(const struct input_search *s, const struct candidate *c)
{
	uint64_t asked;

	return !s->sides.all.at[c->side].taken || sides_lack(&s->sides, c->side, c->state, &asked);
}

/* Was a side that no branch on input leads to executed meanwhile? */
static bool was_met(const struct input_search *s, const struct side *side)
{
	return side->is_later && reach_is_executed(s->reach, &s->sides.places.at[side->stack]);
}

/* What lies behind the side that a candidate leads to counts the less, the more often the search went there in vain. */
static uint64_t later_worth(const struct input_search *s, const struct candidate *c, const struct attempt *attempt)
{
	const struct side *behind = &s->sides.all.at[c->leads];

	if (c->leads == c->side || was_met(s, behind))
		return 0;
	return side_worth(s, behind) / (behind->is_later ? family_effort(s, c->leads, attempt) : 1 + behind->hoped);
}

/* Is it turned for a decision of the program that no execution ever took that way, and that is behind what a library does? */
static bool leads_later(const struct input_search *s, const struct candidate *c)
{
	const struct side *behind = &s->sides.all.at[c->leads];

	return behind->is_later && !was_met(s, behind);
}

/* A longer input is tried soon, but not again and again for the same decision. */
static uint64_t longer_worth(const struct input_search *s, const struct candidate *c)
{
	const struct side *behind = &s->sides.all.at[c->leads];

	return leads_later(s, c) ? side_worth(s, behind) / ((1 + behind->hoped) * (1 + behind->hoped)) : 0;
}

/* What libraries do counts less, unless the program decides on their result, and has never decided so. */
static unsigned candidate_shift(const struct input_search *s, const struct candidate *c)
{
	const struct side *side = &s->sides.all.at[c->side];

	return leads_later(s, c) ? bulk_shift(side) : inside_shift(side);
}

/* A side counts the less, the more often it was turned to: loops, and hashes that mix all input, offer the same side again
 * and again. */
static struct rank rank_by_pm(const struct input_search *s, const struct candidate *c, const struct attempt *attempt)
{
	const struct side *side = &s->sides.all.at[c->side];
	uint64_t worth = side_worth(s, side), later = later_worth(s, c, attempt),
		 spent = family_effort(s, c->side, attempt);
	bool near = c->near && !c->tries && is_lacking(s, c);

	if (c->hope == HOPE_LONGER)
		return (struct rank){{longer_worth(s, c), attempt->novelty, c->execution}};
	if (later > worth)
		worth = later;
	if (near)
		spent = 1;
	else if (is_fresh(attempt))
		spent = 1 + spent / FRESH_SHARE;
	worth = (worth + state_worth(s, c)) / spent;
	worth <<= near ? NEAR_SHIFT : 0;
	worth >>= candidate_shift(s, c) + (c->hope && !near ? HOPE_SHIFT : 0) + (c->patient ? PATIENCE_SHIFT : 0);
	return (struct rank){{worth, attempt->novelty, c->execution}};
}

static struct rank rank_by_coverage(const struct side *side, const struct attempt *attempt)
{
	return (struct rank){{!side->taken && !side->is_exhausted, UINT64_MAX / effort(side->spent), attempt->news}};
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
		.tries = candidate_question(c),
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

/* Is it worth another try?  The program itself must have a side behind it that was never taken, or not in this state. */
static bool is_promising(const struct input_search *s, const struct candidate *c)
{
	const struct side *side = &s->sides.all.at[c->side], *behind = &s->sides.all.at[c->leads];
	uint64_t asked;

	if (c->hope == HOPE_LONGER)
		return leads_later(s, c);
	return (!side->inside || !side->is_code) && !behind->inside &&
	       (!behind->taken || sides_lack(&s->sides, c->leads, c->state, &asked));
}

/* The side is not on this path; but only what libraries do may be in the way. */
static void candidate_hope(struct input_search *s, const struct candidate *c)
{
	struct candidate hope = *c;

	hope.hope++;
	hope.patient = false;
	if (hope.hope < HOPES && is_promising(s, c))
		queue_push(&s->queue, &hope, candidate_rank(s, &hope));
}

/* What a library looks for may have no room: an input for one more word must be longer. */
static void candidate_lengthen(struct input_search *s, const struct candidate *c)
{
	struct attempt *attempt = &s->attempts.at[c->execution - 1];
	struct candidate longer = *c;

	if (attempt->longer || attempt->origin == ORIGIN_GROWN || !leads_later(s, c))
		return;
	attempt->longer = true;
	longer.hope = HOPE_LONGER;
	longer.patient = false;
	longer.tries = 0;
	longer.most = 1;
	queue_push(&s->queue, &longer, candidate_rank(s, &longer));
}

/* The question was too hard for the time that it got. */
static void candidate_insist(struct input_search *s, const struct candidate *c)
{
	struct candidate patient = *c;

	patient.patient = true;
	if (!c->patient && is_promising(s, c))
		queue_push(&s->queue, &patient, candidate_rank(s, &patient));
}

/* What a question has cost.  If there is an answer, it is executed. */
static uint64_t verdict_cost(enum solver_verdict verdict)
{
	return verdict == SOLVER_SOLVED ? QUESTIONS_PER_EXECUTION : verdict == SOLVER_UNKNOWN ? HARD_QUESTION : 1;
}

static void side_spend(struct input_search *s, const struct candidate *c, size_t side, uint64_t cost)
{
	s->sides.all.at[side].spent += cost;
	*map_put(&s->spent, s->attempts.at[c->execution - 1].family, side) += cost;
}

static void verdict_take(struct input_search *s, const struct candidate *c, enum solver_verdict verdict)
{
	side_spend(s, c, c->side, verdict_cost(verdict));
	if (!s->sides.all.at[c->leads].is_later)
		s->sides.all.at[c->leads].hoped += c->leads != c->side;
	else if (c->hope == HOPE_LONGER)
		s->sides.all.at[c->leads].hoped++;
	else
		side_spend(s, c, c->leads, verdict_cost(verdict));
	sides_ask(&s->sides, c->side, c->state);
	s->attempts.at[c->execution - 1].asked++;
	if (verdict == SOLVER_SOLVED)
		candidate_again(s, c);
	if (verdict == SOLVER_UNSAT || c->hope)
		candidate_hope(s, c);
	if (verdict == SOLVER_UNSAT)
		candidate_lengthen(s, c);
	if (verdict == SOLVER_UNKNOWN)
		candidate_insist(s, c);
}

/* What came of turning it, plus 1; NULL: it was not turned. */
static const uint64_t *verdict_known(const struct input_search *s, const struct candidate *c)
{
	return map_get(&s->turned, c->execution, search_turned_key(c->branch, candidate_question(c)));
}

/* A search that is resumed has turned it before, or the frontier. */
static bool was_turned(struct input_search *s, const struct candidate *c)
{
	const uint64_t *verdict = verdict_known(s, c);

	if (verdict)
		verdict_take(s, c, (enum solver_verdict)(*verdict - 1));
	return verdict;
}

/* The inputs that were made for the same branch before. */
struct made {
	const struct input **at;
	size_t count, room;
};

struct taken {
	uint64_t *at;
	size_t count, room;
};

static bool is_turned(const struct attempt *attempt)
{
	return attempt->origin == ORIGIN_TURNED || attempt->origin == ORIGIN_FRONTIER;
}

static void inputs_made(const struct input_search *s, const struct candidate *c, struct made *made)
{
	for (size_t i = c->execution; c->tries && i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.at[i];

		if (is_turned(a) && a->parent == c->execution && a->bound == c->branch + 1)
			vec_push(made, &a->input);
	}
}

/* Where other executions jumped at the same place. */
static void targets_taken(const struct input_search *s, const struct candidate *c, struct taken *taken)
{
	for (size_t i = 0; s->options->strategy != SEARCH_RANDOM && i < s->sides.targets.count; i++)
		if (s->sides.targets.at[i].jump == c->side)
			vec_push(taken, s->sides.targets.at[i].target);
}

static int candidate_ask(struct input_search *s, const struct candidate *c, enum solver_verdict *verdict,
			 struct input *input, struct err *err)
{
	struct made made = {0};
	struct taken taken = {0};
	bool any = false;
	int result;

	inputs_made(s, c, &made);
	targets_taken(s, c, &taken);
	result = turner_turn(s->turner,
			     &(struct turner_question){
				     .execution = c->execution,
				     .input = &s->attempts.at[c->execution - 1].input,
				     .branch = c->branch,
				     .patient = c->patient,
				     .hope = (enum turner_hope)c->hope,
				     .made = made.at,
				     .made_count = made.count,
				     .taken = taken.at,
				     .taken_count = taken.count,
				     .exhausted = &any,
			     },
			     verdict, input, err);
	s->sides.all.at[c->side].is_exhausted |= any;
	vec_free(&made);
	vec_free(&taken);
	return result;
}

/* 1: the input is new; 0: there is none, or it is known; -1. */
static int candidate_turn(struct input_search *s, const struct candidate *c, struct err *err)
{
	enum attempt_origin origin = c->way ? ORIGIN_FRONTIER : c->hope == HOPE_LONGER ? ORIGIN_GROWN : ORIGIN_TURNED;
	enum solver_verdict verdict;
	struct input input = {0};
	int result = 0;

	if (candidate_ask(s, c, &verdict, &input, err) < 0)
		return -1;
	/* There was no time left for it: a search that is resumed asks again. */
	if (input_search_is_over(s)) {
		s->unknown += verdict == SOLVER_UNKNOWN;
		input_free(&input);
		return 0;
	}
	*map_put(&s->turned, c->execution, search_turned_key(c->branch, candidate_question(c))) = 1 + verdict;
	if (!c->way)
		verdict_take(s, c, verdict);
	if (verdict == SOLVER_SOLVED)
		result = input_search_offer(s, &input, origin, c->execution, origin == ORIGIN_GROWN ? 0 : c->branch + 1,
					    err);
	if (result > 0) {
		s->attempts.at[s->attempts.count - 1].question = c->question;
		share_made(&s->share, c->way ? SHARE_FRONTIER : SHARE_QUEUE);
	}
	/* If its input could not be stored, a search that is resumed must turn it again. */
	return result < 0 || verdict_note(s, c, verdict, err) < 0 ? -1 : result;
}

/* ---- the frontier ---- */

/* What the path does not allow may be possible on another one. */
static int frontier_make(struct input_search *s, struct err *err)
{
	struct candidate c;
	int result = 0;

	while (result == 0 && !input_search_is_over(s) && frontier_pop(&s->frontier, &c)) {
		if (!verdict_known(s, &c)) {
			result = candidate_turn(s, &c, err);
			if (result > 0)
				frontier_asked(&s->frontier, &c);
		}
		const uint64_t *verdict = verdict_known(s, &c);
		if (verdict && (*verdict == 1 + SOLVER_UNSAT || c.hope))
			frontier_again(&s->frontier, &c);
	}
	return result;
}

/* ---- varying ---- */

/* How often it was used; one for rounds of loops only comes last. */
static unsigned variation_use(const struct variation *v)
{
	return v->end > VARIED_GROW ? v->next : VARIED_REST;
}

/* In turn: the oldest; and the one that was used least, the newest among equals: it has led furthest. */
static struct variation variation_take(struct input_search *s)
{
	size_t best = 0;

	for (size_t i = 1; s->varied % 2 == 0 && i < s->variations.count; i++)
		if (variation_use(&s->variations.at[i]) <= variation_use(&s->variations.at[best]))
			best = i;
	struct variation v = s->variations.at[best];
	memmove(&s->variations.at[best], &s->variations.at[best + 1],
		(--s->variations.count - best) * sizeof(*s->variations.at));
	s->varied++;
	return v;
}

/* In lists of operations words grow, but lines do not. */
static bool variation_grows(const struct input_search *s, const struct variation *v)
{
	unsigned end = VARIED_GROW + (s->plan.sources->at[v->source].ops ? VARY_LAST_LINE : VARY_GROWTHS);

	return v->next >= VARIED_GROW && v->next < end;
}

static struct input variation_input(struct input_search *s, const struct variation *v)
{
	const struct input *from = &s->attempts.at[v->execution - 1].input;
	const struct input_source *of = &s->plan.sources->at[v->source];

	if (of->kind == BO_SOURCE_SOCKET && !from->of[v->source].size && v->next < VARIED_GROW + VARY_MESSAGES)
		return vary_message(from, s->plan.sources, v->source, v->next - VARIED_GROW);
	if (v->next == VARIED_END)
		return vary_end(from, v->source, v->length);
	if (variation_grows(s, v))
		return vary_longer(from, v->source, (enum vary_growth)(v->next - VARIED_GROW), s->options->max_input);
	if (of->ops)
		return vary_lines(from, v->source, v->next - VARIED_GROW - VARY_LAST_LINE, &s->random);
	return vary_repeat(from, v->source, s->options->max_input);
}

/* 1, 0 or -1 as input_pick. */
static int variation_make(struct input_search *s, struct err *err)
{
	while (s->variations.count) {
		struct variation v = variation_take(s);
		struct input input = variation_input(s, &v);
		bool grows = variation_grows(s, &v);
		uint64_t execution = v.execution;
		int result;

		if (++v.next < v.end)
			vec_push(&s->variations, v);
		result = input_search_offer(s, &input, grows ? ORIGIN_GROWN : ORIGIN_VARIED, execution, 0, err);
		if (result)
			return result;
	}
	return 0;
}

/* 1, 0 or -1 as input_pick. */
static int joined_make(struct input_search *s, enum joining_pairs pairs, struct err *err)
{
	struct joined joined;
	int result = 0;

	while (result == 0 && joining_next(&s->joining, pairs, &joined)) {
		struct input input =
			vary_join(&s->attempts.at[joined.first - 1].input, &s->attempts.at[joined.second - 1].input,
				  s->plan.sources, joined.source, s->options->max_input);

		result = input_search_offer(s, &input, ORIGIN_JOINED, joined.first, 0, err);
	}
	return result;
}

/* Does the strategy come no nearer to PM? */
static bool is_stuck(const struct input_search *s)
{
	return s->options->strategy == SEARCH_PM && s->dull >= DULL_MOST;
}

int input_pick(struct input_search *s, struct err *err)
{
	struct candidate candidate;
	int result = joining_due(&s->joining, s->picks) ? joined_make(s, JOINING_ALL, err) : 0;

	if (result == 0 && s->picks % VARY_EVERY == 0)
		result = variation_make(s, err);
	if (result == 0 && is_stuck(s) && share_next(&s->share) == SHARE_FRONTIER)
		result = frontier_make(s, err);
	while (result == 0 && !input_search_is_over(s) && queue_pop(&s->queue, candidate_rank, s, &candidate))
		if (!was_turned(s, &candidate) && (!candidate.hope || is_promising(s, &candidate)))
			result = candidate_turn(s, &candidate, err);
	if (result == 0 && !input_search_is_over(s))
		result = variation_make(s, err);
	if (result == 0 && !input_search_is_over(s))
		result = joined_make(s, JOINING_ONCE, err);
	/* A search does not end before the frontier does: its inputs that do nothing new are followed nowhere else. */
	if (result == 0 && !input_search_is_over(s))
		result = frontier_make(s, err);
	s->picks += result > 0;
	return result;
}
