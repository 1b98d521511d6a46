/* SPDX-License-Identifier: GPL-2.0-or-later */
/* solver.c - see solver.h. */
#include "solve/solver.h"

#include "base/map.h"
#include "base/mem.h"
#include "solve/candidate.h"
#include "solve/server.h"

enum {
	HALVINGS_MAX = 5, /* of the effort for a site whose questions are too hard */
	HURRY = 2         /* halvings if questions must be easy */
};

struct solver {
	uint32_t effort;
	bool hurries;
	bool forgetful;
	struct server *server;
	struct answers *answers;
	struct map halvings; /* site -> how often its effort was halved */
	struct solver_counts counts;
};

/* One question on its way. */
struct turn {
	struct trail *trail;
	size_t index;
	struct slice slice;
	struct meaning key;
	struct assignment input;
};

struct solver *solver_new(const char *path, const struct solver_limits *limits)
{
	struct solver *solver = mem_alloc(sizeof(*solver));
	struct server_limits process = {
		.memory_mb = limits->memory_mb ? limits->memory_mb : SOLVER_MEMORY_MB,
		.ms = limits->ms ? limits->ms : SOLVER_MS,
		.grace_ms = limits->grace_ms ? limits->grace_ms : SOLVER_GRACE_MS,
		.stop = limits->stop,
	};

	solver->effort = limits->effort ? limits->effort : SOLVER_EFFORT;
	solver->forgetful = limits->forgetful;
	solver->server = server_new(path, &process);
	solver->answers = answers_new();
	return solver;
}

void solver_free(struct solver *solver)
{
	if (!solver)
		return;
	server_free(solver->server);
	answers_free(solver->answers);
	map_free(&solver->halvings);
	free(solver);
}

void solver_hurry(struct solver *solver, bool hurries)
{
	solver->hurries = hurries;
}

struct solver_counts solver_counts(const struct solver *solver)
{
	return solver->counts;
}

/* ---- without Z3 ---- */

static bool solution_fits(struct turn *turn, const struct solution *solution)
{
	return candidate_make(turn->trail, &turn->slice, solution, &turn->input) &&
	       candidate_holds(turn->trail, &turn->slice, &turn->input);
}

static bool answer_known(struct solver *solver, struct turn *turn, enum solver_verdict *verdict)
{
	const struct solution *solution;

	if (!answers_find(solver->answers, turn->key, verdict, &solution) ||
	    (solution && !solution_fits(turn, solution)))
		return false;
	solver->counts.known++;
	return true;
}

static bool answer_recent(struct solver *solver, struct turn *turn, enum solver_verdict *verdict)
{
	const struct solution *solution;

	for (unsigned i = 0; (solution = answers_recent(solver->answers, i)); i++) {
		if (!solution_fits(turn, solution))
			continue;
		solver->counts.recent++;
		*verdict = SOLVER_SOLVED;
		return true;
	}
	return false;
}

static bool answer_enumerated(struct solver *solver, struct turn *turn, enum solver_verdict *verdict)
{
	if (!candidate_enumerate(turn->trail, &turn->slice, verdict, &turn->input))
		return false;
	solver->counts.enumerated++;
	return true;
}

/* ---- with Z3 ---- */

static uint64_t *halvings_of(struct solver *solver, const struct turn *turn)
{
	return map_put(&solver->halvings, turn->trail->conditions.at[turn->index].as.site, 0);
}

static bool values_fit(struct turn *turn, const struct server_values *values)
{
	struct solution solution = {0};

	for (size_t i = 0; i < values->values.count; i++)
		solution_add(&solution, meaning_of(&turn->trail->meanings, values->values.at[i].variable),
			     values->values.at[i].value);
	solution_sort(&solution);
	bool fits = solution_fits(turn, &solution);
	solution_free(&solution);
	return fits;
}

static enum solver_verdict verdict_of(struct solver *solver, struct turn *turn, enum server_answer answer,
				      const struct server_values *values)
{
	uint64_t *halvings = halvings_of(solver, turn);

	solver->counts.slow += answer == SERVER_SLOW;
	solver->counts.late += answer == SERVER_LATE;
	solver->counts.dead += answer == SERVER_DEAD;
	switch (answer) {
	case SERVER_UNSAT: *halvings = 0; return SOLVER_UNSAT;
	case SERVER_SAT:
		*halvings = 0;
		if (values_fit(turn, values))
			return SOLVER_SOLVED;
		solver->counts.wrong++;
		return SOLVER_UNKNOWN;
	default: *halvings += !solver->hurries && *halvings < HALVINGS_MAX; return SOLVER_UNKNOWN;
	}
}

static int answer_ask(struct solver *solver, struct turn *turn, enum solver_verdict *verdict, bool *final,
		      struct err *err)
{
	struct server_values values = {0};
	enum server_answer answer;
	uint64_t halvings = *halvings_of(solver, turn);
	uint32_t effort = solver->effort >> (solver->hurries && halvings < HURRY ? HURRY : halvings);
	int result = server_ask(solver->server, turn->trail, &turn->slice, effort ? effort : 1, &answer, &values, err);

	if (result == 0) {
		solver->counts.asked++;
		*final = answer != SERVER_STOPPED;
		*verdict = verdict_of(solver, turn, answer, &values);
	}
	vec_free(&values.values);
	return result;
}

/* ---- one question ---- */

static void count_verdict(struct solver *solver, enum solver_verdict verdict)
{
	solver->counts.solved += verdict == SOLVER_SOLVED;
	solver->counts.unsat += verdict == SOLVER_UNSAT;
	solver->counts.unknown += verdict == SOLVER_UNKNOWN;
}

/* Bytes behind the end are no part of an input. */
static void input_trim(struct assignment *input)
{
	for (size_t i = 0; i < input->sources.count; i++) {
		struct assignment_source *source = &input->sources.at[i];

		if (source->bytes.count > source->length)
			source->bytes.count = source->length;
	}
}

static void input_give(struct turn *turn, struct assignment *input)
{
	slice_settle(&turn->slice, turn->trail->evaluation, &turn->input);
	candidate_draw_near(turn->trail, &turn->slice, &turn->input);
	input_trim(&turn->input);
	trail_exclude(turn->trail, turn->index, &turn->input);
	assignment_copy(input, &turn->input);
}

/* Only Z3 knows which wishes are in the way. */
static bool answer_cheaply(struct solver *solver, struct turn *turn, enum solver_verdict *verdict)
{
	return !solver->forgetful && !slice_has_wishes(&turn->slice) &&
	       (answer_enumerated(solver, turn, verdict) || answer_recent(solver, turn, verdict));
}

static int turn_answer(struct solver *solver, struct turn *turn, enum solver_verdict *verdict, struct err *err)
{
	struct solution solution = {0};
	bool final = true;

	turn->key = answers_key(&turn->trail->meanings, &turn->slice);
	if (!solver->forgetful && answer_known(solver, turn, verdict))
		return 0;
	if (!answer_cheaply(solver, turn, verdict) && answer_ask(solver, turn, verdict, &final, err) < 0)
		return -1;
	if (!final || (*verdict == SOLVER_UNKNOWN && solver->hurries))
		return 0;
	if (*verdict == SOLVER_SOLVED)
		candidate_solution(turn->trail, &turn->slice, &turn->input, &solution);
	answers_keep(solver->answers, turn->key, *verdict, &solution);
	return 0;
}

int solver_turn(struct solver *solver, struct trail *trail, size_t index, enum solver_verdict *verdict,
		struct assignment *input, struct err *err)
{
	return solver_hope(solver, trail, index, RELAX_NOTHING, verdict, input, err);
}

int solver_hope(struct solver *solver, struct trail *trail, size_t index, enum relaxation relaxation,
		enum solver_verdict *verdict, struct assignment *input, struct err *err)
{
	struct turn turn = {.trail = trail_relaxed(trail, relaxation), .index = index};
	int result = 0;

	*verdict = SOLVER_UNSAT;
	if (trail_slice(turn.trail, index, &turn.slice) &&
	    (relaxation == RELAX_NOTHING || slice_has_wishes(&turn.slice)))
		result = turn_answer(solver, &turn, verdict, err);
	else
		solver->counts.plain++;
	if (result == 0) {
		solver->counts.left_out += turn.slice.left_out;
		count_verdict(solver, *verdict);
		if (*verdict == SOLVER_SOLVED)
			input_give(&turn, input);
	}
	slice_free(&turn.slice);
	assignment_free(&turn.input);
	return result;
}
