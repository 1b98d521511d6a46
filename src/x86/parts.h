/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.h - the parts of an amd64 instruction: prefixes, opcode, memory operand.
 *
 *     struct x86_parts p = x86_parts_read(code);
 *     if (p.map == 1 && p.opcode == 0xe7 && p.simd == X86_SIMD_66)             // MOVNTDQ, or VMOVNTDQ
 *             struct x86_memory m = x86_memory_read(&p);
 *
 * This splits an instruction without knowing which ones exist: the caller decides what an opcode means, whether ModRM
 * follows it, and which immediate operands come last.  If the bytes are no instruction, the result means nothing, but
 * x86_parts_read reads at most X86_LENGTH_MAX of them.
 *
 * Both the recorder (tool/bo_decode.c), which has no C library, and the stub inside recovery programs (preload/insn.c,
 * preload/move.c) use this; the unit test test_x86 compares all of them with Zydis. */
#ifndef BLACKOUT_X86_PARTS_H
#define BLACKOUT_X86_PARTS_H

#include <stdbool.h>
#include <stdint.h>

enum { X86_LENGTH_MAX = 15, X86_NONE = -1 };

enum x86_encoding { X86_LEGACY, X86_VEX, X86_EVEX, X86_XOP };

/* The prefix that selects one of the instructions of an opcode; numbered as in VEX. */
enum x86_simd { X86_SIMD_NONE, X86_SIMD_66, X86_SIMD_F3, X86_SIMD_F2 };

/* Extension bits, as in REX. */
enum { X86_B = 1, X86_X = 2, X86_R = 4, X86_W = 8 };

struct x86_parts {
	enum x86_encoding encoding;
	bool opsize;     /* prefix 66 */
	bool addrsize;   /* prefix 67 */
	bool lock;       /* prefix F0 */
	bool rex;        /* there is a REX prefix */
	uint8_t repeat;  /* prefix F2 or F3, whichever comes last; 0: none */
	uint8_t segment; /* prefix 64 (FS) or 65 (GS); 0: none.  The others have no effect. */
	uint8_t bits;    /* X86_B and so on, from REX, VEX, EVEX or XOP */
	uint8_t map;     /* of opcodes; 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A; VEX, EVEX and XOP have more */
	enum x86_simd simd;
	uint8_t vector; /* bytes of a vector: 16, 32, 64; X86_LEGACY: 16 */
	bool partial;   /* X86_EVEX: masked, or broadcast */
	uint8_t opcode;
	const uint8_t *modrm; /* the byte after the opcode */
};

/* [base + index << scale + displacement], registers by number. */
struct x86_memory {
	int8_t base, index; /* or X86_NONE */
	uint8_t scale;
	bool relative; /* to the address of the next instruction */
	int32_t displacement;
	const uint8_t *end; /* the byte after the operand */
};

/* The field "reg" of ModRM, which is part of the opcode in some instructions. */
static inline unsigned x86_extension(const struct x86_parts *p)
{
	return *p->modrm >> 3 & 7;
}

static inline bool x86_is_memory(const struct x86_parts *p)
{
	return *p->modrm < 0xc0;
}

/* The size of an integer operand. */
static inline uint8_t x86_word(const struct x86_parts *p)
{
	return p->bits & X86_W ? 8 : p->opsize ? 2 : 4;
}

static inline bool x86_prefix_read(struct x86_parts *p, uint8_t byte)
{
	switch (byte) {
	case 0x66: p->opsize = true; return true;
	case 0x67: p->addrsize = true; return true;
	case 0xf0: p->lock = true; return true;
	case 0xf2:
	case 0xf3: p->repeat = byte; return true;
	case 0x64:
	case 0x65: p->segment = byte; return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e: return true;
	}
	return false;
}

static inline struct x86_parts x86_parts_read(const uint8_t *code)
{
	struct x86_parts p = {.vector = 16};
	const uint8_t *last = code + X86_LENGTH_MAX - 1;

	/* REX counts only directly before the opcode. */
	for (; code < last; code++) {
		if ((*code & 0xf0) == 0x40) {
			p.rex = true;
			p.bits = *code & 15;
		} else if (x86_prefix_read(&p, *code)) {
			p.rex = false;
			p.bits = 0;
		} else {
			break;
		}
	}
	p.simd = p.repeat == 0xf3 ? X86_SIMD_F3 : p.repeat ? X86_SIMD_F2 : p.opsize ? X86_SIMD_66 : X86_SIMD_NONE;
	if (last - code < 5) {
		p.opcode = *code; /* no room for the longer forms */
	} else if (*code == 0xc5) {
		p.encoding = X86_VEX;
		p.bits = ~code[1] >> 5 & X86_R;
		p.map = 1;
		p.simd = code[1] & 3;
		p.vector = code[1] & 4 ? 32 : 16;
		p.opcode = *(code += 2);
	} else if (*code == 0xc4 || (*code == 0x8f && (code[1] & 0x1f) >= 8)) {
		p.encoding = *code == 0xc4 ? X86_VEX : X86_XOP;
		p.bits = (~code[1] >> 5 & 7) | (code[2] >> 4 & X86_W);
		p.map = code[1] & 0x1f;
		p.simd = code[2] & 3;
		p.vector = code[2] & 4 ? 32 : 16;
		p.opcode = *(code += 3);
	} else if (*code == 0x62) {
		p.encoding = X86_EVEX;
		p.bits = (~code[1] >> 5 & 7) | (code[2] >> 4 & X86_W);
		p.map = code[1] & 7;
		p.simd = code[2] & 3;
		p.vector = code[3] & 0x40 ? 64 : code[3] & 0x20 ? 32 : 16;
		p.partial = code[3] & 0x17;
		p.opcode = *(code += 4);
	} else if (*code == 0x0f) {
		p.map = code[1] == 0x38 ? 2 : code[1] == 0x3a ? 3 : 1;
		p.opcode = *(code += p.map == 1 ? 1 : 2);
	} else {
		p.opcode = *code;
	}
	p.modrm = code + 1;
	return p;
}

/* A signed number of 0, 1, 2 or 4 bytes. */
static inline int32_t x86_number_read(const uint8_t *at, unsigned bytes)
{
	switch (bytes) {
	case 1: return (int8_t)at[0];
	case 2: return (int16_t)(at[0] | at[1] << 8);
	case 4: return (int32_t)(at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24);
	}
	return 0;
}

/* The operand that ModRM, SIB and the displacement describe.  Not for X86_EVEX, where the unit of one byte is not 1. */
static inline struct x86_memory x86_memory_read(const struct x86_parts *p)
{
	struct x86_memory m = {.base = X86_NONE, .index = X86_NONE, .end = p->modrm + 1};
	unsigned mod = *p->modrm >> 6, base = *p->modrm & 7, bytes = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	bool sib = base == 4;

	if (sib) {
		unsigned index = (*m.end >> 3 & 7) | (p->bits & X86_X) << 2;

		if (index != 4)
			m.index = (int8_t)index;
		m.scale = *m.end >> 6;
		base = *m.end++ & 7;
	}
	if (mod == 0 && base == 5) {
		bytes = 4;
		m.relative = !sib;
	} else {
		m.base = (int8_t)(base | (p->bits & X86_B) << 3);
	}
	m.displacement = x86_number_read(m.end, bytes);
	m.end += bytes;
	return m;
}

#endif
