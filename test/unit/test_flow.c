/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_flow.c - graphs of functions, and where their branches join. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow_own.h"

/* ---- the shapes of code ---- */

__asm__(".pushsection .text\n"
	"t_if: test %edi, %edi\n"
	"t_if_branch: je t_if_join\n"
	"  mov $1, %eax\n"
	"t_if_join: ret\n"
	"t_if_end: int3\n"
	".popsection");
PLACE(t_if);
PLACE(t_if_branch);
PLACE(t_if_join);
PLACE(t_if_end);

static void an_if_joins_after_it(void **state)
{
	struct flow_graph *g = GRAPH(t_if);

	(void)state;
	expect_join(g, AT(t_if_branch), AT(t_if_join));
	assert_int_equal(point(g, AT(t_if)).kind, FLOW_PLAIN);
	assert_int_equal(point(g, AT(t_if_branch)).kind, FLOW_BRANCH);
	assert_false(point(g, AT(t_if)).is_join);
	assert_int_equal(flow_graph_count(g), 4);
	flow_graph_free(g);
}

__asm__(".pushsection .text\n"
	"t_nested: test %edi, %edi\n"
	"t_nested_outer: je 2f\n"
	"  test %esi, %esi\n"
	"t_nested_inner: je 1f\n"
	"  mov $1, %eax\n"
	"  jmp t_nested_inner_join\n"
	"1: mov $2, %eax\n"
	"t_nested_inner_join: inc %eax\n"
	"  jmp t_nested_join\n"
	"2: mov $3, %eax\n"
	"t_nested_join: ret\n"
	"t_nested_end: int3\n"
	".popsection");
PLACE(t_nested);
PLACE(t_nested_outer);
PLACE(t_nested_inner);
PLACE(t_nested_inner_join);
PLACE(t_nested_join);
PLACE(t_nested_end);

static void nested_branches_join_inside(void **state)
{
	struct flow_graph *g = GRAPH(t_nested);

	(void)state;
	expect_join(g, AT(t_nested_inner), AT(t_nested_inner_join));
	expect_join(g, AT(t_nested_outer), AT(t_nested_join));
	flow_graph_free(g);
}

/* A loop with a break, a continue, and an early return in another one. */
__asm__(".pushsection .text\n"
	"t_loop: xor %eax, %eax\n"
	"t_loop_head: cmp %edi, %eax\n"
	"t_loop_while: jge t_loop_out\n"
	"  test %esi, %esi\n"
	"t_loop_break: je t_loop_out\n"
	"  test %edx, %edx\n"
	"t_loop_continue: je t_loop_latch\n"
	"  mov %eax, %ecx\n"
	"t_loop_latch: inc %eax\n"
	"  jmp t_loop_head\n"
	"t_loop_out: test %ecx, %ecx\n"
	"t_loop_return: jne 1f\n"
	"  ret\n"
	"1: test %eax, %eax\n"
	"t_loop_do: jne 1b\n"
	"t_loop_done: ret\n"
	"t_loop_end: int3\n"
	".popsection");
PLACE(t_loop);
PLACE(t_loop_while);
PLACE(t_loop_break);
PLACE(t_loop_continue);
PLACE(t_loop_latch);
PLACE(t_loop_out);
PLACE(t_loop_return);
PLACE(t_loop_do);
PLACE(t_loop_done);
PLACE(t_loop_end);

static void loops_end_where_they_are_left(void **state)
{
	struct flow_graph *g = GRAPH(t_loop);

	(void)state;
	expect_join(g, AT(t_loop_while), AT(t_loop_out));
	expect_join(g, AT(t_loop_break), AT(t_loop_out));
	expect_join(g, AT(t_loop_continue), AT(t_loop_latch));
	expect_join(g, AT(t_loop_return), 0);
	expect_join(g, AT(t_loop_do), AT(t_loop_done));
	flow_graph_free(g);
}

/* A loop that is never left has branches that join inside of it. */
__asm__(".pushsection .text\n"
	"t_forever: nop\n"
	"1: test %edi, %edi\n"
	"t_forever_branch: je t_forever_join\n"
	"  inc %eax\n"
	"t_forever_join: dec %ecx\n"
	"  jmp 1b\n"
	"t_forever_end: int3\n"
	".popsection");
PLACE(t_forever);
PLACE(t_forever_branch);
PLACE(t_forever_join);
PLACE(t_forever_end);

static void an_endless_loop_has_joins(void **state)
{
	struct flow_graph *g = GRAPH(t_forever);

	(void)state;
	expect_join(g, AT(t_forever_branch), AT(t_forever_join));
	flow_graph_free(g);
}

/* Two entries into one loop. */
__asm__(".pushsection .text\n"
	"t_strange: test %edi, %edi\n"
	"t_strange_in: je 2f\n"
	"1: dec %eax\n"
	"t_strange_one: je t_strange_out\n"
	"2: dec %ecx\n"
	"t_strange_two: jne 1b\n"
	"t_strange_out: ret\n"
	"t_strange_end: int3\n"
	".popsection");
PLACE(t_strange);
PLACE(t_strange_in);
PLACE(t_strange_one);
PLACE(t_strange_two);
PLACE(t_strange_out);
PLACE(t_strange_end);

static void a_loop_may_have_two_entries(void **state)
{
	struct flow_graph *g = GRAPH(t_strange);

	(void)state;
	expect_join(g, AT(t_strange_in), AT(t_strange_out));
	expect_join(g, AT(t_strange_one), AT(t_strange_out));
	expect_join(g, AT(t_strange_two), AT(t_strange_out));
	flow_graph_free(g);
}

/* String instructions are loops of their own. */
__asm__(".pushsection .text\n"
	"t_string: mov %edx, %ecx\n"
	"t_string_copy: rep movsb\n"
	"t_string_copied: movsb\n"
	"  ret\n"
	"t_string_end: int3\n"
	".popsection");
PLACE(t_string);
PLACE(t_string_copy);
PLACE(t_string_copied);
PLACE(t_string_end);

static void a_repeated_instruction_is_a_loop(void **state)
{
	struct flow_graph *g = GRAPH(t_string);

	(void)state;
	assert_int_equal(point(g, AT(t_string_copy)).kind, FLOW_REPEAT);
	assert_int_equal(point(g, AT(t_string_copied)).kind, FLOW_PLAIN);
	expect_join(g, AT(t_string_copy), AT(t_string_copied));
	flow_graph_free(g);
}

/* ---- ends of ways ---- */

__asm__(".pushsection .text\n"
	"t_ends: test %edi, %edi\n"
	"t_ends_tail: je t_returns\n"
	"  test %esi, %esi\n"
	"t_ends_calls: je t_ends_called\n"
	"  call t_returns\n"
	"t_ends_called: test %edx, %edx\n"
	"t_ends_exits: je 1f\n"
	"  call t_exits\n"
	"1: test %eax, %eax\n"
	"t_ends_jumps: je 2f\n"
	"  jmp *%rax\n"
	"2: jmp t_ends\n" /* a loop over the whole function, no tail call */
	"t_ends_end: int3\n"
	".popsection");
PLACE(t_ends);
PLACE(t_ends_tail);
PLACE(t_ends_calls);
PLACE(t_ends_called);
PLACE(t_ends_exits);
PLACE(t_ends_jumps);
PLACE(t_ends_end);

static void ways_end_at_what_does_not_come_back(void **state)
{
	struct flow_graph *g = GRAPH(t_ends);

	(void)state;
	expect_join(g, AT(t_ends_tail), 0);
	expect_join(g, AT(t_ends_calls), AT(t_ends_called));
	expect_join(g, AT(t_ends_exits), 0);
	expect_join(g, AT(t_ends_jumps), 0);
	flow_graph_free(g);
}

/* Branches around a call of exit join as if it were not there. */
__asm__(".pushsection .text\n"
	"t_guard: test %edi, %edi\n"
	"t_guard_outer: je t_guard_join\n"
	"  test %esi, %esi\n"
	"t_guard_inner: je 1f\n"
	"  call t_exits\n"
	"1: nop\n"
	"t_guard_join: ret\n"
	"t_guard_end: int3\n"
	".popsection");
PLACE(t_guard);
PLACE(t_guard_outer);
PLACE(t_guard_inner);
PLACE(t_guard_join);
PLACE(t_guard_end);

static void what_ends_the_program_delays_no_join(void **state)
{
	struct flow_graph *g = GRAPH(t_guard);

	(void)state;
	expect_join(g, AT(t_guard_outer), AT(t_guard_join));
	expect_join(g, AT(t_guard_inner), 0);
	flow_graph_free(g);
}

/* The ways that fail do not count; among themselves, they are as others. */
__asm__(".pushsection .text\n"
	"t_bad: test %edx, %edx\n"
	"t_bad_aborts: je t_bad_one\n"
	"  call t_aborts\n"
	"t_bad_one: test %ecx, %ecx\n"
	"t_bad_calls: je t_bad_two\n"
	"  test %esi, %esi\n"
	"t_bad_inside: je t_bad_join\n"
	"  nop\n"
	"t_bad_join: call t_fails\n"
	"t_bad_two: test %eax, %eax\n"
	"t_bad_stops: je t_bad_three\n"
	"  ud2\n"
	"t_bad_three: ret\n"
	"t_bad_end: int3\n"
	".popsection");
PLACE(t_bad);
PLACE(t_bad_aborts);
PLACE(t_bad_one);
PLACE(t_bad_calls);
PLACE(t_bad_inside);
PLACE(t_bad_join);
PLACE(t_bad_two);
PLACE(t_bad_stops);
PLACE(t_bad_three);
PLACE(t_bad_end);

static void what_fails_decides_nothing(void **state)
{
	struct flow_graph *g = GRAPH(t_bad);

	(void)state;
	expect_join(g, AT(t_bad_aborts), AT(t_bad_one));
	expect_join(g, AT(t_bad_calls), AT(t_bad_two));
	expect_join(g, AT(t_bad_inside), AT(t_bad_join));
	expect_join(g, AT(t_bad_stops), AT(t_bad_three));
	flow_graph_free(g);
}

static void it_is_known_which_functions_return(void **state)
{
	(void)state;
	assert_int_equal(flow_returns(&flow_own, AT(t_returns)), FLOW_RETURNS);
	assert_int_equal(flow_returns(&flow_own, AT(t_aborts)), FLOW_FAILS);
	assert_int_equal(flow_returns(&flow_own, AT(t_fails)), FLOW_FAILS);
	assert_int_equal(flow_returns(&flow_own, AT(t_ends_all)), FLOW_RETURNS_NOT);
	assert_int_equal(flow_returns(&flow_own, AT(t_forever)), FLOW_RETURNS_NOT);
	assert_int_equal(flow_returns(&flow_own, AT(t_ends)), FLOW_RETURNS);
}

/* What follows the branch was copied into its sides.  One copy is reached by a jump.  The epilogue is no place to meet,
 * and what is not the same to the end is no copy. */
__asm__(".pushsection .text\n"
	"t_copies: push %rbx\n"
	"  test %edi, %edi\n"
	"t_copies_outer: je 1f\n"
	"  test %esi, %esi\n"
	"t_copies_inner: je 2f\n"
	"  mov $1, %eax\n"
	"t_copies_join: lea t_copies(%rip), %rcx\n"
	"  call t_returns\n"
	"  pop %rbx\n"
	"  ret\n"
	"2: mov $2, %eax\n"
	"  jmp t_copies_second\n"
	"  int3\n"
	"t_copies_second: lea t_copies(%rip), %rcx\n"
	"  call t_returns\n"
	"  pop %rbx\n"
	"  ret\n"
	"1: mov $3, %eax\n"
	"  lea t_copies(%rip), %rcx\n"
	"  nop\n"
	"  call t_returns\n"
	"  test %edx, %edx\n"
	"t_copies_epilogue: je 3f\n"
	"  nop\n"
	"  pop %rbx\n"
	"  ret\n"
	"3: pop %rbx\n"
	"  ret\n"
	"t_copies_end: int3\n"
	".popsection");
PLACE(t_copies);
PLACE(t_copies_outer);
PLACE(t_copies_inner);
PLACE(t_copies_join);
PLACE(t_copies_second);
PLACE(t_copies_epilogue);
PLACE(t_copies_end);

static void copies_are_one_place(void **state)
{
	struct flow_graph *g = GRAPH(t_copies);
	struct flow_point first = point(g, AT(t_copies_join)), second = point(g, AT(t_copies_second));

	(void)state;
	assert_int_equal(first.place, second.place);
	assert_true(first.is_join && second.is_join);
	assert_int_equal(point(g, AT(t_copies_inner)).after, first.place);
	expect_join(g, AT(t_copies_outer), 0);
	expect_join(g, AT(t_copies_epilogue), 0);
	assert_int_equal(point(g, AT(t_copies)).place, AT(t_copies));
	flow_graph_free(g);
}

static void a_jump_to_the_own_entry_is_a_loop(void **state)
{
	struct flow_graph *g = graph_seen(AT(t_again), 0, NULL, 0);

	(void)state;
	expect_join(g, AT(t_again_branch), AT(t_again_out));
	flow_graph_free(g);
}

/* The compiler moved an unlikely part away.  Between function and part lies another function. */
__asm__(".pushsection .text\n"
	"t_split: test %edi, %edi\n"
	"t_split_branch: je t_split_cold\n"
	"t_split_join: ret\n"
	"t_split_end: int3\n"
	"  ret\n"
	"t_split_cold: test %esi, %esi\n"
	"t_split_inner: je 1f\n"
	"  inc %eax\n"
	"1: jmp t_split_join\n"
	".popsection");
PLACE(t_split);
PLACE(t_split_branch);
PLACE(t_split_join);
PLACE(t_split_end);
PLACE(t_split_cold);
PLACE(t_split_inner);

static void a_split_function_is_one_graph(void **state)
{
	struct flow_graph *g = GRAPH(t_split);

	(void)state;
	expect_join(g, AT(t_split_branch), AT(t_split_join));
	assert_int_not_equal(point(g, AT(t_split_inner)).after, 0);
	flow_graph_free(g);
	/* The same from the other part, as if only that were known; its end is not. */
	g = graph_seen(AT(t_split_cold), 0, NULL, 0);
	assert_int_not_equal(point(g, AT(t_split_inner)).after, 0);
	assert_int_equal(point(g, point(g, AT(t_split_inner)).after).after, AT(t_split_join));
	flow_graph_free(g);
}

/* A landing pad: reached by no jump, but part of the function. */
__asm__(".pushsection .text\n"
	"t_pad: call t_returns\n"
	"t_pad_join: ret\n"
	"t_pad_lands: test %edi, %edi\n"
	"t_pad_branch: je t_pad_join\n"
	"  call t_returns\n"
	"  jmp t_pad_join\n"
	"t_pad_end: int3\n"
	".popsection");
PLACE(t_pad);
PLACE(t_pad_join);
PLACE(t_pad_lands);
PLACE(t_pad_branch);
PLACE(t_pad_end);

static void unreached_code_is_in_the_graph(void **state)
{
	struct flow_graph *g = GRAPH(t_pad);

	(void)state;
	expect_join(g, AT(t_pad_branch), AT(t_pad_join));
	assert_true(point(g, AT(t_pad_lands)).is_landing);
	assert_false(point(g, AT(t_pad)).is_landing);
	assert_false(point(g, AT(t_pad_join)).is_landing);
	flow_graph_free(g);
	/* Without an end, only what is reached. */
	g = graph_seen(AT(t_pad), 0, NULL, 0);
	assert_int_equal(flow_graph_count(g), 2);
	flow_graph_free(g);
}

/* An exception: the call that throws does not return, and the pad is reached by nothing.  When it was seen how they
 * belong together, the branch ends behind both. */
__asm__(".pushsection .text\n"
	"t_throw: test %edi, %edi\n"
	"t_throw_branch: je t_throw_calls\n"
	"  call t_exits\n"
	"t_throw_returns:\n"
	"t_throw_calls: call t_returns\n"
	"t_throw_called: nop\n"
	"t_throw_join: ret\n"
	"t_throw_pad: mov %rax, %rbx\n"
	"  jmp t_throw_join\n"
	"t_throw_end: int3\n"
	".popsection");
PLACE(t_throw);
PLACE(t_throw_branch);
PLACE(t_throw_returns);
PLACE(t_throw_calls);
PLACE(t_throw_called);
PLACE(t_throw_join);
PLACE(t_throw_pad);
PLACE(t_throw_end);

static void exceptions_that_were_seen_are_edges(void **state)
{
	const struct flow_seen seen[] = {{AT(t_throw_returns), AT(t_throw_pad), true},
					 {AT(t_throw_called), AT(t_throw_pad), true}};
	struct flow_graph *g = GRAPH(t_throw);

	(void)state;
	expect_join(g, AT(t_throw_branch), 0);
	assert_true(point(g, AT(t_throw_join)).is_join);
	assert_true(point(g, AT(t_throw_pad)).is_landing);
	assert_int_equal(point(g, AT(t_throw_calls)).after, AT(t_throw_join));
	flow_graph_free(g);
	g = graph_seen(AT(t_throw), AT(t_throw_end), seen, 1);
	expect_join(g, AT(t_throw_branch), AT(t_throw_join));
	flow_graph_free(g);
	/* So does a call that does return, usually. */
	g = graph_seen(AT(t_throw), AT(t_throw_end), seen, 2);
	expect_join(g, AT(t_throw_branch), AT(t_throw_join));
	expect_join(g, AT(t_throw_calls), AT(t_throw_join));
	flow_graph_free(g);
}

/* setjmp, and a function that calls longjmp */
__asm__(".pushsection .text\n"
	"t_jmp: call t_twice\n"
	"t_jmp_again: test %eax, %eax\n"
	"t_jmp_first: jne t_jmp_join\n"
	"  test %edi, %edi\n"
	"t_jmp_branch: je t_jmp_join\n"
	"  call t_exits\n"
	"t_jmp_never: nop\n"
	"t_jmp_join: ret\n"
	"t_jmp_end: int3\n"
	".popsection");
PLACE(t_jmp);
PLACE(t_jmp_again);
PLACE(t_jmp_first);
PLACE(t_jmp_branch);
PLACE(t_jmp_never);
PLACE(t_jmp_join);
PLACE(t_jmp_end);

static void longjmp_is_an_edge(void **state)
{
	const struct flow_seen seen = {AT(t_jmp_never), AT(t_jmp_again), true};
	struct flow_graph *g = GRAPH(t_jmp);

	(void)state;
	assert_true(point(g, AT(t_jmp_again)).is_landing);
	expect_join(g, AT(t_jmp_branch), 0);
	flow_graph_free(g);
	g = graph_seen(AT(t_jmp), AT(t_jmp_end), &seen, 1);
	expect_join(g, AT(t_jmp_branch), AT(t_jmp_join));
	expect_join(g, AT(t_jmp_first), AT(t_jmp_join));
	flow_graph_free(g);
}

/* A jump into an instruction, past its prefix, as in hand-written code for one processor. */
__asm__(".pushsection .text\n"
	"t_into: test %edi, %edi\n"
	"t_into_branch: je 1f\n"
	"  .byte 0xf0\n"
	"1: incl (%rax)\n"
	"t_into_join: ret\n"
	"t_into_end: int3\n"
	".popsection");
PLACE(t_into);
PLACE(t_into_branch);
PLACE(t_into_join);
PLACE(t_into_end);

static void instructions_may_overlap(void **state)
{
	struct flow_graph *g = GRAPH(t_into);

	(void)state;
	expect_join(g, AT(t_into_branch), AT(t_into_join));
	flow_graph_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_if_joins_after_it),
		cmocka_unit_test(nested_branches_join_inside),
		cmocka_unit_test(loops_end_where_they_are_left),
		cmocka_unit_test(an_endless_loop_has_joins),
		cmocka_unit_test(a_loop_may_have_two_entries),
		cmocka_unit_test(a_repeated_instruction_is_a_loop),
		cmocka_unit_test(ways_end_at_what_does_not_come_back),
		cmocka_unit_test(what_ends_the_program_delays_no_join),
		cmocka_unit_test(what_fails_decides_nothing),
		cmocka_unit_test(copies_are_one_place),
		cmocka_unit_test(it_is_known_which_functions_return),
		cmocka_unit_test(a_jump_to_the_own_entry_is_a_loop),
		cmocka_unit_test(a_split_function_is_one_graph),
		cmocka_unit_test(unreached_code_is_in_the_graph),
		cmocka_unit_test(exceptions_that_were_seen_are_edges),
		cmocka_unit_test(longjmp_is_an_edge),
		cmocka_unit_test(instructions_may_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
