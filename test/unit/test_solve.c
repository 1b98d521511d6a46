/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The solver's process: that it may die, hang, run out of memory or lie, and that nothing of it is left.  And what the
 * solver promises beyond verdicts: several targets, small changes, lengths. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "scratch.h"
#include "solve/message.h"
#include "solve/solver.h"
#include "solver_path.h"

/* ---- paths of one condition ---- */

struct sample {
	struct expressions *x;
	struct assignment input;
	VEC_OF(struct condition) conditions;
	struct trail_limits limits;
	enum condition_kind kind; /* of those that are decided next */
};

static void sample_make(struct sample *s, const char *input)
{
	*s = (struct sample){.x = expressions_new(), .limits = {.length_max = 64, .filler = '0'}};
	expressions_add_source(s->x, BO_SOURCE_STDIN, "");
	assignment_put(&s->input, 1, input, strlen(input));
}

static void sample_free(struct sample *s)
{
	assignment_free(&s->input);
	expressions_free(s->x);
	vec_free(&s->conditions);
}

static uint32_t number(struct sample *s, uint64_t value, uint8_t width)
{
	return expressions_add(s->x, &(struct expression){.kind = BO_EXPR_CONST, .width = width, .own = value});
}

static uint32_t byte(struct sample *s, uint64_t offset)
{
	return expressions_add(s->x, &(struct expression){.kind = BO_EXPR_INPUT,
							  .width = 8,
							  .own = variable_of_byte(1, offset)});
}

static uint32_t length(struct sample *s)
{
	return expressions_add(s->x, &(struct expression){.kind = BO_EXPR_LENGTH, .width = 64, .own = 1});
}

static uint32_t binary(struct sample *s, enum bo_expression kind, uint32_t a, uint32_t b)
{
	struct expression e = {.kind = kind, .width = expressions_at(s->x, a)->width, .operand = {a, b}};

	if (kind == BO_EXPR_CONCAT)
		e.width = (uint8_t)(e.width + expressions_at(s->x, b)->width);
	if (kind == BO_EXPR_EQ || kind == BO_EXPR_ULT)
		e.width = 1;
	return expressions_add(s->x, &e);
}

/* The path has decided it this way. */
static void decided(struct sample *s, uint32_t expression)
{
	bool value = expressions_evaluate(s->x, expression, &s->input);

	vec_push(&s->conditions, ((struct condition){expression, value, s->conditions.count, s->kind}));
}

static struct trail *sample_trail(struct sample *s)
{
	return trail_new(s->x, s->conditions.at, s->conditions.count, &s->input, &s->limits, 1);
}

/* Two bytes are equal: a question that only Z3 answers. */
static void easy_make(struct sample *s)
{
	sample_make(s, "ab");
	decided(s, binary(s, BO_EXPR_EQ, byte(s, 0), byte(s, 1)));
}

/* Two factors of a product of two large primes. */
static void hard_make(struct sample *s)
{
	uint32_t factors[2];

	sample_make(s, "abcdefgh");
	for (unsigned i = 0; i < 2; i++) {
		factors[i] = byte(s, i * 4u);
		for (unsigned j = 1; j < 4; j++)
			factors[i] = binary(s, BO_EXPR_CONCAT, factors[i], byte(s, i * 4u + j));
		factors[i] = expressions_add(s->x, &(struct expression){.kind = BO_EXPR_ZEXT,
									.width = 64,
									.operand = {factors[i]}});
		decided(s, binary(s, BO_EXPR_ULT, number(s, 1, 64), factors[i]));
	}
	decided(s, binary(s, BO_EXPR_EQ, binary(s, BO_EXPR_MUL, factors[0], factors[1]),
			  number(s, UINT64_C(4294967291) * UINT64_C(4294967279), 64)));
}

/* A product of two primes is to be found, and that the first one is smaller can be given up. */
static void moderate_make(struct sample *s)
{
	uint32_t factors[2];

	sample_make(s, "ab");
	decided(s, binary(s, BO_EXPR_ULT, byte(s, 0), byte(s, 1)));
	for (unsigned i = 0; i < 2; i++)
		factors[i] = expressions_add(s->x, &(struct expression){.kind = BO_EXPR_ZEXT,
									.width = 16,
									.operand = {byte(s, i)}});
	decided(s, binary(s, BO_EXPR_EQ, binary(s, BO_EXPR_MUL, factors[0], factors[1]), number(s, 251 * 241, 16)));
}

static enum solver_verdict hope(struct solver *solver, struct sample *s, size_t index, enum relaxation relaxation)
{
	struct trail *trail = sample_trail(s);
	struct assignment answer = {0};
	enum solver_verdict verdict;
	struct err err;

	assert_int_equal(solver_hope(solver, trail, index, relaxation, &verdict, &answer, &err), 0);
	assignment_free(&answer);
	trail_free(trail);
	return verdict;
}

static enum solver_verdict turn(struct solver *solver, struct sample *s, size_t index)
{
	return hope(solver, s, index, RELAX_NOTHING);
}

static void expect_easy(struct solver *solver, enum solver_verdict verdict)
{
	struct sample s;

	easy_make(&s);
	assert_int_equal(turn(solver, &s, 0), verdict);
	sample_free(&s);
}

static void expect_hard(struct solver *solver)
{
	struct sample s;

	hard_make(&s);
	assert_int_equal(turn(solver, &s, 2), SOLVER_UNKNOWN);
	sample_free(&s);
}

static void expect_no_process(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* ---- the process ---- */

/* A solver of our own: a shell script. */
static const char *fake(const char *dir, const char *script)
{
	static char path[PATH_MAX];

	assert_true(path_format(path, sizeof(path), "%s/solver", dir));
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\ncd '%s'\n%s\n", dir, script);
	fclose(file);
	chmod(path, 0755);
	return path;
}

static const struct solver_limits quick = {.ms = 1, .grace_ms = 300, .forgetful = true};
static const struct solver_limits patient = {.ms = 20000, .forgetful = true};

static void a_crash_loses_one_question(void **state)
{
	char script[2 * PATH_MAX], real[PATH_MAX];

	assert_non_null(realpath(solver_path(), real));
	snprintf(script, sizeof(script), "[ -e crashed ] && exec '%s' \"$@\"\n>crashed\nkill -SEGV $$", real);
	struct solver *solver = solver_new(fake(*state, script), &patient);
	expect_easy(solver, SOLVER_UNKNOWN);
	assert_int_equal(solver_counts(solver).dead, 1);
	expect_easy(solver, SOLVER_SOLVED);
	assert_int_equal(solver_counts(solver).dead, 1);
	solver_free(solver);
	expect_no_process();
}

static void a_hang_is_ended(void **state)
{
	struct solver *solver = solver_new(fake(*state, "exec sleep 600"), &quick);

	expect_easy(solver, SOLVER_UNKNOWN);
	assert_int_equal(solver_counts(solver).late, 1);
	solver_free(solver);
	expect_no_process();
}

static void a_solver_that_does_not_start_is_an_error(void **state)
{
	struct solver *solver = solver_new(fake(*state, "exit 127"), &patient);
	struct assignment answer = {0};
	enum solver_verdict verdict;
	struct sample s;
	struct err err;

	easy_make(&s);
	struct trail *trail = sample_trail(&s);
	assert_int_equal(solver_turn(solver, trail, 0, &verdict, &answer, &err), -1);
	assert_non_null(strstr(err.sentence, "does not start"));
	solver_free(solver);
	solver = solver_new("/nonexistent/solver", &patient);
	assert_int_equal(solver_turn(solver, trail, 0, &verdict, &answer, &err), -1);
	assert_non_null(strstr(err.sentence, "cannot run the solver /nonexistent/solver"));
	solver_free(solver);
	trail_free(trail);
	sample_free(&s);
	expect_no_process();
}

/* Let a solver send these bytes, whatever it is asked. */
static struct solver_counts counts_after_reply(const char *dir, const struct message_bytes *reply)
{
	char name[PATH_MAX];

	assert_true(path_format(name, sizeof(name), "%s/reply", dir));
	FILE *file = fopen(name, "w");
	assert_non_null(file);
	fwrite(reply->at, 1, reply->count, file);
	fclose(file);
	struct solver *solver = solver_new(fake(dir, "cat reply >&0"), &patient);
	expect_easy(solver, SOLVER_UNKNOWN);
	struct solver_counts counts = solver_counts(solver);
	solver_free(solver);
	expect_no_process();
	return counts;
}

static void lies_are_noticed(void **state)
{
	struct message_answer answer = {.serial = 1, .verdict = MESSAGE_SAT};
	struct message_value value = {.variable = 0, .value = 'z'};
	struct message_bytes reply = {0};

	/* Values that do not make the bytes equal. */
	message_add(&reply, MESSAGE_VALUE, &value, sizeof(value));
	message_add(&reply, MESSAGE_ANSWER, &answer, sizeof(answer));
	assert_int_equal(counts_after_reply(*state, &reply).wrong, 1);
	/* The end is missing. */
	reply.count--;
	assert_int_equal(counts_after_reply(*state, &reply).dead, 1);
	/* A variable that there is not. */
	value.variable = 2;
	reply.count = 0;
	message_add(&reply, MESSAGE_VALUE, &value, sizeof(value));
	message_add(&reply, MESSAGE_ANSWER, &answer, sizeof(answer));
	assert_int_equal(counts_after_reply(*state, &reply).dead, 1);
	/* The answer to another question; a verdict that there is not; a record that only blackout sends. */
	for (unsigned i = 0; i < 3; i++) {
		answer.serial = i == 0 ? 2 : 1;
		answer.verdict = i == 1 ? MESSAGE_VERDICT_COUNT : MESSAGE_UNSAT;
		reply.count = 0;
		message_add(&reply, i == 2 ? MESSAGE_ASK : MESSAGE_ANSWER, &answer, sizeof(answer));
		assert_int_equal(counts_after_reply(*state, &reply).dead, 1);
	}
	vec_free(&reply);
}

static void a_hard_question_takes_its_time_and_no_more(void **state)
{
	struct solver_limits limits = {.ms = 100, .grace_ms = 60000, .forgetful = true};
	struct solver *solver = solver_new(solver_path(), &limits);

	(void)state;
	expect_hard(solver);
	/* Z3 gave up by itself, and goes on with the next question. */
	assert_int_equal(solver_counts(solver).slow, 1);
	assert_int_equal(solver_counts(solver).late + solver_counts(solver).dead, 0);
	solver_free(solver);
	limits = (struct solver_limits){.ms = 60000, .grace_ms = 60000, .memory_mb = 24, .forgetful = true};
	solver = solver_new(solver_path(), &limits);
	expect_hard(solver);
	expect_easy(solver, SOLVER_SOLVED);
	solver_free(solver);
	expect_no_process();
}

/* With too little effort, a question that would be answered is given up, each time alike. */
static void effort_decides(void **state)
{
	static const struct {
		uint32_t effort;
		enum solver_verdict verdict;
	} cases[] = {{100, SOLVER_UNKNOWN}, {1000000, SOLVER_SOLVED}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct solver_limits limits = {.effort = cases[i / 2].effort, .ms = 600000, .forgetful = true};
		struct solver *solver = solver_new(solver_path(), &limits);
		struct sample s;

		moderate_make(&s);
		assert_int_equal(turn(solver, &s, 1), cases[i / 2].verdict);
		assert_int_equal(hope(solver, &s, 1, RELAX_ALL), cases[i / 2].verdict);
		assert_int_equal(solver_counts(solver).late + solver_counts(solver).dead, 0);
		sample_free(&s);
		solver_free(solver);
	}
	expect_no_process();
}

static bool is_interrupted(void *arg)
{
	return ++*(int *)arg > 2;
}

static void an_interrupt_ends_the_question(void **state)
{
	int asked = 0;
	struct solver_limits limits = {.ms = 600000, .stop = {is_interrupted, &asked}};
	struct solver *solver = solver_new(solver_path(), &limits);
	double begin = clock_seconds();

	(void)state;
	expect_hard(solver);
	assert_true(clock_seconds() - begin < 60);
	solver_free(solver);
	expect_no_process();
}

/* ---- what is promised of answers ---- */

static void targets_differ(void **state)
{
	static const uint8_t table[] = {10, 20, 30, 40};
	struct solver *solver = solver_new(solver_path(), &patient);
	struct assignment answer = {0};
	enum solver_verdict verdict;
	bool seen[256] = {0};
	unsigned targets = 0;
	struct sample s;
	struct err err;

	(void)state;
	sample_make(&s, "\2");
	uint32_t offset =
		expressions_add(s.x, &(struct expression){.kind = BO_EXPR_ZEXT, .width = 64, .operand = {byte(&s, 0)}});
	decided(&s, binary(&s, BO_EXPR_ULT, offset, number(&s, sizeof(table), 64)));
	uint32_t target = expressions_add(s.x, &(struct expression){.kind = BO_EXPR_TABLE,
								    .width = 8,
								    .operand = {offset},
								    .own = expressions_add_table(s.x, 0, table, 4)});
	decided(&s, binary(&s, BO_EXPR_EQ, target, number(&s, 30, 8)));
	struct trail *trail = sample_trail(&s);
	/* What was excluded by hand comes back, and what was answered meanwhile does not. */
	trail_exclude_value(trail, 1, 10);
	trail_exclude_value(trail, 1, 20);
	assert_int_equal(solver_turn(solver, trail, 1, &verdict, &answer, &err), 0);
	assert_int_equal(verdict, SOLVER_SOLVED);
	assert_int_equal(expressions_evaluate(s.x, target, &answer), 40);
	assert_int_equal(solver_turn(solver, trail, 1, &verdict, &answer, &err), 0);
	assert_int_equal(verdict, SOLVER_UNSAT);
	trail_include(trail, 0, 2);
	seen[40] = true;
	targets = 1;
	while (solver_turn(solver, trail, 1, &verdict, &answer, &err) == 0 && verdict == SOLVER_SOLVED) {
		uint64_t value = expressions_evaluate(s.x, target, &answer);

		assert_true(value != 30 && !seen[value]);
		seen[value] = true;
		targets++;
	}
	assert_int_equal(verdict, SOLVER_UNSAT);
	assert_int_equal(targets, 3);
	assignment_free(&answer);
	trail_free(trail);
	solver_free(solver);
	sample_free(&s);
}

/* Turn the last condition, and compare the whole input; NULL: there is none. */
static void expect_hope(struct sample *s, enum relaxation relaxation, const char *expected)
{
	struct solver *solver = solver_new(solver_path(), &patient);
	struct trail *trail = sample_trail(s);
	struct assignment answer = {0};
	enum solver_verdict verdict;
	char text[65] = "";
	struct err err;

	assert_int_equal(solver_hope(solver, trail, s->conditions.count - 1, relaxation, &verdict, &answer, &err), 0);
	assert_int_equal(verdict, expected ? SOLVER_SOLVED : SOLVER_UNSAT);
	for (uint64_t i = 0; i < assignment_length(&answer, 1); i++)
		text[i] = (char)assignment_byte(&answer, 1, i);
	assert_string_equal(text, expected ? expected : "");
	assignment_free(&answer);
	trail_free(trail);
	solver_free(solver);
}

static void expect_answer(struct sample *s, const char *expected)
{
	expect_hope(s, RELAX_NOTHING, expected);
	sample_free(s);
}

/* The last condition wants "no", and what was decided before forbids the first letter of it. */
static void expect_given_up_from(enum condition_kind kind, enum relaxation first)
{
	struct sample s;

	sample_make(&s, "yes");
	s.kind = kind;
	decided(&s, binary(&s, BO_EXPR_EQ, byte(&s, 0), number(&s, 'n', 8)));
	decided(&s, binary(&s, BO_EXPR_EQ, byte(&s, 1), byte(&s, 2)));
	decided(&s, binary(&s, BO_EXPR_ULT, byte(&s, 2), number(&s, 'p', 8)));
	s.kind = CONDITION_OWN;
	decided(&s, binary(&s, BO_EXPR_EQ, binary(&s, BO_EXPR_CONCAT, byte(&s, 0), byte(&s, 1)),
			   number(&s, 'n' << 8 | 'o', 16)));
	for (enum relaxation r = RELAX_NOTHING; r < RELAXATIONS; r++)
		expect_hope(&s, r, r < first ? NULL : "nos");
	sample_free(&s);
}

/* The other two conditions, which tie the third byte, are not in the way, so they still hold. */
static void only_what_is_in_the_way_is_given_up(void **state)
{
	(void)state;
	expect_given_up_from(CONDITION_PLACE, RELAX_PLACES);
	expect_given_up_from(CONDITION_INSIDE, RELAX_INSIDE);
	expect_given_up_from(CONDITION_OWN, RELAX_ALL);
	expect_given_up_from(CONDITION_BOUND, RELAXATIONS);
}

/* A program asks the same twice.  The second time there is another side only if the first answer is given up. */
static void the_same_again_is_given_up(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s, "yes");
	for (int i = 0; i < 2; i++)
		decided(&s, binary(&s, BO_EXPR_EQ, byte(&s, 0), number(&s, 'n', 8)));
	expect_hope(&s, RELAX_INSIDE, NULL);
	expect_hope(&s, RELAX_ALL, "nes");
	sample_free(&s);
}

/* What was given up does not make later conditions simpler. */
static void nothing_follows_from_what_is_given_up(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s, "ab");
	s.kind = CONDITION_INSIDE;
	decided(&s, binary(&s, BO_EXPR_EQ, byte(&s, 0), number(&s, 'a', 8)));
	s.kind = CONDITION_OWN;
	decided(&s, binary(&s, BO_EXPR_EQ, binary(&s, BO_EXPR_XOR, byte(&s, 0), number(&s, 'a' ^ 'z', 8)),
			   number(&s, 'a', 8)));
	expect_hope(&s, RELAX_NOTHING, NULL);
	expect_hope(&s, RELAX_INSIDE, "zb");
	sample_free(&s);
}

static void only_what_must_change_changes(void **state)
{
	struct sample s;

	(void)state;
	/* "no" at the second and third byte; the first is tied to them, but can stay. */
	sample_make(&s, "hello");
	decided(&s, binary(&s, BO_EXPR_ULT, byte(&s, 0), binary(&s, BO_EXPR_ADD, byte(&s, 1), byte(&s, 2))));
	decided(&s, binary(&s, BO_EXPR_EQ, binary(&s, BO_EXPR_CONCAT, byte(&s, 1), byte(&s, 2)),
			   number(&s, 'n' << 8 | 'o', 16)));
	expect_answer(&s, "hnolo");
}

static void lengths_grow_and_shrink(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s, "abc");
	decided(&s, binary(&s, BO_EXPR_ULT, length(&s), number(&s, 6, 64)));
	decided(&s, binary(&s, BO_EXPR_EQ, length(&s), number(&s, 5, 64)));
	expect_answer(&s, "abc00");
	/* It cannot lose the byte that was looked at. */
	sample_make(&s, "abcdef");
	decided(&s, binary(&s, BO_EXPR_EQ, byte(&s, 2), number(&s, 'c', 8)));
	decided(&s, binary(&s, BO_EXPR_ULT, length(&s), number(&s, 4, 64)));
	expect_answer(&s, "abc");
}

/* A decimal number of all bytes, each of which was found to be a digit. */
static uint32_t decimal(struct sample *s, uint64_t digits)
{
	uint32_t whole = number(s, 0, 64);

	for (uint64_t i = 0; i < digits; i++) {
		uint32_t digit = binary(s, BO_EXPR_ADD, byte(s, i), number(s, (uint8_t) - '0', 8));
		uint32_t wide =
			expressions_add(s->x,
					&(struct expression){.kind = BO_EXPR_ZEXT, .width = 64, .operand = {digit}});

		decided(s, binary(s, BO_EXPR_ULT, digit, number(s, 10, 8)));
		whole = i ? binary(s, BO_EXPR_ADD, wide, binary(s, BO_EXPR_MUL, whole, number(s, 10, 64))) : wide;
	}
	return whole;
}

/* For a solver of bits these are hard questions. */
static void decimal_numbers_are_easy(void **state)
{
	const uint64_t digits = 17;
	struct sample s;

	(void)state;
	sample_make(&s, "70000000000000000");
	decided(&s, binary(&s, BO_EXPR_EQ, decimal(&s, digits), number(&s, 1234567890, 64)));
	expect_answer(&s, "00000001234567890");
	/* It has too many digits. */
	sample_make(&s, "70000000000000000");
	decided(&s, binary(&s, BO_EXPR_EQ, decimal(&s, digits), number(&s, UINT64_C(100000000000000000), 64)));
	expect_answer(&s, NULL);
	/* Whether a digit is above five may be given up, and also that it is a digit, but that is not needed. */
	sample_make(&s, "70000000000000000");
	s.kind = CONDITION_INSIDE;
	uint32_t whole = decimal(&s, digits);
	for (uint64_t i = 0; i < digits; i++)
		decided(&s, binary(&s, BO_EXPR_ULT, byte(&s, i), number(&s, '6', 8)));
	s.kind = CONDITION_OWN;
	decided(&s, binary(&s, BO_EXPR_EQ, whole, number(&s, 31739, 64)));
	expect_hope(&s, RELAX_PLACES, NULL);
	expect_hope(&s, RELAX_INSIDE, "00000000000031739");
	sample_free(&s);
}

/* Digits of another kind: from 1 to 7 they are not all that there can be, and from 1 to 10 they are. */
static void other_digits(void **state)
{
	static const struct {
		uint64_t digits;
		const char *expected;
	} cases[] = {{7, NULL}, {10, "dj"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sample s;
		uint32_t wide[2];

		sample_make(&s, "aa");
		for (unsigned k = 0; k < 2; k++) {
			uint32_t digit = binary(&s, BO_EXPR_SUB, byte(&s, k), number(&s, 'a' - 1, 8));

			decided(&s, binary(&s, BO_EXPR_ULT, number(&s, 0, 8), digit));
			decided(&s, binary(&s, BO_EXPR_ULT, digit, number(&s, cases[i].digits + 1, 8)));
			wide[k] = expressions_add(s.x, &(struct expression){.kind = BO_EXPR_ZEXT,
									    .width = 16,
									    .operand = {digit}});
		}
		decided(&s,
			binary(&s, BO_EXPR_EQ,
			       binary(&s, BO_EXPR_ADD, binary(&s, BO_EXPR_MUL, wide[0], number(&s, 10, 16)), wide[1]),
			       number(&s, 50, 16)));
		expect_answer(&s, cases[i].expected);
	}
}

/* ---- answers ---- */

static struct meaning key_of(uint64_t number)
{
	return (struct meaning){number, 0};
}

/* An answer whose values take a megabyte. */
static void answer_keep(struct answers *answers, uint64_t number)
{
	struct solution solution = {0};

	for (uint64_t i = 0; i < (1 << 20) / sizeof(struct solution_value); i++)
		solution_add(&solution, key_of(i), number);
	answers_keep(answers, key_of(number), SOLVER_SOLVED, &solution);
}

/* Old answers are dropped, so that memory is bounded; the last ones are there. */
static void old_answers_are_dropped(void **state)
{
	struct answers *answers = answers_new();
	const struct solution *solution;
	enum solver_verdict verdict;

	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		answer_keep(answers, i);
		for (unsigned back = 0; back < ANSWERS_RECENT && back <= i; back++)
			assert_int_equal(answers_recent(answers, back)->values.at[0].value, i - back);
	}
	assert_false(answers_find(answers, key_of(0), &verdict, &solution));
	assert_true(answers_find(answers, key_of(59), &verdict, &solution));
	assert_int_equal(verdict, SOLVER_SOLVED);
	assert_int_equal(solution->values.at[0].value, 59);
	assert_null(answers_recent(answers, ANSWERS_RECENT));
	answers_free(answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_crash_loses_one_question),
		scratch_test(a_hang_is_ended),
		scratch_test(a_solver_that_does_not_start_is_an_error),
		scratch_test(lies_are_noticed),
		cmocka_unit_test(a_hard_question_takes_its_time_and_no_more),
		cmocka_unit_test(effort_decides),
		cmocka_unit_test(an_interrupt_ends_the_question),
		cmocka_unit_test(targets_differ),
		cmocka_unit_test(only_what_must_change_changes),
		cmocka_unit_test(lengths_grow_and_shrink),
		cmocka_unit_test(decimal_numbers_are_easy),
		cmocka_unit_test(other_digits),
		cmocka_unit_test(only_what_is_in_the_way_is_given_up),
		cmocka_unit_test(the_same_again_is_given_up),
		cmocka_unit_test(nothing_follows_from_what_is_given_up),
		cmocka_unit_test(old_answers_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
