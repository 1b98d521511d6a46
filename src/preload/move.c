/* SPDX-License-Identifier: GPL-2.0-or-later */
/* move.c - see move.h. */
#include "preload/move.h"

#include <string.h>

#define FLAGS 0x8d5 /* carry, parity, adjust, zero, sign, overflow */

struct prefix {
	bool size16, repne, rep, rex;
	uint8_t bits; /* REX bits */
};

static const uint8_t *prefix_read(const uint8_t *code, struct prefix *p)
{
	*p = (struct prefix){0};
	for (;; code++) {
		if (*code == 0x66)
			p->size16 = true;
		else if (*code == 0xf2)
			p->repne = true;
		else if (*code == 0xf3)
			p->rep = true;
		else
			break;
	}
	if ((*code & 0xf0) == 0x40) {
		p->rex = true;
		p->bits = *code++ & 15;
	}
	return code;
}

/* The length of ModRM, SIB and displacement of a memory operand. */
static unsigned operand_length(const uint8_t *modrm)
{
	unsigned mod = *modrm >> 6, rm = *modrm & 7, length = 1;

	if (rm == 4) {
		length++;
		if (mod == 0 && (modrm[1] & 7) == 5)
			return 6;
	}
	return length + (mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0);
}

static int64_t immediate_read(const uint8_t *at, unsigned bytes)
{
	int8_t one;
	int16_t two;
	int32_t four;

	memcpy(&one, at, 1);
	memcpy(&two, at, bytes >= 2 ? 2 : 1);
	memcpy(&four, at, bytes >= 4 ? 4 : 1);
	return bytes == 1 ? one : bytes == 2 ? two : four;
}

/* `modrm` points to the operand; `immediate` bytes follow it. */
static void operand_read(struct move *m, const struct prefix *p, const uint8_t *start, const uint8_t *modrm,
			 unsigned immediate)
{
	const uint8_t *end = modrm + operand_length(modrm);

	m->reg = (uint8_t)((*modrm >> 3 & 7) | (p->bits & 4) << 1);
	/* With an immediate operand this field is part of the opcode. */
	m->high = !m->vector && !immediate && m->width == 1 && !p->rex && m->reg >= 4 && m->reg < 8;
	if (m->high)
		m->reg -= 4;
	if (immediate) {
		m->immediate = true;
		m->number = immediate_read(end, immediate);
	}
	m->extension = p->bits;
	m->modrm = (uint8_t)(modrm - start);
	m->length = (uint8_t)(end + immediate - start);
}

static uint8_t word_of(const struct prefix *p)
{
	return p->bits & 8 ? 8 : p->size16 ? 2 : 4;
}

static bool one_byte(const uint8_t *start, const uint8_t *code, const struct prefix *p, struct move *m)
{
	uint8_t word = word_of(p), size = code[0] & 1 ? word : 1, extension = code[1] >> 3 & 7;
	unsigned immediate = 0;

	*m = (struct move){.size = size, .width = size};
	switch (code[0]) {
	case 0x88:
	case 0x89: m->kind = MOVE_STORE; break;
	case 0x8a:
	case 0x8b:
		m->kind = MOVE_LOAD;
		m->size = m->width = code[0] == 0x8a ? 1 : word;
		break;
	case 0x63: *m = (struct move){.kind = MOVE_LOAD, .size = word == 2 ? 2 : 4, .width = word, .sign = true}; break;
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
		m->operation = extension;
		immediate = code[0] != 0x81 ? 1 : size == 8 ? 4 : size;
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
		if (code[0] >= 0x40 || (code[0] & 7) >= 4)
			return false;
		m->kind = MOVE_CALCULATE;
		m->operation = code[0] >> 3;
		m->memory_second = code[0] & 2;
	}
	if (m->operation == MOVE_ADC || m->operation == MOVE_SBB)
		return false;
	operand_read(m, p, start, code + 1, immediate);
	return true;
}

/* `code` points after 0F. */
static bool two_bytes(const uint8_t *start, const uint8_t *code, const struct prefix *p, struct move *m)
{
	uint8_t op = code[0];
	bool plain = !p->rep && !p->repne;

	*m = (struct move){.kind = MOVE_LOAD, .size = 16, .vector = true};
	if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) {
		*m = (struct move){.kind = MOVE_LOAD, .size = op & 1 ? 2 : 1, .width = word_of(p), .sign = op >= 0xbe};
		if (!plain)
			return false;
	} else if ((op == 0x11 || op == 0x29) && plain) {
		m->kind = MOVE_STORE;
	} else if (op == 0x7f && (p->size16 != p->rep) && !p->repne) {
		m->kind = MOVE_STORE;
	} else if ((op == 0x7e && p->rep && !p->size16) || (op == 0x10 && p->repne)) {
		m->size = 8;
	} else if (op == 0xd6 && p->size16 && plain) {
		m->kind = MOVE_STORE;
		m->size = 8;
	} else if (!((op == 0x10 || op == 0x28) && plain) && !(op == 0x6f && p->size16 != p->rep && !p->repne)) {
		return false;
	}
	operand_read(m, p, start, code + 1, 0);
	return true;
}

bool move_look(const uint8_t *start, struct move *m)
{
	struct prefix p;
	const uint8_t *code = prefix_read(start, &p);

	/* Only memory operands can fault, so register forms do not get here. */
	if (*code == 0x0f)
		return code[2] >> 6 != 3 && two_bytes(start, code + 1, &p, m);
	return code[1] >> 6 != 3 && !p.rep && !p.repne && one_byte(start, code, &p, m);
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
	const uint8_t *start = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP], *modrm = start + m->modrm;
	unsigned mod = *modrm >> 6, rm = *modrm & 7, base = rm;
	const uint8_t *displacement = modrm + 1;
	uint64_t at = 0;

	if (rm == 4) {
		unsigned index = (modrm[1] >> 3 & 7) | (m->extension & 2) << 2;

		base = modrm[1] & 7;
		displacement++;
		if (index != 4)
			at = register_get(uc, index) << (modrm[1] >> 6);
	}
	if (mod == 0 && base == 5) /* no base: absolute, or relative to the next instruction */
		return at + (rm == 5 ? (uintptr_t)start + m->length : 0) + (uint64_t)immediate_read(displacement, 4);
	at += register_get(uc, base | (m->extension & 1) << 3);
	return mod ? at + (uint64_t)immediate_read(displacement, mod == 1 ? 1 : 4) : at;
}

/* Doing it */

static greg_t *register_at(ucontext_t *uc, unsigned reg)
{
	return &uc->uc_mcontext.gregs[register_index(reg)];
}

static uint64_t operand_get(const struct move *m, ucontext_t *uc)
{
	uint64_t value = m->immediate ? (uint64_t)m->number : register_get(uc, m->reg);

	return m->high ? value >> 8 : value;
}

/* As the processor does: 4 bytes clear the upper half, fewer leave the rest unchanged. */
static void register_set(const struct move *m, ucontext_t *uc, uint64_t value)
{
	char *at = (char *)register_at(uc, m->reg);

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
