/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_move.c - instructions that the stub executes itself.
 *
 *   1  the address of their operand, computed from the registers
 *   2  each form of each known instruction changes registers, flags and memory exactly as the processor does */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "preload/move.h"

enum { RAX = 0x1000, RCX = 0x20, RDX = 0x3000, RSP = 0x4000, R12 = 0x5000, R13 = 0x6000 };

struct example {
	const char *text;
	uint8_t code[12];
	uint64_t at; /* with `relative`, counted from the end of the instruction */
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

/* Registers as opcodes number them.  The stack pointer, and R15, which points to this struct, are not touched. */
struct machine {
	uint64_t regs[16], flags;
	uint8_t xmm[16][16];
	_Alignas(16) uint8_t memory[16];
};

enum { FLAGS = 0x8d5, TRIES = 12, RBX = 3, RSP_NUMBER = 4, R15_NUMBER = 15 };

struct writer {
	uint8_t *at;
};

static void put(struct writer *w, const void *bytes, size_t count)
{
	memcpy(w->at, bytes, count);
	w->at += count;
}

#define PUT(w, ...) put(w, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* op reg, disp32(%r15) */
static void put_field(struct writer *w, uint8_t op, unsigned reg, size_t offset)
{
	int32_t displacement = (int32_t)offset;

	PUT(w, (uint8_t)(0x49 | (reg >> 3) << 2), op, (uint8_t)(0x87 | (reg & 7) << 3));
	put(w, &displacement, 4);
}

/* movdqu between %xmm and disp32(%r15) */
static void put_vector(struct writer *w, uint8_t op, unsigned reg, size_t offset)
{
	int32_t displacement = (int32_t)offset;

	PUT(w, 0xf3, (uint8_t)(0x41 | (reg >> 3) << 2), 0x0f, op, (uint8_t)(0x87 | (reg & 7) << 3));
	put(w, &displacement, 4);
}

static void put_all(struct writer *w, uint8_t move, uint8_t vector)
{
	for (unsigned i = 0; i < 16; i++) {
		put_vector(w, vector, i, offsetof(struct machine, xmm) + 16 * i);
		if (i != RSP_NUMBER && i != R15_NUMBER)
			put_field(w, move, i, offsetof(struct machine, regs) + 8 * i);
	}
}

/* Let the processor execute it. */
static void execute(uint8_t *page, const uint8_t *code, size_t length, struct machine *machine)
{
	struct writer w = {page};
	int32_t flags = offsetof(struct machine, flags);

	PUT(&w, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57); /* push the callee-saved registers */
	PUT(&w, 0x49, 0x89, 0xff);                                           /* mov %rdi, %r15 */
	PUT(&w, 0x41, 0xff, 0xb7);                                           /* push flags(%r15) */
	put(&w, &flags, 4);
	PUT(&w, 0x9d); /* popf */
	put_all(&w, 0x8b, 0x6f);
	put(&w, code, length);
	put_all(&w, 0x89, 0x7f);
	PUT(&w, 0x9c, 0x41, 0x8f, 0x87); /* pushf; pop flags(%r15) */
	put(&w, &flags, 4);
	PUT(&w, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3);
	void (*run)(struct machine *);
	memcpy(&run, &page, sizeof(run));
	run(machine);
}

static int greg_of(unsigned reg)
{
	static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	return order[reg];
}

/* Let our code execute it. */
static void imitate(const struct move *move, const uint8_t *code, struct machine *machine)
{
	struct _libc_fpstate vectors;
	ucontext_t uc;

	memset(&uc, 0, sizeof(uc));
	memset(&vectors, 0, sizeof(vectors));
	uc.uc_mcontext.fpregs = &vectors;
	memcpy(vectors._xmm, machine->xmm, sizeof(machine->xmm));
	for (unsigned i = 0; i < 16; i++)
		uc.uc_mcontext.gregs[greg_of(i)] = (greg_t)machine->regs[i];
	uc.uc_mcontext.gregs[REG_EFL] = (greg_t)machine->flags;
	uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)code;
	move_do(move, &uc, machine->memory);
	assert_int_equal(uc.uc_mcontext.gregs[REG_RIP], (uintptr_t)code + move->length);
	for (unsigned i = 0; i < 16; i++)
		machine->regs[i] = (uint64_t)uc.uc_mcontext.gregs[greg_of(i)];
	machine->flags = (uint64_t)uc.uc_mcontext.gregs[REG_EFL];
	memcpy(machine->xmm, vectors._xmm, sizeof(machine->xmm));
}

static uint64_t value_random(void)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | (random() % 3 ? random() & 0xff : random() % 2 ? 0xff : 0);
	return value;
}

static struct machine machine_random(void)
{
	struct machine m;
	uint8_t *bytes = (uint8_t *)&m;

	for (size_t i = 0; i < sizeof(m); i += 8) {
		uint64_t value = value_random();

		memcpy(bytes + i, &value, 8);
	}
	m.flags = (m.flags & FLAGS) | 2;
	return m;
}

static bool is_reserved(const struct move *move)
{
	return !move->immediate && !move->vector && !move->high && (move->reg == RSP_NUMBER || move->reg == R15_NUMBER);
}

static struct machine *machine_new(void)
{
	struct machine *machine = aligned_alloc(64, (sizeof(*machine) + 63) / 64 * 64);

	assert_non_null(machine);
	return machine;
}

/* Compare one instruction on (%rbx).  Half of the time the memory holds the value that a comparison with a number looks
 * for. */
static void compare_once(uint8_t *page, const uint8_t *code)
{
	struct machine *ours, *theirs;
	struct move move;

	if (!move_look(code, &move) || is_reserved(&move))
		return;
	ours = machine_new();
	theirs = machine_new();
	*ours = machine_random();
	ours->regs[RBX] = (uintptr_t)theirs->memory;
	if (move.immediate && random() % 2)
		memcpy(ours->memory, &move.number, sizeof(move.number));
	*theirs = *ours;
	execute(page, code, move.length, theirs);
	imitate(&move, code, ours);
	ours->flags &= FLAGS;
	theirs->flags &= FLAGS;
	if (memcmp(ours, theirs, sizeof(*ours)) != 0)
		fail_msg("%02x %02x %02x %02x %02x %02x: not as the processor does it", code[0], code[1], code[2],
			 code[3], code[4], code[5]);
	free(ours);
	free(theirs);
}

/* Prefixes, REX or 0 for none, 0F or 0 for none, opcode, register. */
static void compare(uint8_t *page, uint8_t prefix, uint8_t rex, uint8_t escape, uint8_t op, unsigned reg)
{
	uint8_t code[32];
	struct writer w = {code};

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)random();
	if (prefix)
		PUT(&w, prefix);
	if (rex)
		PUT(&w, rex);
	if (escape)
		PUT(&w, escape);
	PUT(&w, op, (uint8_t)(reg << 3 | RBX));
	compare_once(page, code);
}

/* Is it an opcode, and not a prefix or the first byte of a longer one? */
static bool is_opcode(unsigned op)
{
	return op >= 256 || !(op == 0x0f || (op & 0xf0) == 0x40 || (op & 0xe7) == 0x26 || (op >= 0x64 && op <= 0x67) ||
			      op == 0xf0 || op == 0xf2 || op == 0xf3);
}

static void does_as_the_processor(void **state)
{
	static const uint8_t prefixes[] = {0, 0x66, 0xf2, 0xf3}, rexes[] = {0, 0x40, 0x44, 0x48, 0x4c};
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	srandom(1);
	for (unsigned op = 0; op < 512; op++)
		for (unsigned kind = 0; is_opcode(op) && kind < sizeof(prefixes) * sizeof(rexes); kind++)
			for (unsigned i = 0; i < 8 * TRIES; i++)
				compare(page, prefixes[kind % sizeof(prefixes)], rexes[kind / sizeof(prefixes)],
					op < 256 ? 0 : 0x0f, (uint8_t)op, i % 8);
	munmap(page, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_operands), cmocka_unit_test(does_as_the_processor)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
