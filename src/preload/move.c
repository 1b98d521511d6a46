/* SPDX-License-Identifier: GPL-2.0-or-later */
/* move.c - see move.h. */
#include "preload/move.h"

#include <string.h>

#define FLAGS 0x8d5 /* carry, parity, adjust, zero, sign, overflow */

/* Read the register and the memory operand, which is followed by `immediate` bytes. */
static void operands_read(struct move *m, const uint8_t *start, const struct x86_parts *p, unsigned immediate)
{
	m->memory = x86_memory_read(p);
	m->reg = (uint8_t)(x86_extension(p) | (p->bits & X86_R) << 1);
	/* With an immediate operand this field is part of the opcode. */
	m->high = !m->vector && !immediate && m->width == 1 && !p->rex && m->reg >= 4 && m->reg < 8;
	if (m->high)
		m->reg -= 4;
	if (immediate) {
		m->immediate = true;
		m->number = x86_number_read(m->memory.end, immediate);
	}
	m->length = (uint8_t)(m->memory.end + immediate - start);
}

static bool one_byte(const uint8_t *start, const struct x86_parts *p, struct move *m)
{
	uint8_t op = p->opcode, word = x86_word(p), size = op & 1 ? word : 1;
	unsigned extension = x86_extension(p), immediate = 0;

	*m = (struct move){.size = size, .width = size};
	switch (op) {
	case 0x88:
	case 0x89: m->kind = MOVE_STORE; break;
	case 0x8a:
	case 0x8b:
		m->kind = MOVE_LOAD;
		m->size = m->width = op == 0x8a ? 1 : word;
		break;
	case 0x63:
		if (word == 2)
			return false; /* manuals disagree on the size in memory */
		*m = (struct move){.kind = MOVE_LOAD, .size = 4, .width = word, .sign = true};
		break;
	case 0xc6:
	case 0xc7:
		if (extension != 0)
			return false;
		m->kind = MOVE_STORE;
		immediate = size == 8 ? 4 : size;
		break;
	case 0x80:
	case 0x81:
	case 0x83:
		m->kind = MOVE_CALCULATE;
		m->operation = (uint8_t)extension;
		immediate = op != 0x81 ? 1 : size == 8 ? 4 : size;
		break;
	case 0x84:
	case 0x85:
		m->kind = MOVE_CALCULATE;
		m->operation = MOVE_TEST;
		break;
	case 0xf6:
	case 0xf7:
		if (extension != 0)
			return false;
		m->kind = MOVE_CALCULATE;
		m->operation = MOVE_TEST;
		immediate = size == 8 ? 4 : size;
		break;
	default:
		if (op >= 0x40 || (op & 7) >= 4)
			return false;
		m->kind = MOVE_CALCULATE;
		m->operation = op >> 3;
		m->memory_second = op & 2;
	}
	if (m->operation == MOVE_ADC || m->operation == MOVE_SBB)
		return false;
	operands_read(m, start, p, immediate);
	return true;
}

static bool two_bytes(const uint8_t *start, const struct x86_parts *p, struct move *m)
{
	uint8_t op = p->opcode;
	bool f3 = p->simd == X86_SIMD_F3, f2 = p->simd == X86_SIMD_F2, p66 = p->simd == X86_SIMD_66;

	*m = (struct move){.kind = MOVE_LOAD, .size = 16, .vector = true};
	switch (op) {
	case 0xb6:
	case 0xb7:
	case 0xbe:
	case 0xbf: /* MOVZX, MOVSX */
		if (f3 || f2)
			return false;
		*m = (struct move){.kind = MOVE_LOAD, .size = op & 1 ? 2 : 1, .width = x86_word(p), .sign = op >= 0xbe};
		break;
	case 0x10: /* MOVUPS, MOVUPD, MOVSD */
		if (f3)
			return false;
		m->size = f2 ? 8 : 16;
		break;
	case 0x28: /* MOVAPS, MOVAPD */
		if (f3 || f2)
			return false;
		break;
	case 0x11:
	case 0x29:
		if (f3 || f2)
			return false;
		m->kind = MOVE_STORE;
		break;
	case 0x6f: /* MOVDQA, MOVDQU */
	case 0x7f:
		if (!p66 && !f3)
			return false;
		m->kind = op == 0x6f ? MOVE_LOAD : MOVE_STORE;
		break;
	case 0x7e: /* MOVQ */
		if (!f3)
			return false;
		m->size = 8;
		break;
	case 0xd6:
		if (!p66)
			return false;
		m->kind = MOVE_STORE;
		m->size = 8;
		break;
	default: return false;
	}
	operands_read(m, start, p, 0);
	return true;
}

bool move_look(const uint8_t *start, struct move *m)
{
	struct x86_parts p = x86_parts_read(start);

	if (p.encoding != X86_LEGACY || p.lock || p.segment || p.addrsize || p.map > 1)
		return false;
	/* Only memory operands can fault, so register forms do not get here. */
	if (!x86_is_memory(&p))
		return false;
	return p.map == 1 ? two_bytes(start, &p, m) : !p.repeat && one_byte(start, &p, m);
}

/* Where it is */

static int register_index(unsigned reg)
{
	static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
					  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	return order[reg];
}

static uint64_t register_get(const ucontext_t *uc, unsigned reg)
{
	return (uint64_t)uc->uc_mcontext.gregs[register_index(reg)];
}

uintptr_t move_address(const struct move *m, const ucontext_t *uc)
{
	const struct x86_memory *memory = &m->memory;
	uint64_t at = (uint64_t)memory->displacement;

	if (memory->base != X86_NONE)
		at += register_get(uc, (unsigned)memory->base);
	if (memory->index != X86_NONE)
		at += register_get(uc, (unsigned)memory->index) << memory->scale;
	return memory->relative ? at + (uint64_t)uc->uc_mcontext.gregs[REG_RIP] + m->length : at;
}

/* Doing it */

static uint64_t operand_get(const struct move *m, ucontext_t *uc)
{
	uint64_t value = m->immediate ? (uint64_t)m->number : register_get(uc, m->reg);

	return m->high ? value >> 8 : value;
}

/* As the processor does: 4 bytes clear the upper half, fewer leave the rest unchanged. */
static void register_set(const struct move *m, ucontext_t *uc, uint64_t value)
{
	char *at = (char *)&uc->uc_mcontext.gregs[register_index(m->reg)];

	if (m->width >= 4) {
		value = m->width == 4 ? (uint32_t)value : value;
		memcpy(at, &value, 8);
	} else {
		memcpy(at + m->high, &value, m->width);
	}
}

static uint64_t memory_get(const struct move *m, const void *at)
{
	uint64_t value = 0;

	memcpy(&value, at, m->size);
	if (m->sign && m->size < 8 && value >> (8 * m->size - 1))
		value |= ~(uint64_t)0 << 8 * m->size;
	return value;
}

/* Execute the instruction itself, on registers.  `a` gets the result; a comparison does not change it. */
#define CALCULATE_SIZED(name, suffix, type)                                                                         \
	do {                                                                                                        \
		type first = (type)*a;                                                                              \
		__asm__("lea -128(%%rsp), %%rsp\n" name suffix " %2, %1\n pushfq\n popq %0\n lea 128(%%rsp), %%rsp" \
			: "=&r"(flags), "+&r"(first)                                                                \
			: "r"((type)b)                                                                              \
			: "cc");                                                                                    \
		*a = first;                                                                                         \
	} while (0)

#define CALCULATE(name)                                       \
	do {                                                  \
		if (size == 1)                                \
			CALCULATE_SIZED(name, "b", uint8_t);  \
		else if (size == 2)                           \
			CALCULATE_SIZED(name, "w", uint16_t); \
		else if (size == 4)                           \
			CALCULATE_SIZED(name, "l", uint32_t); \
		else                                          \
			CALCULATE_SIZED(name, "q", uint64_t); \
	} while (0)

static uint64_t calculate(enum move_operation operation, unsigned size, uint64_t *a, uint64_t b)
{
	uint64_t flags = 0;

	switch (operation) {
	case MOVE_ADD: CALCULATE("add"); break;
	case MOVE_OR: CALCULATE("or"); break;
	case MOVE_AND: CALCULATE("and"); break;
	case MOVE_SUB: CALCULATE("sub"); break;
	case MOVE_XOR: CALCULATE("xor"); break;
	case MOVE_CMP: CALCULATE("cmp"); break;
	default: CALCULATE("test");
	}
	return flags;
}

static void calculate_do(const struct move *m, ucontext_t *uc, void *at)
{
	greg_t *all = &uc->uc_mcontext.gregs[REG_EFL];
	uint64_t memory = memory_get(m, at), other = operand_get(m, uc), flags;

	if (m->memory_second) {
		flags = calculate(m->operation, m->size, &other, memory);
		if (m->operation != MOVE_CMP)
			register_set(m, uc, other);
	} else {
		flags = calculate(m->operation, m->size, &memory, other);
		if (m->operation != MOVE_CMP && m->operation != MOVE_TEST)
			memcpy(at, &memory, m->size);
	}
	*all = (greg_t)(((uint64_t)*all & ~(uint64_t)FLAGS) | (flags & FLAGS));
}

static void vector_do(const struct move *m, ucontext_t *uc, void *at)
{
	char *xmm = (char *)&uc->uc_mcontext.fpregs->_xmm[m->reg];

	if (m->kind == MOVE_STORE) {
		memcpy(at, xmm, m->size);
		return;
	}
	memset(xmm, 0, 16);
	memcpy(xmm, at, m->size);
}

void move_do(const struct move *m, ucontext_t *uc, void *at)
{
	uint64_t value;

	uc->uc_mcontext.gregs[REG_RIP] += m->length;
	if (m->vector) {
		vector_do(m, uc, at);
	} else if (m->kind == MOVE_STORE) {
		value = operand_get(m, uc);
		memcpy(at, &value, m->size);
	} else if (m->kind == MOVE_LOAD) {
		register_set(m, uc, memory_get(m, at));
	} else {
		calculate_do(m, uc, at);
	}
}
