/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_flow.c - graphs of functions, and where their branches join.
 *
 * The functions are written in assembly, so that every label is an address that the tests can name.  They are never
 * executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "flow/flow.h"
#include "flow/postdom.h"

/* A place in the code below. */
#define PLACE(name) extern const uint8_t name[] __attribute__((visibility("hidden")))
#define AT(name) ((uint64_t)(uintptr_t)(name))

/* Functions: one returns, one fails, one calls the one that fails, one is a loop.  One returns twice, and
 * one ends the process; the tests just say so. */
__asm__(".pushsection .text\n"
	"t_returns: test %edi, %edi; je 1f; nop; 1: ret\n"
	"t_aborts: nop; ud2\n"
	"t_fails: push %rax; call t_aborts\n"
	"t_again: test %edi, %edi\n"
	"t_again_branch: je t_again_out\n"
	"  jmp t_again\n"
	"t_again_out: ret\n"
	"t_twice: ret\n"
	"t_exits: syscall\n"
	"  ret\n"
	"t_ends_all: push %rax; call t_exits\n"
	".popsection");
PLACE(t_returns);
PLACE(t_aborts);
PLACE(t_fails);
PLACE(t_again);
PLACE(t_again_branch);
PLACE(t_again_out);
PLACE(t_twice);
PLACE(t_exits);
PLACE(t_ends_all);

/* ---- how the tests look at their own code ---- */

static void *resize(void *block, size_t bytes)
{
	if (!bytes) {
		free(block);
		return NULL;
	}
	block = realloc(block, bytes);
	assert_non_null(block);
	return block;
}

static size_t read_own(void *arg, uint64_t at, void *to, size_t size)
{
	(void)arg;
	memcpy(to, (const void *)(uintptr_t)at, size);
	return size;
}

static bool begins(void *arg, uint64_t at)
{
	(void)arg;
	return at == AT(t_returns) || at == AT(t_aborts) || at == AT(t_fails) || at == AT(t_again) ||
	       at == AT(t_twice) || at == AT(t_exits) || at == AT(t_ends_all);
}

static enum flow_return returns(void *arg, uint64_t callee);
static const struct flow_code own = {resize, read_own, begins, returns, NULL};

static enum flow_return returns(void *arg, uint64_t callee)
{
	(void)arg;
	if (callee == AT(t_twice))
		return FLOW_RETURNS_TWICE;
	if (callee == AT(t_exits))
		return FLOW_RETURNS_NOT;
	return begins(NULL, callee) ? flow_returns(&own, callee) : FLOW_RETURNS;
}

static struct flow_graph *graph_seen(uint64_t entry, uint64_t end, const struct flow_seen *seen, uint32_t count)
{
	const struct flow_range part = {entry, end};
	struct flow_graph *g = flow_graph_new(&own, &(struct flow_function){entry, &part, end != 0, seen, count});

	assert_non_null(g);
	return g;
}

static struct flow_point point(const struct flow_graph *g, uint64_t at)
{
	for (uint32_t i = 0; i < flow_graph_count(g); i++)
		if (flow_graph_point(g, i).at == at)
			return flow_graph_point(g, i);
	fail_msg("%#lx is not in the graph", (unsigned long)at);
	return (struct flow_point){0};
}

/* All ways from the branch meet at `join`, or outside if that is 0. */
static void expect_join(const struct flow_graph *g, uint64_t branch, uint64_t join)
{
	struct flow_point p = point(g, branch);

	assert_int_equal(p.after, join);
	if (join)
		assert_true(point(g, join).is_join);
}

#define GRAPH(name) graph_seen(AT(name), AT(name##_end), NULL, 0)

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
	assert_int_equal(flow_returns(&own, AT(t_returns)), FLOW_RETURNS);
	assert_int_equal(flow_returns(&own, AT(t_aborts)), FLOW_FAILS);
	assert_int_equal(flow_returns(&own, AT(t_fails)), FLOW_FAILS);
	assert_int_equal(flow_returns(&own, AT(t_ends_all)), FLOW_RETURNS_NOT);
	assert_int_equal(flow_returns(&own, AT(t_forever)), FLOW_RETURNS_NOT);
	assert_int_equal(flow_returns(&own, AT(t_ends)), FLOW_RETURNS);
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

/* ---- switch statements ---- */

#define CASES(name)                                   \
	"t_" name "_a: mov $1, %eax\n"                \
	"  jmp t_" name "_join\n"                     \
	"t_" name "_b: mov $2, %eax\n" /* falls on */ \
	"t_" name "_c: mov $3, %eax\n"                \
	"t_" name "_join: ret\n"                      \
	"t_" name "_end: int3\n"
#define DISTANCES(name)                                             \
	".pushsection .rodata\n"                                    \
	".balign 4\n"                                               \
	"t_" name "_table: .long t_" name "_a - t_" name "_table\n" \
	"  .long t_" name "_b - t_" name "_table\n"                 \
	"  .long t_" name "_join - t_" name "_table\n"              \
	"  .long t_" name "_c - t_" name "_table\n"                 \
	"  .long -0x7fffff\n"                                       \
	".popsection\n"
#define PLACES(name)         \
	PLACE(name);         \
	PLACE(name##_bound); \
	PLACE(name##_jump);  \
	PLACE(name##_join);  \
	PLACE(name##_a);     \
	PLACE(name##_b);     \
	PLACE(name##_c);     \
	PLACE(name##_end)

/* gcc -O2, position-independent */
__asm__(".pushsection .text\n"
	"t_gcc: cmp $3, %edi\n"
	"t_gcc_bound: ja t_gcc_join\n"
	"  lea t_gcc_table(%rip), %rdx\n"
	"  mov %edi, %edi\n"
	"  movslq (%rdx,%rdi,4), %rax\n"
	"  add %rdx, %rax\n"
	"t_gcc_jump: notrack jmp *%rax\n" CASES("gcc") ".popsection\n" DISTANCES("gcc"));
PLACES(t_gcc);

/* gcc -O0 */
__asm__(".pushsection .text\n"
	"t_gcc0: cmpl $3, -4(%rbp)\n"
	"t_gcc0_bound: ja t_gcc0_join\n"
	"  mov -4(%rbp), %eax\n"
	"  lea 0(,%rax,4), %rdx\n"
	"  lea t_gcc0_table(%rip), %rax\n"
	"  mov (%rdx,%rax,1), %eax\n"
	"  cltq\n"
	"  lea t_gcc0_table(%rip), %rdx\n"
	"  add %rdx, %rax\n"
	"t_gcc0_jump: notrack jmp *%rax\n" CASES("gcc0") ".popsection\n" DISTANCES("gcc0"));
PLACES(t_gcc0);

/* clang -O0: the comparison is a subtraction */
__asm__(".pushsection .text\n"
	"t_clang0: mov %rdi, -16(%rbp)\n"
	"  sub $3, %rdi\n"
	"t_clang0_bound: ja t_clang0_join\n"
	"  mov -16(%rbp), %rax\n"
	"  lea t_clang0_table(%rip), %rcx\n"
	"  movslq (%rcx,%rax,4), %rax\n"
	"  add %rcx, %rax\n"
	"t_clang0_jump: jmp *%rax\n" CASES("clang0") ".popsection\n" DISTANCES("clang0"));
PLACES(t_clang0);

/* In a loop: the table's address was put into a register before it, and the jump is reached by a taken branch. */
__asm__(".pushsection .text\n"
	"t_far: lea t_far_table(%rip), %rbx\n"
	".fill 40, 1, 0x90\n"
	"1: cmp $4, %edi\n"
	"t_far_bound: jb 2f\n"
	"  jmp t_far_join\n"
	"2: movslq (%rbx,%rdi,4), %rax\n"
	"  add %rbx, %rax\n"
	"t_far_jump: jmp *%rax\n" CASES("far") ".popsection\n" DISTANCES("far"));
PLACES(t_far);

/* Without a comparison: the compiler knew all values.  The last entry of the table is none. */
__asm__(".pushsection .text\n"
	"t_all: and $3, %edi\n"
	"t_all_bound: lea t_all_table(%rip), %rdx\n"
	"  movslq (%rdx,%rdi,4), %rax\n"
	"  add %rdx, %rax\n"
	"t_all_jump: jmp *%rax\n" CASES("all") ".popsection\n" DISTANCES("all"));
PLACES(t_all);

/* Addresses: labels as values, or code for a fixed place. */
__asm__(".pushsection .text\n"
	"t_abs: cmp $3, %edi\n"
	"t_abs_bound: ja t_abs_join\n"
	"  lea t_abs_table(%rip), %rdx\n"
	"t_abs_jump: jmp *(%rdx,%rdi,8)\n" CASES("abs") ".popsection\n"
							".pushsection .data.rel.ro, \"aw\"\n"
							".balign 8\n"
							"t_abs_table: .quad t_abs_a, t_abs_b, t_abs_join, t_abs_c, 0\n"
							".popsection\n");
PLACES(t_abs);

/* The same, loaded into a register first. */
__asm__(".pushsection .text\n"
	"t_load: cmp $3, %edi\n"
	"t_load_bound: ja t_load_join\n"
	"  lea t_load_table(%rip), %rdx\n"
	"  mov (%rdx,%rdi,8), %rax\n"
	"t_load_jump: jmp *%rax\n" CASES("load") ".popsection\n"
						 ".pushsection .data.rel.ro, \"aw\"\n"
						 ".balign 8\n"
						 "t_load_table: .quad t_load_a, t_load_b, t_load_join, t_load_c, 0\n"
						 ".popsection\n");
PLACES(t_load);

static void switch_check(const struct flow_graph *g, uint64_t jump, uint64_t join, const uint64_t cases[3])
{
	assert_int_equal(point(g, jump).kind, FLOW_JUMP_INDIRECT);
	assert_false(point(g, jump).is_open);
	expect_join(g, jump, join);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(point(g, cases[i]).after, i == 1 ? cases[2] : join);
}

/* The end is known, and it is not: then nothing but the table leads to the cases. */
#define CHECK_SWITCH(name)                                                            \
	do {                                                                          \
		const uint64_t cases[3] = {AT(name##_a), AT(name##_b), AT(name##_c)}; \
		struct flow_graph *g = graph_seen(AT(name), AT(name##_end), NULL, 0); \
		switch_check(g, AT(name##_jump), AT(name##_join), cases);             \
		if (point(g, AT(name##_bound)).kind == FLOW_BRANCH)                   \
			expect_join(g, AT(name##_bound), AT(name##_join));            \
		flow_graph_free(g);                                                   \
		g = graph_seen(AT(name), 0, NULL, 0);                                 \
		if (point(g, AT(name##_bound)).kind == FLOW_BRANCH)                   \
			switch_check(g, AT(name##_jump), AT(name##_join), cases);     \
		flow_graph_free(g);                                                   \
	} while (0)

static void tables_of_switches_are_read(void **state)
{
	(void)state;
	CHECK_SWITCH(t_gcc);
	CHECK_SWITCH(t_gcc0);
	CHECK_SWITCH(t_clang0);
	CHECK_SWITCH(t_far);
	CHECK_SWITCH(t_all);
	CHECK_SWITCH(t_abs);
	CHECK_SWITCH(t_load);
}

/* The targets of this jump can only be seen. */
__asm__(".pushsection .text\n"
	"t_seen: mov (%rdi), %rax\n"
	"t_seen_bound: nop\n"
	"t_seen_jump: jmp *%rax\n" CASES("seen") ".popsection\n");
PLACES(t_seen);

static void jumps_that_were_seen_are_edges(void **state)
{
	const struct flow_seen seen[] = {{AT(t_seen_jump), AT(t_seen_a), false},
					 {AT(t_seen_jump), AT(t_seen_c), false}};
	const struct flow_seen tail[] = {{AT(t_seen_jump), AT(t_seen_a), false},
					 {AT(t_seen_jump), AT(t_returns), false}};
	struct flow_graph *g = GRAPH(t_seen);

	(void)state;
	assert_true(point(g, AT(t_seen_jump)).is_open);
	expect_join(g, AT(t_seen_jump), 0);
	/* Whatever will be seen, the cases can be joins. */
	assert_true(point(g, AT(t_seen_a)).is_join);
	flow_graph_free(g);
	g = graph_seen(AT(t_seen), AT(t_seen_end), seen, 2);
	expect_join(g, AT(t_seen_jump), AT(t_seen_join));
	flow_graph_free(g);
	/* One is enough: the other cases are what nothing else leads to. */
	g = graph_seen(AT(t_seen), AT(t_seen_end), seen, 1);
	expect_join(g, AT(t_seen_jump), AT(t_seen_join));
	flow_graph_free(g);
	g = graph_seen(AT(t_seen), AT(t_seen_end), tail, 2);
	expect_join(g, AT(t_seen_jump), 0);
	flow_graph_free(g);
}

/* ---- random graphs and random bytes ---- */

enum { NODES = 12, GRAPHS = 20000, BYTES = 400, TEXTS = 3000 };

static uint64_t random_state;

static uint32_t roll(uint32_t limit)
{
	return (uint32_t)random_below(&random_state, limit);
}

struct random_graph {
	uint32_t nodes, first[NODES + 1], to[3 * NODES];
};

static void graph_randomize(struct random_graph *r)
{
	uint32_t count = 0;

	r->nodes = 1 + roll(NODES);
	for (uint32_t n = 0; n < r->nodes; n++) {
		r->first[n] = count;
		for (uint32_t left = roll(4); left; left--)
			r->to[count++] = roll(8) ? roll(r->nodes) : FLOW_EXIT;
	}
	r->first[r->nodes] = count;
}

/* Is there a way from `node` to the exit that avoids `without`?  `visited` is a set of nodes. */
static bool can_end(const struct random_graph *r, uint32_t node, uint32_t without, uint32_t *visited)
{
	if (node == FLOW_EXIT)
		return true;
	if (node == without || *visited >> node & 1)
		return false;
	*visited |= 1u << node;
	if (r->first[node] == r->first[node + 1])
		return true;
	for (uint32_t e = r->first[node]; e < r->first[node + 1]; e++)
		if (can_end(r, r->to[e], without, visited))
			return true;
	return false;
}

static bool ends(const struct random_graph *r, uint32_t node, uint32_t without)
{
	uint32_t visited = 0;

	return can_end(r, node, without, &visited);
}

/* By the definition: every way to the exit leads over it. */
static bool postdominates(const struct random_graph *r, uint32_t p, uint32_t node)
{
	return p == FLOW_EXIT || !ends(r, node, p);
}

static void after_check(const struct random_graph *r, uint32_t node, uint32_t after)
{
	assert_true(after != node && postdominates(r, after, node));
	for (uint32_t q = 0; q < r->nodes; q++)
		if (q != node && postdominates(r, q, node) && !(q == after || postdominates(r, q, after)))
			fail_msg("node %u is followed by %u before %u", node, q, after);
	/* The first of them: no other one comes before it. */
	for (uint32_t q = 0; q < r->nodes; q++)
		if (q != node && q != after && postdominates(r, q, node))
			assert_true(after != FLOW_EXIT && !postdominates(r, after, q));
}

static void postdominators_are_as_defined(void **state)
{
	struct random_graph r;
	uint32_t after[NODES], checked = 0;

	(void)state;
	random_state = random_seed(3, 1);
	for (unsigned i = 0; i < GRAPHS; i++) {
		bool all_end = true;

		graph_randomize(&r);
		flow_postdominators(&(struct flow_edges){r.nodes, r.first, r.to}, after, resize);
		for (uint32_t n = 0; n < r.nodes; n++)
			all_end &= ends(&r, n, FLOW_EXIT);
		for (uint32_t n = 0; n < r.nodes; n++) {
			assert_true(after[n] < r.nodes || after[n] == FLOW_EXIT);
			if (all_end)
				after_check(&r, n, after[n]);
		}
		checked += all_end;
	}
	assert_true(checked > GRAPHS / 4);
}

static size_t read_text(void *arg, uint64_t at, void *to, size_t size)
{
	if (at < 0x1000 || at >= 0x1000 + BYTES)
		return 0;
	if (size > 0x1000 + BYTES - at)
		size = 0x1000 + BYTES - at;
	memcpy(to, (uint8_t *)arg + (at - 0x1000), size);
	return size;
}

static bool begins_nowhere(void *arg, uint64_t at)
{
	(void)arg;
	(void)at;
	return false;
}

static enum flow_return returns_always(void *arg, uint64_t at)
{
	(void)arg;
	(void)at;
	return FLOW_RETURNS;
}

/* Any bytes have a graph, in which every point has its place. */
static void any_bytes_have_a_graph(void **state)
{
	static const uint8_t likely[] = {0x74, 0x75, 0x77, 0xeb, 0xe8, 0xff, 0xc3, 0x48, 0x8d, 0x63, 0x01, 0x90};
	uint8_t text[BYTES];
	const struct flow_range part = {0x1000, 0x1000 + BYTES};
	struct flow_code code = {resize, read_text, begins_nowhere, returns_always, text};

	(void)state;
	random_state = random_seed(4, 1);
	for (unsigned i = 0; i < TEXTS; i++) {
		for (unsigned n = 0; n < BYTES; n++)
			text[n] = roll(2) ? likely[roll(sizeof(likely))] : (uint8_t)roll(256);
		struct flow_graph *g = flow_graph_new(&code, &(struct flow_function){0x1000, &part, 1, NULL, 0});
		assert_non_null(g);
		for (uint32_t n = 0; n < flow_graph_count(g); n++) {
			struct flow_point p = flow_graph_point(g, n);
			if (p.after)
				(void)point(g, p.after);
		}
		flow_graph_free(g);
	}
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
		cmocka_unit_test(tables_of_switches_are_read),
		cmocka_unit_test(jumps_that_were_seen_are_edges),
		cmocka_unit_test(postdominators_are_as_defined),
		cmocka_unit_test(any_bytes_have_a_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
