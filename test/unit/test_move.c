/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_move.c - where instructions have their operand, by their registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "preload/move.h"

enum { RAX = 0x1000, RCX = 0x20, RDX = 0x3000, RSP = 0x4000, R12 = 0x5000, R13 = 0x6000 };

struct example {
	const char *text;
	uint8_t code[12];
	uint64_t at; /* with `relative`, from the end of the instruction on */
	bool relative;
};

static const struct example examples[] = {
	{"mov (%rax),%rdi", {0x48, 0x8b, 0x38}, RAX, false},
	{"mov (%r12),%rdi", {0x49, 0x8b, 0x3c, 0x24}, R12, false},
	{"mov 0x0(%r13),%rax", {0x49, 0x8b, 0x45, 0x00}, R13, false},
	{"mov 0x20(%rcx),%rdi", {0x48, 0x8b, 0x79, 0x20}, RCX + 0x20, false},
	{"mov -0x8(%rsp),%rax", {0x48, 0x8b, 0x44, 0x24, 0xf8}, RSP - 8, false},
	{"mov -0x8(%rdx,%rcx,8),%rdx", {0x48, 0x8b, 0x54, 0xca, 0xf8}, RDX + 8 * RCX - 8, false},
	{"mov (%rdx,%r12,2),%al", {0x42, 0x8a, 0x04, 0x62}, RDX + 2 * R12, false},
	{"mov 0x1234(,%r12,1),%rax", {0x4a, 0x8b, 0x04, 0x25, 0x34, 0x12, 0, 0}, R12 + 0x1234, false},
	{"mov 0x1234,%rax", {0x48, 0x8b, 0x04, 0x25, 0x34, 0x12, 0, 0}, 0x1234, false},
	{"mov 0x1234(%rip),%rax", {0x48, 0x8b, 0x05, 0x34, 0x12, 0, 0}, 0x1234, true},
	{"cmpq $0x5,-0x10(%rip)", {0x48, 0x83, 0x3d, 0xf0, 0xff, 0xff, 0xff, 0x05}, (uint64_t)-16, true},
	{"movb $0x1,0x100(%r12)", {0x41, 0xc6, 0x84, 0x24, 0x00, 0x01, 0, 0, 0x01}, R12 + 0x100, false},
	{"movdqu (%rax),%xmm1", {0xf3, 0x0f, 0x6f, 0x08}, RAX, false},
};

static void finds_operands(void **state)
{
	ucontext_t uc;

	(void)state;
	memset(&uc, 0, sizeof(uc));
	uc.uc_mcontext.gregs[REG_RAX] = RAX;
	uc.uc_mcontext.gregs[REG_RCX] = RCX;
	uc.uc_mcontext.gregs[REG_RDX] = RDX;
	uc.uc_mcontext.gregs[REG_RSP] = RSP;
	uc.uc_mcontext.gregs[REG_R12] = R12;
	uc.uc_mcontext.gregs[REG_R13] = R13;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *e = &examples[i];
		uintptr_t end;
		struct move move;

		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)e->code;
		if (!move_look(e->code, &move))
			fail_msg("%s is not known", e->text);
		end = (uintptr_t)e->code + move.length;
		if (move_address(&move, &uc) != e->at + (e->relative ? end : 0))
			fail_msg("%s: %#lx", e->text, move_address(&move, &uc));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_operands)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
