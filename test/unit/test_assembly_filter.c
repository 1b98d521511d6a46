/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The assembler of blackout-cc: which lines of a compiler's assembly it changes, and which it must not. */
#include "../../compiler/assembler/filter.h"
#include "filtered.h"

/* The filtered text must be `expected`; NULL: as it was. */
static void expect(const char *text, const char *expected)
{
	expect_filtered(filter_text, text, expected);
}

static void announcements_of_loads(void **state)
{
	(void)state;
	expect("\tcall\t__tsan_read8@PLT\n", "\n");
	expect("\tcallq\t__tsan_read1@PLT", "");
	expect("\tcall\t__tsan_unaligned_volatile_read2\n", "\n");
	expect("\tcall\t__tsan_vptr_read@PLT\t# note\n", "\n");
	expect("\tcall\t*__tsan_read_range@GOTPCREL(%rip)\n", "\n");
	expect("\tcall\t[QWORD PTR __tsan_read4@GOTPCREL[rip]]\n", "\n");
	expect("a\n\tcall\t__tsan_read16\nb\n", "a\n\nb\n");
}

/* Prefix, NOP with the operand (%rdi). */
static void announcements_of_stores(void **state)
{
	(void)state;
	expect("\tcall\t__tsan_write1@PLT\n", "\t.byte 0x64, 0x66, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t__tsan_write2\n", "\t.byte 0x26, 0x66, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t__tsan_unaligned_write4@PLT\n", "\t.byte 0x26, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t__tsan_write8@PLT\n", "\t.byte 0x26, 0x48, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t__tsan_vptr_update@PLT\n", "\t.byte 0x26, 0x48, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t*__tsan_write16@GOTPCREL(%rip)\n", "\t.byte 0x64, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t__tsan_volatile_write1\n", "\t.byte 0x65, 0x66, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t__tsan_volatile_write4\n", "\t.byte 0x36, 0x0f, 0x1f, 0x07\n");
	expect("\tcall\t__tsan_unaligned_volatile_write8\n", "\t.byte 0x36, 0x48, 0x0f, 0x1f, 0x07\n");
	expect("\t.intel_syntax noprefix\n\tcall\t__tsan_write4\n",
	       "\t.intel_syntax noprefix\n\t.byte 0x26, 0x0f, 0x1f, 0x07\n");
}

static void other_lines(void **state)
{
	(void)state;
	expect("", NULL);
	expect("\n\n", NULL);
	expect("\tcall\t__tsan_write_range@PLT\n", NULL);
	expect("\tcall\t__tsan_func_entry@PLT\n", NULL);
	expect("\tjmp\t__tsan_write8@PLT\n", NULL);
	expect("\tcall\t__tsan_read_write8@PLT\n", NULL);
	expect("\tcall\t__tsan_atomic64_store@PLT\n", NULL);
	expect("\tcall\t__tsan_read8_of_mine@PLT\n", NULL);
	expect("\tcall\tmy__tsan_read8@PLT\n", NULL);
	expect("\tcall\t__tsan_read8@PLT+4\n", NULL);
	expect("\tcall\t__tsan_read8; nop\n", NULL);
	expect("\tjmp\t__tsan_read8@PLT\n", NULL);
	expect("\tcall__tsan_read8\n", NULL);
	expect("\tcall\n", NULL);
	expect("\tcall\t*__tsan_read8(%rip)\n", NULL);
	expect("\tmovq\t$__tsan_read8, %rax\n", NULL);
	expect("\t.ascii\t\"call __tsan_read8\"\n", NULL);
}

#define LOAD8(scale) "\tmovq (%rdi,%riz," scale "), %rax\n"
#define CALL8 "\tcall\t__tsan_atomic64_load@PLT\n"

static void atomic_loads(void **state)
{
	(void)state;
	expect("\tmovl\t$5, %esi\n" CALL8, "\tmovl\t$5, %esi\n" LOAD8("8"));
	expect("\tmovl\t$2, %esi\n" CALL8, "\tmovl\t$2, %esi\n" LOAD8("4"));
	expect("\tmovl\t$1, %esi\n" CALL8, "\tmovl\t$1, %esi\n" LOAD8("2"));
	expect("\txorl\t%esi, %esi\n" CALL8, "\txorl\t%esi, %esi\n" LOAD8("1"));
	expect("\tmovl\t$2, %esi\t#,\n\tcallq\t__tsan_atomic8_load\n",
	       "\tmovl\t$2, %esi\t#,\n\tmovzbl (%rdi,%riz,4), %eax\n");
	expect("\tmovl\t$2, %esi\n\tcallq\t__tsan_atomic16_load\n", "\tmovl\t$2, %esi\n\tmovzwl (%rdi,%riz,4), %eax\n");
	expect("\tmovl\t$2, %esi\n\tcallq\t__tsan_atomic32_load\n", "\tmovl\t$2, %esi\n\tmovl (%rdi,%riz,4), %eax\n");
	/* Instructions between that do not concern the order. */
	expect("\tmovl\t$2, %esi\n\tmovq\t%rax, %rdi\n.LVL7:\n\t.loc 1 2 3 view .LVU1\n" CALL8,
	       "\tmovl\t$2, %esi\n\tmovq\t%rax, %rdi\n.LVL7:\n\t.loc 1 2 3 view .LVU1\n" LOAD8("4"));
	expect("\tmovl\t$2, %esi\n.LBB12:\n.LBE4:\n.LBI9:\n.Ltmp3:\n" CALL8,
	       "\tmovl\t$2, %esi\n.LBB12:\n.LBE4:\n.LBI9:\n.Ltmp3:\n" LOAD8("4"));
	expect("\tmovl\t$2, %esi\n\tmovsbl\t(%rax), %ecx\n\tjne\t.L4\n" CALL8,
	       "\tmovl\t$2, %esi\n\tmovsbl\t(%rax), %ecx\n\tjne\t.L4\n" LOAD8("4"));
}

/* The order is not known, or none of a load: the call remains, and finds out. */
static void atomic_loads_of_unknown_order(void **state)
{
	static const char *const between[] = {
		"\tmovl\t%eax, %esi\n",
		"\tmovq\t%rbx, %rsi\n",
		"\tmovb\t$1, %sil\n",
		"\tpopq\t%rsi\n",
		".L4:\n",
		".LBB0_1:\n",
		"main:\n",
		"\tcall\tf@PLT\n",
		"\tcallq\t*%rax\n",
		"\trep movsq\n",
		"\tmovsl\n",
		"\tlodsb\n",
		"\t#APP\n",
		"\t#NO_APP\n",
		"\tmovl\t$3, %esi\n",
		"\tmovl\t$65541, %esi\n",
		"\tmovl\t$x, %esi\n",
		"\tcall\tg\n",
	};
	char text[200];

	(void)state;
	expect(CALL8, NULL);
	for (size_t i = 0; i < sizeof(between) / sizeof(*between); i++) {
		snprintf(text, sizeof(text), "\tmovl\t$2, %%esi\n%s%s", between[i], CALL8);
		expect(text, NULL);
	}
	/* Also after an announcement that is taken out: the compiler does not expect the register to survive it. */
	expect("\tmovl\t$2, %esi\n\tcall\t__tsan_read8\n" CALL8, "\tmovl\t$2, %esi\n\n" CALL8);
	expect("\tmovl\t$2, %esi\n\tcall\t__tsan_atomic128_load@PLT\n", NULL);
	expect("\tmovl\t$2, %esi\n\tjmp\t__tsan_atomic64_load@PLT\n", NULL);
}

static void syntax(void **state)
{
	(void)state;
	expect("\t.intel_syntax noprefix\n\tmovl\t$2, %esi\n" CALL8, NULL);
	expect("\t.intel_syntax noprefix\n\tcall\t__tsan_read8\n", "\t.intel_syntax noprefix\n\n");
	expect("\tnop; .intel_syntax noprefix; nop; .att_syntax\n\tmovl\t$2, %esi\n" CALL8,
	       "\tnop; .intel_syntax noprefix; nop; .att_syntax\n\tmovl\t$2, %esi\n" LOAD8("4"));
	expect("\t.intel_syntax noprefix\n\t.ascii\t\".att_syntax\"\n\tmovl\t$2, %esi\n" CALL8, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(announcements_of_loads),
		cmocka_unit_test(announcements_of_stores),
		cmocka_unit_test(other_lines),
		cmocka_unit_test(atomic_loads),
		cmocka_unit_test(atomic_loads_of_unknown_order),
		cmocka_unit_test(syntax),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
