/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn.c - see insn.h.  Opcodes are as in the tables of the "Intel 64 and IA-32 Architectures Software Developer's
 * Manual", volume 2, appendix A. */
#include "preload/insn.h"

#include "x86/parts.h"

static struct insn plain(unsigned size)
{
	return (struct insn){.kind = INSN_PLAIN, .size = (uint8_t)size};
}

static struct insn wide(void)
{
	return (struct insn){.kind = INSN_WIDE};
}

static struct insn string(const struct x86_parts *p)
{
	struct insn insn = {.kind = INSN_STRING, .size = p->opcode & 1 ? x86_word(p) : 1};
	uint8_t which = p->opcode & 0xfe;

	/* The operands are not at RSI and RDI. */
	if (p->addrsize || p->segment)
		return wide();
	insn.source = which == 0xa4 || which == 0xa6 || which == 0xac;
	insn.target = which != 0xac;
	insn.compares = which == 0xa6 || which == 0xae;
	insn.repeats = p->repeat && !insn.compares; /* comparisons can stop early */
	return insn;
}

/* FLDENV, FRSTOR and their opposites are large; no other one exceeds ten bytes. */
static struct insn x87(const struct x86_parts *p)
{
	bool whole = (p->opcode == 0xd9 || p->opcode == 0xdd) && (x86_extension(p) == 4 || x86_extension(p) == 6);

	return whole ? wide() : plain(10);
}

/* INC, DEC; CALL, JMP, PUSH; far CALL and JMP. */
static struct insn group5(const struct x86_parts *p)
{
	unsigned extension = x86_extension(p);

	return extension < 2 ? plain(x86_word(p)) : extension == 3 || extension == 5 ? wide() : plain(8);
}

static struct insn one_byte(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if (op < 0x40 && (op & 7) < 4)
		return plain(op & 1 ? x86_word(p) : 1);
	if ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf))
		return string(p);
	if (op >= 0xd8 && op <= 0xdf)
		return x87(p);
	switch (op) {
	case 0x80:
	case 0x84:
	case 0x86:
	case 0x88:
	case 0x8a:
	case 0xa0:
	case 0xa2:
	case 0xc0:
	case 0xc6:
	case 0xd0:
	case 0xd2:
	case 0xd7:
	case 0xf6:
	case 0xfe: return plain(1);
	case 0x69:
	case 0x6b:
	case 0x81:
	case 0x83:
	case 0x85:
	case 0x87:
	case 0x89:
	case 0x8b:
	case 0xa1:
	case 0xa3:
	case 0xc1:
	case 0xc7:
	case 0xd1:
	case 0xd3:
	case 0xf7: return plain(x86_word(p));
	case 0x63: return plain(4);
	case 0x8c:
	case 0x8e: return plain(2);
	case 0x8f: return plain(8);
	case 0xff: return group5(p);
	}
	/* The stack: PUSH, POP, CALL, RET. */
	if ((op >= 0x50 && op <= 0x5f) || op == 0x68 || op == 0x6a || op == 0xc2 || op == 0xc3 || op == 0xe8)
		return plain(8);
	return wide();
}

static struct insn group15(const uint8_t *start, const struct x86_parts *p)
{
	unsigned extension = x86_extension(p);

	if (!p->repeat && (extension == 7 || (extension == 6 && p->opsize)))
		return (struct insn){.kind = INSN_FLUSH, .length = (uint8_t)(x86_memory_read(p).end - start)};
	return extension == 2 || extension == 3 ? plain(4) : wide();
}

/* Vector instructions of map 1 that have a scalar form. */
static bool is_scalar(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if (op == 0x6e || op == 0x7e || op == 0xd6)
		return true;
	if (p->simd < X86_SIMD_F3)
		return false;
	return op == 0x10 || op == 0x11 || op == 0x2a || op == 0x2c || op == 0x2d || op == 0xc2 ||
	       (op >= 0x51 && op <= 0x5f && op != 0x5b);
}

static struct insn two_bytes(const uint8_t *start, const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if (op >= 0x40 && op <= 0x4f)
		return plain(x86_word(p));
	if (op >= 0x90 && op <= 0x9f)
		return plain(1);
	switch (op) {
	case 0xae: return group15(start, p);
	case 0x01: return x86_is_memory(p) ? plain(16) : wide(); /* CLZERO writes a whole line at RAX */
	case 0x1a:                                               /* bounds (MPX) */
	case 0x1b: return wide();
	case 0xa3:
	case 0xa4:
	case 0xa5:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xaf:
	case 0xb1:
	case 0xb3:
	case 0xb8:
	case 0xba:
	case 0xbb:
	case 0xbc:
	case 0xbd:
	case 0xc1:
	case 0xc3: return plain(x86_word(p));
	case 0xb0:
	case 0xb6:
	case 0xbe:
	case 0xc0: return plain(1);
	case 0xb7:
	case 0xbf:
	case 0xc4: return plain(2);
	case 0xc7: return x86_extension(p) == 1 ? plain(16) : wide();
	case 0x12:
	case 0x13:
	case 0x16:
	case 0x17: return plain(p->simd == X86_SIMD_F3 ? 16 : 8);
	}
	return plain(is_scalar(p) ? 8 : 16);
}

static struct insn three_bytes(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if (op == 0xf0 || op == 0xf1 || op == 0xf6 || op == 0xf9)
		return plain(8);
	/* MOVDIR64B, ENQCMD; key locker. */
	if (op == 0xf8 || (p->simd == X86_SIMD_F3 && op >= 0xd8 && op <= 0xdf))
		return wide();
	return plain(16);
}

/* Gathers, scatters and tile instructions access many addresses. */
static bool is_scattered(uint8_t op)
{
	return (op >= 0x90 && op <= 0x93) || (op >= 0xa0 && op <= 0xa3) || op == 0xc6 || op == 0xc7 || op == 0x49 ||
	       op == 0x4b;
}

static struct insn vector(const struct x86_parts *p)
{
	if (p->map == 2 && is_scattered(p->opcode))
		return wide();
	if (p->map == 1 && (is_scalar(p) || p->opcode == 0xae))
		return plain(8);
	if ((p->map == 2 && p->opcode >= 0xf2 && p->opcode <= 0xf7) || (p->map == 3 && p->opcode == 0xf0))
		return plain(8);
	return plain(p->vector);
}

static struct insn look(const uint8_t *start, const struct x86_parts *p)
{
	if (p->encoding == X86_XOP)
		return wide();
	if (p->encoding != X86_LEGACY)
		return vector(p);
	switch (p->map) {
	case 0: return one_byte(p);
	case 1: return two_bytes(start, p);
	case 2: return three_bytes(p);
	}
	return plain(16);
}

/* The usual loads; others are treated as stores. */
static bool loads_one_byte(const struct x86_parts *p)
{
	uint8_t op = p->opcode;
	unsigned extension = x86_extension(p);

	if (op < 0x40)
		return (op & 7) < 4 && ((op & 2) || op >= 0x38);
	return op == 0x63 || op == 0x69 || op == 0x6b || op == 0x84 || op == 0x85 || op == 0x8a || op == 0x8b ||
	       ((op == 0x80 || op == 0x81 || op == 0x83) && extension == 7) ||
	       ((op == 0xf6 || op == 0xf7) && extension != 2 && extension != 3) ||
	       (op == 0xff && extension == 4); /* CALL and PUSH also store on the stack */
}

static bool loads_two_bytes(uint8_t op)
{
	switch (op) {
	case 0x10:
	case 0x12:
	case 0x16:
	case 0x28:
	case 0x2e:
	case 0x2f:
	case 0x6e:
	case 0x6f:
	case 0xaf:
	case 0xb6:
	case 0xb7:
	case 0xbc:
	case 0xbd:
	case 0xbe:
	case 0xbf:
	case 0xda:
	case 0xdb:
	case 0xeb:
	case 0xef: return true;
	}
	return (op >= 0x40 && op <= 0x4f) || (op >= 0x74 && op <= 0x76);
}

static bool is_load(const struct x86_parts *p)
{
	return p->map == 0 ? loads_one_byte(p) : p->map == 1 && loads_two_bytes(p->opcode);
}

/* The usual stores, whose size is known exactly. */
static bool is_store(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	if (p->map == 0)
		return op == 0x88 || op == 0x89 || ((op == 0xc6 || op == 0xc7) && x86_extension(p) == 0);
	if (p->map != 1 || p->partial)
		return false;
	if (p->encoding == X86_LEGACY && op == 0xc3)
		return true; /* MOVNTI */
	/* Moves of whole vectors: MOVUPS, MOVAPS, MOVNTPS, MOVDQU, MOVNTDQ. */
	return ((op == 0x11 || op == 0x29 || op == 0x2b) && p->simd < X86_SIMD_F3) ||
	       (op == 0x7f && p->simd != X86_SIMD_NONE) || (op == 0xe7 && p->simd == X86_SIMD_66);
}

struct insn insn_look(const uint8_t *start)
{
	struct x86_parts p = x86_parts_read(start);
	struct insn insn = look(start, &p);

	insn.loads = insn.kind == INSN_PLAIN && is_load(&p);
	insn.stores = insn.kind == INSN_PLAIN && is_store(&p);
	return insn;
}
