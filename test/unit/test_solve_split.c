/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions that are split, and what becomes known by them, against the conditions as they were: for random expressions and
 * many inputs, the parts hold together exactly if the condition does, and if it does, what is made simpler has the same
 * value. */
#include "base/random.h"
#include "expression/evaluation.h"
#include "expression/variables.h"
#include "expression_random.h"
#include "scratch.h"
#include "solve/split.h"

enum { CONDITIONS = 6000, INPUTS = 60, DEPTH = 3, BYTES = 2, OTHERS = 3 };

struct subject {
	struct expressions *x;
	struct evaluation *evaluation;
	struct expression_maker maker;
	struct condition condition; /* holds for the first input */
	uint32_t others[OTHERS], simpler[OTHERS];
	struct split split;
};

/* Few different bytes, so that conditions hold for several inputs. */
static void input_make(struct assignment *input, uint64_t *state)
{
	static const uint8_t common[] = {0, 1, 'a', 'b', 0x80, 0xff};

	for (unsigned i = 0; i < BYTES; i++) {
		uint64_t choice = random_below(state, sizeof(common) + 2);

		assignment_set_byte(input, 1, i,
				    choice < sizeof(common) ? common[choice] : (uint8_t)random_next(state));
	}
}

static uint64_t value_of(struct subject *s, uint32_t id, const struct assignment *input)
{
	evaluation_forget(s->evaluation);
	return evaluation_value(s->evaluation, id, input);
}

/* That an expression has the value which it has for the input, or any other condition that holds for it. */
static struct condition condition_make(struct subject *s, const struct assignment *input)
{
	static const uint8_t widths[] = {1, 8, 16, 32};
	struct expression same = {.kind = BO_EXPR_EQ, .width = 1};

	if (random_below(&s->maker.state, 4) == 0) {
		uint32_t any = maker_condition(&s->maker, DEPTH);

		return (struct condition){.expression = any, .value = value_of(s, any, input)};
	}
	uint8_t width = widths[random_below(&s->maker.state, sizeof(widths))];
	same.operand[0] = maker_of_width(&s->maker, width, DEPTH);
	same.operand[1] = expressions_add(s->x, &(struct expression){.kind = BO_EXPR_CONST,
								     .width = width,
								     .own = value_of(s, same.operand[0], input)});
	return (struct condition){.expression = expressions_add(s->x, &same), .value = true};
}

static void subject_make(struct subject *s, uint64_t seed, const struct assignment *input)
{
	*s = (struct subject){.x = expressions_new()};
	s->maker = (struct expression_maker){.x = s->x, .state = seed, .width_most = 64};
	s->evaluation = evaluation_new(s->x);
	expressions_add_source(s->x, BO_SOURCE_STDIN, "");
	for (unsigned i = 0; i < BYTES; i++)
		maker_variable(&s->maker, expressions_add(s->x, &(struct expression){.kind = BO_EXPR_INPUT,
										     .width = 8,
										     .own = variable_of_byte(1, i)}));
	s->condition = condition_make(s, input);
}

/* Split the condition, and make expressions simpler that have parts in common with it. */
static void subject_split(struct subject *s)
{
	uint32_t with = expressions_at(s->x, s->condition.expression)->operand[0];
	struct known known = {0};

	split_condition(&s->split, s->x, &s->condition, &known);
	for (unsigned i = 0; i < OTHERS; i++) {
		struct expression_maker maker = {.x = s->x, .state = random_next(&s->maker.state), .width_most = 64};

		maker_variable(&maker, with ? with : s->condition.expression);
		maker_variable(&maker, s->maker.variables.at[0]);
		s->others[i] = maker_of_width(&maker, 16, DEPTH);
		s->simpler[i] = known_apply(&known, s->x, s->others[i]);
		maker_free(&maker);
	}
	known_free(&known);
}

static void subject_free(struct subject *s)
{
	split_free(&s->split);
	maker_free(&s->maker);
	evaluation_free(s->evaluation);
	expressions_free(s->x);
}

static void input_check(struct subject *s, const struct assignment *input)
{
	bool holds = value_of(s, s->condition.expression, input) == s->condition.value, parts_hold = true;

	for (size_t i = 0; i < s->split.parts.count; i++)
		parts_hold &= value_of(s, s->split.parts.at[i].expression, input) == s->split.parts.at[i].value;
	assert_int_equal(parts_hold, holds);
	for (unsigned i = 0; holds && i < OTHERS; i++)
		assert_int_equal(value_of(s, s->simpler[i], input), value_of(s, s->others[i], input));
}

static void parts_are_the_condition(void **state)
{
	uint64_t random = 1, parts = 0, simpler = 0;

	(void)state;
	for (unsigned i = 0; i < CONDITIONS; i++) {
		struct assignment input = {0};
		struct subject s;

		input_make(&input, &random);
		subject_make(&s, random_next(&random), &input);
		subject_split(&s);
		for (unsigned j = 0; j < INPUTS; j++) {
			input_check(&s, &input);
			input_make(&input, &random);
		}
		parts += s.split.parts.count;
		for (unsigned j = 0; j < OTHERS; j++)
			simpler += s.simpler[j] != s.others[j];
		subject_free(&s);
		assignment_free(&input);
	}
	assert_true(parts > CONDITIONS / 2 && simpler > CONDITIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_the_condition)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
