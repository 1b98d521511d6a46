/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The intermediate code of clang: which lines the assembler of blackout-cc changes, and which it must not. */
#include "../../compiler/assembler/ir.h"
#include "filtered.h"

/* The filtered text must be `expected`; NULL: as it was. */
static void expect(const char *text, const char *expected)
{
	expect_filtered(ir_filter, text, expected);
}

static void announcements_of_loads(void **state)
{
	(void)state;
	expect("  call void @__tsan_read8(i8* %5), !dbg !35\n", "\n");
	expect("  call void @__tsan_read4(ptr @x)\n", "\n");
	expect("  tail call void @__tsan_unaligned_read16(ptr nonnull %5)", "");
	expect("  call void @__tsan_volatile_read4(i8* bitcast (i32* @x to i8*)), !dbg !35\n", "\n");
	expect("a\n  call void @__tsan_read_range(ptr %1, i64 40)\nb\n", "a\n\nb\n");
}

#define MARKER(prefix, nop) \
	"call void asm sideeffect \".byte " prefix "; " nop " $0\", \"*m,~{dirflag},~{fpsr},~{flags}\""

static void announcements_of_stores(void **state)
{
	(void)state;
	expect("  call void @__tsan_write8(i8* %5), !dbg !35\n",
	       "  " MARKER("0x26", "nopq") "(i8* elementtype(i8) %5), !dbg !35\n");
	expect("  call void @__tsan_unaligned_write16(ptr %5)\n",
	       "  " MARKER("0x64", "nopl") "(ptr elementtype(i8) %5)\n");
	expect("  call void @__tsan_volatile_write1(ptr getelementptr inbounds ({ i8, [3 x i8] }, ptr @x, i64 0, i32 1))\n",
	       "  " MARKER(
		       "0x65",
		       "nopw") "(ptr elementtype(i8) getelementptr inbounds ({ i8, [3 x i8] }, ptr @x, i64 0, i32 1))\n");
	expect("  call void @__tsan_vptr_update(ptr %1, ptr %2), !dbg !7\n",
	       "  " MARKER("0x26", "nopq") "(ptr elementtype(i8) %1), !dbg !7\n");
}

#define LOAD(insn) " asm sideeffect \"" insn "\", \"={ax},{di},~{memory},~{dirflag},~{fpsr},~{flags}\""

static void atomic_loads(void **state)
{
	(void)state;
	expect("  %4 = call i64 @__tsan_atomic64_load(i64* %3, i32 5), !dbg !7\n",
	       "  %4 = call i64" LOAD("movq (%rdi,%riz,8), %rax") "(i64* %3), !dbg !7\n");
	expect("  %4 = call i8 @__tsan_atomic8_load(ptr @f, i32 0)\n",
	       "  %4 = call i8" LOAD("movzbl (%rdi,%riz,1), %eax") "(ptr @f)\n");
}

static void other_lines(void **state)
{
	(void)state;
	expect("", NULL);
	expect("\n\n", NULL);
	expect("  call void @__tsan_write_range(ptr %1, i64 40)\n", NULL);
	expect("  call void @__tsan_func_entry(ptr %1)\n", NULL);
	expect("  call void @__tsan_read8_of_mine(ptr %1)\n", NULL);
	expect("  call void @__tsan_write8()\n", NULL);
	expect("  call void @__tsan_write8(ptr @\"a)\")\n", NULL);
	expect("  call void @__tsan_write8(ptr %1\n", NULL);
	expect("  call\n", NULL);
	expect("  %3 = call i128 @__tsan_atomic128_load(ptr %1, i32 5)\n", NULL);
	expect("  %3 = call i64 @__tsan_atomic64_load(ptr %1, i32 %2)\n", NULL);
	expect("  %3 = call i64 @__tsan_atomic64_load(ptr %1, i32 3)\n", NULL);
	expect("  call void @__tsan_atomic64_store(ptr %1, i64 7, i32 5)\n", NULL);
	expect("declare void @__tsan_read8(ptr)\n", NULL);
	expect("@s = constant [9 x i8] c\"  call void @__tsan_read8(ptr %1)\"\n", NULL);
	expect("  call void asm sideeffect \"call void @__tsan_read8(ptr %1)\", \"\"()\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(announcements_of_loads),
		cmocka_unit_test(announcements_of_stores),
		cmocka_unit_test(atomic_loads),
		cmocka_unit_test(other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
