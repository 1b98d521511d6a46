/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_solve_near.c - an answer that is drawn near the old input still fulfils its conditions. */
#include "expression/expressions.h"
#include "scratch.h"
#include "solver_path.h"

static uint32_t add(struct expressions *x, enum bo_expression kind, uint8_t width, uint64_t own, uint32_t a, uint32_t b,
		    uint32_t c)
{
	uint32_t id = expressions_add(
		x, &(struct expression){.kind = (uint8_t)kind, .width = width, .operand = {a, b, c}, .own = own});

	assert_int_not_equal(id, 0);
	return id;
}

/* The byte behind the end of an argument is zero, unless the argument becomes longer:
 *
 *     0  (2 < length ? byte 2 : 0) == 0  ||  byte 0 == 7
 *     1  byte 0 == 'x'                                         is turned
 *
 * The question has byte 2, so its answer is at least 3 long, and byte 2 must be zero, not filler. */
static void test_byte_behind_the_end(void **state)
{
	struct expressions *x = expressions_new();
	uint32_t source = expressions_add_source(x, BO_SOURCE_ARG, "1");
	uint64_t first = (uint64_t)source << 48;
	uint32_t byte0 = add(x, BO_EXPR_INPUT, 8, first, 0, 0, 0), byte2 = add(x, BO_EXPR_INPUT, 8, first | 2, 0, 0, 0);
	uint32_t length = add(x, BO_EXPR_LENGTH, 64, source, 0, 0, 0);
	uint32_t two = add(x, BO_EXPR_CONST, 64, 2, 0, 0, 0), zero = add(x, BO_EXPR_CONST, 8, 0, 0, 0, 0);
	uint32_t seven = add(x, BO_EXPR_CONST, 8, 7, 0, 0, 0), letter = add(x, BO_EXPR_CONST, 8, 'x', 0, 0, 0);
	uint32_t longer = add(x, BO_EXPR_ULT, 1, 0, two, length, 0);
	uint32_t behind = add(x, BO_EXPR_ITE, 8, 0, longer, byte2, zero);
	uint32_t ends = add(x, BO_EXPR_EQ, 1, 0, behind, zero, 0), is_seven = add(x, BO_EXPR_EQ, 1, 0, byte0, seven, 0);
	struct condition conditions[] = {
		{.expression = add(x, BO_EXPR_OR, 1, 0, ends, is_seven, 0), .value = true, .site = 1},
		{.expression = add(x, BO_EXPR_EQ, 1, 0, byte0, letter, 0), .value = false, .site = 2},
	};
	const struct trail_limits limits = {.length_max = 100, .filler = '0'};
	const struct solver_limits patience = {0};
	struct assignment input = {0}, answer = {0};
	struct solver *solver = solver_new(solver_path(), &patience);
	enum solver_verdict verdict;
	struct trail *trail;
	struct err err;

	(void)state;
	assignment_put(&input, source, "ab", 2);
	trail = trail_new(x, conditions, 2, &input, &limits, 1);
	assert_int_equal(solver_turn(solver, trail, 1, &verdict, &answer, &err), 0);
	assert_int_equal(verdict, SOLVER_SOLVED);
	assert_int_equal(assignment_byte(&answer, source, 0), 'x');
	assert_true(assignment_length(&answer, source) <= 2 || assignment_byte(&answer, source, 2) == 0);
	trail_free(trail);
	solver_free(solver);
	assignment_free(&input);
	assignment_free(&answer);
	expressions_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_byte_behind_the_end)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
