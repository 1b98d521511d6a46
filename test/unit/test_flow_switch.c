/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_flow_switch.c - the targets of computed jumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow_own.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_switches_are_read),
		cmocka_unit_test(jumps_that_were_seen_are_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
