/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn.c - the length of an amd64 instruction: a bit per opcode says whether ModRM follows, and a few rules say which
 * immediate operands do. */
#include "flow/insn.h"

/* One word for 16 opcodes, from 0x00 on; bit n is set if ModRM follows opcode n of the row. */
static const uint16_t one_byte_modrm[16] = {0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0x0000, 0x0000, 0x0a08, 0x0000,
					    0xfffb, 0x0000, 0x0000, 0x0000, 0x00c3, 0xff0f, 0x0000, 0xc0c0};

/* Of opcodes after 0F.  Those that do not exist count as having ModRM. */
static const uint16_t two_byte_modrm[16] = {0xb41f, 0xffff, 0xffff, 0xff00, 0xffff, 0xffff, 0xffff, 0xff7f,
					    0x0000, 0xffff, 0xf8f8, 0xffff, 0x00ff, 0xffff, 0xffff, 0xffff};

static bool row_has(const uint16_t rows[16], uint8_t opcode)
{
	return rows[opcode >> 4] >> (opcode & 15) & 1;
}

static bool has_modrm(const struct x86_parts *p)
{
	if (p->encoding == X86_VEX)
		return p->map != 1 || p->opcode != 0x77; /* VZEROUPPER */
	if (p->encoding != X86_LEGACY || p->map > 1)
		return true;
	return row_has(p->map ? two_byte_modrm : one_byte_modrm, p->opcode);
}

/* An immediate operand of the operand size, but of at most 4 bytes. */
static unsigned word_immediate(const struct x86_parts *p)
{
	return p->opsize && !(p->bits & X86_W) ? 2 : 4;
}

static unsigned one_byte_immediate(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? word_immediate(p) : 0;
	if (op >= 0x70 && op <= 0x7f)
		return 1;
	if (op >= 0xa0 && op <= 0xa3)
		return p->addrsize ? 4 : 8;
	if (op >= 0xb0 && op <= 0xb7)
		return 1;
	if (op >= 0xb8 && op <= 0xbf)
		return p->bits & X86_W ? 8 : word_immediate(p);
	switch (op) {
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7: return word_immediate(p);
	case 0xe8: /* near jumps and calls ignore the prefix of operand size */
	case 0xe9: return 4;
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xeb: return 1;
	case 0xc2:
	case 0xca: return 2;
	case 0xc8: return 3;
	case 0xf6: return x86_extension(p) < 2 ? 1 : 0;
	case 0xf7: return x86_extension(p) < 2 ? word_immediate(p) : 0;
	}
	return op >= 0xe0 && op <= 0xe7 ? 1 : 0;
}

/* In the map 0F of every encoding. */
static unsigned two_byte_immediate(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if (p->encoding == X86_LEGACY) {
		if (op >= 0x80 && op <= 0x8f)
			return 4;
		if (op == 0x0f /* 3DNow! */ || op == 0xa4 || op == 0xac || op == 0xba)
			return 1;
		if (op == 0x78 && (p->simd == X86_SIMD_66 || p->simd == X86_SIMD_F2)) /* EXTRQ, INSERTQ */
			return 2;
	}
	return (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ? 1 : 0;
}

static unsigned immediate(const struct x86_parts *p)
{
	if (p->encoding == X86_XOP)
		return p->map == 8 ? 1 : p->map == 10 ? 4 : 0;
	switch (p->map) {
	case 0: return one_byte_immediate(p);
	case 1: return two_byte_immediate(p);
	case 3: return 1;
	}
	return 0;
}

/* The byte after opcode, ModRM, SIB and displacement. */
static const uint8_t *operands_end(const struct x86_parts *p)
{
	if (!has_modrm(p))
		return p->modrm;
	/* Moves from and to control and debug registers ignore the field "mod". */
	if (p->encoding == X86_LEGACY && p->map == 1 && p->opcode >= 0x20 && p->opcode <= 0x23)
		return p->modrm + 1;
	return x86_is_memory(p) ? x86_memory_read(p).end : p->modrm + 1;
}

static enum flow_kind one_byte_kind(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3))
		return FLOW_BRANCH;
	if (p->repeat && ((op >= 0x6c && op <= 0x6f) || (op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf)))
		return FLOW_REPEAT;
	switch (op) {
	case 0xe9:
	case 0xeb: return FLOW_JUMP;
	case 0xe8: return FLOW_CALL;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf: return FLOW_RETURN;
	case 0xf4: return FLOW_STOP;
	case 0xff:
		switch (x86_extension(p)) {
		case 2:
		case 3: return FLOW_CALL_INDIRECT;
		case 4:
		case 5: return FLOW_JUMP_INDIRECT;
		}
	}
	return FLOW_PLAIN;
}

static enum flow_kind kind_of(const struct x86_parts *p)
{
	if (p->encoding != X86_LEGACY || p->map > 1)
		return FLOW_PLAIN;
	if (p->map == 0)
		return one_byte_kind(p);
	if (p->opcode >= 0x80 && p->opcode <= 0x8f)
		return FLOW_BRANCH;
	switch (p->opcode) {
	case 0x07: /* SYSRET */
	case 0x35: /* SYSEXIT */
	case 0xaa: /* RSM */
	case 0x0b: /* UD2 */
	case 0xb9: /* UD1 */
	case 0xff: return FLOW_STOP;
	}
	return FLOW_PLAIN;
}

struct flow_insn flow_insn_read(const uint8_t *code, uint64_t at)
{
	struct x86_parts p = x86_parts_read(code);
	unsigned bytes = immediate(&p);
	const uint8_t *end = operands_end(&p);
	struct flow_insn insn = {.kind = (uint8_t)kind_of(&p)};

	if (end + bytes - code > X86_LENGTH_MAX)
		return insn;
	insn.length = (uint8_t)(end + bytes - code);
	if (insn.kind == FLOW_BRANCH || insn.kind == FLOW_JUMP || insn.kind == FLOW_CALL)
		insn.target = at + insn.length + (uint64_t)(int64_t)x86_number_read(end, bytes);
	return insn;
}

bool flow_insn_pads(const uint8_t *code)
{
	struct x86_parts p = x86_parts_read(code);

	if (p.encoding != X86_LEGACY || p.map > 1)
		return false;
	if (p.map == 1)
		return p.opcode == 0x1f;
	return p.opcode == 0x90 || p.opcode == 0xcc || (p.opcode == 0 && *p.modrm == 0);
}
