/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The solver on random questions, against trying all inputs.
 *
 * First, each kind of expression: Z3 and the evaluator must agree on what it means.  A value that an expression has for some
 * input must be found, and a value that it has for no input must be refused.  Then whole paths: what the solver says about a
 * slice of the conditions must be true of all of them, with and without what it remembers. */
#include <stdlib.h>

#include "base/random.h"
#include "expression_random.h"
#include "scratch.h"
#include "solve/solver.h"
#include "solver_path.h"

enum {
	QUESTION_MS = 5000, /* few need more than a hundredth of it */
	KIND_ROUNDS = 6,
	KIND_DEPTH = 2,
	PATHS = 40,
	PATH_CONDITIONS = 10,
	PATH_BYTES = 4,
	PATH_LENGTH_MAX = 8,
	LETTERS = 6, /* bytes of paths are from 'a' to 'f', so that all inputs can be tried */
};

static uint64_t rounds(uint64_t usual)
{
	const char *more = getenv("SOLVE_ROUNDS"); /* for longer tests by hand: so many times as many */

	return more ? usual * strtoull(more, NULL, 10) : usual;
}

/* ---- each kind of expression ---- */

struct subject {
	struct expressions *x;
	struct evaluation *evaluation;
	uint32_t id; /* the expression, of two bytes of input */
};

static uint64_t value_at(struct subject *m, unsigned bytes)
{
	struct assignment input = {0};
	uint8_t content[2] = {(uint8_t)bytes, (uint8_t)(bytes >> 8)};

	assignment_put(&input, 1, content, sizeof(content));
	evaluation_forget(m->evaluation);
	uint64_t value = evaluation_value(m->evaluation, m->id, &input);
	assignment_free(&input);
	return value;
}

static bool is_possible(struct subject *m, uint64_t value)
{
	for (unsigned bytes = 0; bytes <= 0xffff; bytes++) {
		if (value_at(m, bytes) == value)
			return true;
	}
	return false;
}

/* Ask for an input for which the expression has the value; `old` is one for which it has not. */
static enum solver_verdict ask(struct solver *solver, struct subject *m, unsigned old, uint64_t value)
{
	uint8_t content[2] = {(uint8_t)old, (uint8_t)(old >> 8)};
	struct expression constant = {.kind = BO_EXPR_CONST, .width = expressions_at(m->x, m->id)->width, .own = value};
	struct expression same = {.kind = BO_EXPR_EQ, .width = 1, .operand = {m->id}};
	struct assignment input = {0}, found = {0};
	enum solver_verdict verdict;
	struct err err;

	same.operand[1] = expressions_add(m->x, &constant);
	struct condition condition = {.expression = expressions_add(m->x, &same), .value = false};
	assignment_put(&input, 1, content, sizeof(content));
	struct trail *trail = trail_new(m->x, &condition, 1, &input, NULL, 0);
	assert_int_equal(trail->broken, 0);
	assert_int_equal(solver_turn(solver, trail, 0, &verdict, &found, &err), 0);
	if (verdict == SOLVER_SOLVED)
		assert_int_equal(expressions_evaluate(m->x, m->id, &found), value);
	trail_free(trail);
	assignment_free(&input);
	assignment_free(&found);
	return verdict;
}

static void one_meaning(struct solver *solver, enum bo_expression kind, uint64_t seed)
{
	struct subject m = {.x = expressions_new()};
	struct expression_maker maker = {.x = m.x, .state = random_seed(seed, kind), .width_most = 32};
	uint32_t source = expressions_add_source(m.x, BO_SOURCE_STDIN, "");

	for (unsigned i = 0; i < 2; i++)
		maker_variable(&maker, expressions_add(m.x, &(struct expression){.kind = BO_EXPR_INPUT,
										 .width = 8,
										 .own = variable_of_byte(source, i)}));
	m.id = maker_of_kind(&maker, kind, KIND_DEPTH);
	m.evaluation = evaluation_new(m.x);
	unsigned old = (unsigned)random_below(&maker.state, 0x10000),
		 hidden = (unsigned)random_below(&maker.state, 0x10000);
	if (value_at(&m, old) != value_at(&m, hidden))
		assert_int_equal(ask(solver, &m, old, value_at(&m, hidden)), SOLVER_SOLVED);
	uint64_t other = (value_at(&m, hidden) + random_below(&maker.state, 3)) &
			 bo_width_mask(expressions_at(m.x, m.id)->width);
	if (value_at(&m, old) != other)
		assert_int_equal(ask(solver, &m, old, other), is_possible(&m, other) ? SOLVER_SOLVED : SOLVER_UNSAT);
	evaluation_free(m.evaluation);
	maker_free(&maker);
	expressions_free(m.x);
}

static void each_kind_means_the_same(void **state)
{
	struct solver_limits limits = {.ms = QUESTION_MS, .forgetful = true};
	struct solver *solver = solver_new(solver_path(), &limits);

	(void)state;
	for (uint64_t seed = 1; seed <= rounds(KIND_ROUNDS); seed++) {
		for (enum bo_expression kind = BO_EXPR_NOT; kind < BO_EXPR_COUNT; kind++)
			one_meaning(solver, kind, seed);
	}
	struct solver_counts counts = solver_counts(solver);
	assert_int_equal(counts.wrong, 0);
	assert_int_equal(counts.dead + counts.late, 0);
	assert_true(counts.solved > counts.asked / 4 && counts.unsat > counts.asked / 20);
	solver_free(solver);
}

/* ---- paths ---- */

struct path {
	struct expressions *x;
	struct assignment input;
	struct condition conditions[PATH_CONDITIONS];
	uint64_t bytes_looked_at[PATH_CONDITIONS]; /* up to each */
	struct trail_limits limits;
};

static uint64_t offset_after_last_byte(const struct variable_set *set)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < PATH_BYTES; i++) {
		if (variable_set_has(set, variable_of_byte(1, i)))
			bytes = i + 1;
	}
	return bytes;
}

static void variables_make(struct path *path, struct expression_maker *maker)
{
	uint32_t source = expressions_add_source(path->x, BO_SOURCE_STDIN, "");

	for (unsigned i = 0; i < PATH_BYTES; i++) {
		struct expression byte = {.kind = BO_EXPR_INPUT, .width = 8, .own = variable_of_byte(source, i)};

		maker_variable(maker, expressions_add(path->x, &byte));
	}
	struct expression length = {.kind = BO_EXPR_LENGTH, .width = 64, .own = source};
	maker_variable(maker, expressions_add(path->x, &length));
}

static void path_make(struct path *path, uint64_t seed)
{
	struct expression_maker maker = {.x = expressions_new(), .state = seed, .width_most = 16}, few;
	uint8_t content[PATH_BYTES];
	uint64_t looked_at = 0;

	*path = (struct path){.x = maker.x, .limits = {.length_max = PATH_LENGTH_MAX, .filler = 'a'}};
	for (unsigned byte = 0; byte < 256; byte++) {
		if (byte < 'a' || byte >= 'a' + LETTERS)
			path->limits.forbidden[byte / 64] |= UINT64_C(1) << byte % 64;
	}
	variables_make(path, &maker);
	for (unsigned i = 0; i < PATH_BYTES; i++)
		content[i] = (uint8_t)('a' + random_below(&maker.state, LETTERS));
	assignment_put(&path->input, 1, content, PATH_BYTES);
	struct variables *variables = variables_new(path->x);
	for (unsigned i = 0; i < PATH_CONDITIONS; i++) {
		/* Each condition is about one or two variables, so that there are slices. */
		few = (struct expression_maker){.x = path->x, .state = random_next(&maker.state), .width_most = 16};
		for (unsigned j = 0; j < 2; j++)
			maker_variable(&few, maker.variables.at[random_below(&maker.state, maker.variables.count)]);
		uint32_t id = maker_condition(&few, 1);
		bool value = expressions_evaluate(path->x, id, &path->input);
		path->conditions[i] = (struct condition){.expression = id, .value = value, .site = i % 3};
		uint64_t bytes = offset_after_last_byte(variables_of(variables, id));
		path->bytes_looked_at[i] = looked_at = bytes > looked_at ? bytes : looked_at;
		maker_free(&few);
	}
	variables_free(variables);
	maker_free(&maker);
}

static void path_free(struct path *path)
{
	assignment_free(&path->input);
	expressions_free(path->x);
}

/* Does the input take the path up to the condition, and then the other side? */
static bool turns(const struct path *path, struct evaluation *evaluation, const struct assignment *input, size_t index)
{
	evaluation_forget(evaluation);
	for (size_t i = 0; i <= index; i++) {
		bool value = evaluation_value(evaluation, path->conditions[i].expression, input);

		if ((value == path->conditions[i].value) == (i == index))
			return false;
	}
	return true;
}

/* Is there such an input? */
static bool can_be_turned(const struct path *path, size_t index)
{
	struct evaluation *evaluation = evaluation_new(path->x);
	struct assignment input = {0};
	unsigned contents = 1;
	bool found = false;

	for (unsigned i = 0; i < PATH_BYTES; i++)
		contents *= LETTERS;
	for (uint64_t length = path->bytes_looked_at[index]; length <= PATH_LENGTH_MAX && !found; length++) {
		for (unsigned number = 0; number < contents && !found; number++) {
			for (unsigned i = 0, rest = number; i < PATH_BYTES; i++, rest /= LETTERS)
				assignment_set_byte(&input, 1, i, (uint8_t)('a' + rest % LETTERS));
			assignment_set_length(&input, 1, length);
			found = turns(path, evaluation, &input, index);
		}
	}
	assignment_free(&input);
	evaluation_free(evaluation);
	return found;
}

/* Bytes have letters that are allowed, and lengths are. */
static void expect_allowed(const struct path *path, const struct assignment *input, size_t index)
{
	uint64_t length = assignment_length(input, 1);

	assert_in_range(length, path->bytes_looked_at[index], PATH_LENGTH_MAX);
	assert_true(input->sources.at[0].bytes.count <= length);
	for (uint64_t i = 0; i < length; i++)
		assert_in_range(assignment_byte(input, 1, i), 'a', 'a' + LETTERS - 1);
}

static void path_check(const struct path *path, struct solver *solver, const bool *expected)
{
	struct trail *trail = trail_new(path->x, path->conditions, PATH_CONDITIONS, &path->input, &path->limits, 1);
	struct evaluation *evaluation = evaluation_new(path->x);
	struct assignment input = {0};
	enum solver_verdict verdict;
	struct err err;

	assert_int_equal(trail->broken, 0);
	for (size_t i = 0; i < PATH_CONDITIONS; i++) {
		assert_int_equal(solver_turn(solver, trail, i, &verdict, &input, &err), 0);
		assert_int_equal(verdict, expected[i] ? SOLVER_SOLVED : SOLVER_UNSAT);
		if (verdict != SOLVER_SOLVED)
			continue;
		assert_true(turns(path, evaluation, &input, i));
		expect_allowed(path, &input, i);
	}
	assignment_free(&input);
	evaluation_free(evaluation);
	trail_free(trail);
}

static void slices_and_memory_change_no_verdict(void **state)
{
	struct solver_limits limits = {.ms = QUESTION_MS}, forgetful_limits = {.ms = QUESTION_MS, .forgetful = true};
	struct solver *solver = solver_new(solver_path(), &limits);
	struct solver *forgetful = solver_new(solver_path(), &forgetful_limits);
	uint64_t possible = 0, count = rounds(PATHS);

	(void)state;
	for (uint64_t seed = 1; seed <= count; seed++) {
		bool expected[PATH_CONDITIONS];
		struct path path;

		path_make(&path, seed);
		for (size_t i = 0; i < PATH_CONDITIONS; i++)
			possible += expected[i] = can_be_turned(&path, i);
		path_check(&path, forgetful, expected);
		path_check(&path, solver, expected);
		path_check(&path, solver, expected); /* all is known by now */
		path_free(&path);
	}
	assert_int_equal(solver_counts(solver).wrong + solver_counts(forgetful).wrong, 0);
	assert_true(solver_counts(solver).known >= count * PATH_CONDITIONS / 4);
	assert_true(possible > count && possible < count * PATH_CONDITIONS / 2);
	solver_free(solver);
	solver_free(forgetful);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_means_the_same),
		cmocka_unit_test(slices_and_memory_change_no_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
