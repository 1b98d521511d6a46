/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn.c - see insn.h.  Opcodes are as in the tables of the "Intel 64 and IA-32 Architectures Software Developer's
 * Manual", volume 2, appendix A. */
#include "preload/insn.h"

struct prefixes {
	bool size16;     /* prefix 66 */
	bool repne, rep; /* prefixes F2, F3 */
	bool wide;       /* REX.W */
	uint8_t word;    /* size of an integer operand */
};

static struct insn plain(unsigned size)
{
	return (struct insn){.kind = INSN_PLAIN, .size = (uint8_t)size};
}

static struct insn wide(void)
{
	return (struct insn){.kind = INSN_WIDE};
}

static unsigned reg_of(uint8_t modrm)
{
	return modrm >> 3 & 7;
}

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3: return true;
	}
	return false;
}

static const uint8_t *prefixes_read(const uint8_t *code, struct prefixes *p)
{
	*p = (struct prefixes){.word = 4};
	for (; is_prefix(*code); code++) {
		p->size16 |= *code == 0x66;
		p->repne |= *code == 0xf2;
		p->rep |= *code == 0xf3;
	}
	if (p->size16)
		p->word = 2;
	if ((*code & 0xf0) == 0x40) {
		p->wide = *code & 8;
		p->word = p->wide ? 8 : p->word;
		code++;
	}
	return code;
}

static struct insn string(uint8_t op, const struct prefixes *p)
{
	struct insn insn = {.kind = INSN_STRING, .size = op & 1 ? p->word : 1};
	uint8_t which = op & 0xfe;

	insn.source = which == 0xa4 || which == 0xa6 || which == 0xac;
	insn.target = which != 0xac;
	insn.compares = which == 0xa6 || which == 0xae;
	insn.repeats = (p->rep || p->repne) && which != 0xa6 && which != 0xae; /* comparisons can stop early */
	return insn;
}

/* FLDENV, FRSTOR and their opposites are large; no other one exceeds ten bytes. */
static struct insn x87(uint8_t op, uint8_t modrm)
{
	bool whole = (op == 0xd9 || op == 0xdd) && (reg_of(modrm) == 4 || reg_of(modrm) == 6);
	return whole ? wide() : plain(10);
}

static struct insn one_byte(const uint8_t *code, const struct prefixes *p)
{
	uint8_t op = code[0];

	if (op < 0x40 && (op & 7) < 4)
		return plain(op & 1 ? p->word : 1);
	if ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf))
		return string(op, p);
	if (op >= 0xd8 && op <= 0xdf)
		return x87(op, code[1]);
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
	case 0xf7: return plain(p->word);
	case 0x63: return plain(4);
	case 0x8c:
	case 0x8e: return plain(2);
	case 0x8f: return reg_of(code[1]) ? wide() : plain(8); /* XOP, or POP */
	case 0xff: return reg_of(code[1]) < 2 ? plain(p->word) : plain(10);
	}
	/* The stack: PUSH, POP, CALL, RET. */
	if ((op >= 0x50 && op <= 0x5f) || op == 0x68 || op == 0x6a || op == 0xc2 || op == 0xc3 || op == 0xe8)
		return plain(8);
	return wide();
}

static uint8_t operand_length(const uint8_t *modrm)
{
	unsigned mod = *modrm >> 6, rm = *modrm & 7;
	uint8_t length = 1;

	if (rm == 4) {
		length++;
		if (mod == 0 && (modrm[1] & 7) == 5)
			return 6;
	}
	if (mod == 1)
		length += 1;
	else if (mod == 2 || (mod == 0 && rm == 5))
		length += 4;
	return length;
}

/* `start` is the first byte of the instruction, `code` the one after 0F. */
static struct insn group15(const uint8_t *start, const uint8_t *code, const struct prefixes *p)
{
	unsigned reg = reg_of(code[1]);

	if (!p->rep && !p->repne && (reg == 7 || (reg == 6 && p->size16)))
		return (struct insn){.kind = INSN_FLUSH,
				     .length = (uint8_t)(code + 1 + operand_length(code + 1) - start)};
	return reg == 2 || reg == 3 ? plain(4) : wide();
}

/* Vector instructions with these opcodes after 0F that have a scalar form, selected by a prefix. */
static bool is_scalar(uint8_t op, bool scalar_prefix)
{
	if (op == 0x6e || op == 0x7e || op == 0xd6)
		return true;
	if (!scalar_prefix)
		return false;
	return op == 0x10 || op == 0x11 || op == 0x2a || op == 0x2c || op == 0x2d || op == 0xc2 ||
	       (op >= 0x51 && op <= 0x5f && op != 0x5b);
}

static struct insn two_bytes(const uint8_t *start, const uint8_t *code, const struct prefixes *p)
{
	uint8_t op = code[0];

	if (op >= 0x40 && op <= 0x4f)
		return plain(p->word);
	if (op >= 0x90 && op <= 0x9f)
		return plain(1);
	switch (op) {
	case 0xae: return group15(start, code, p);
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
	case 0xc3: return plain(p->word);
	case 0xb0:
	case 0xb6:
	case 0xbe:
	case 0xc0: return plain(1);
	case 0xb7:
	case 0xbf:
	case 0xc4: return plain(2);
	case 0xc7: return reg_of(code[1]) == 1 ? plain(16) : wide();
	case 0x12:
	case 0x13:
	case 0x16:
	case 0x17: return plain(p->rep ? 16 : 8);
	}
	return plain(is_scalar(op, p->rep || p->repne) ? 8 : 16);
}

static struct insn three_bytes(uint8_t op, const struct prefixes *p)
{
	if (op == 0xf0 || op == 0xf1 || op == 0xf6 || op == 0xf9)
		return plain(8);
	/* MOVDIR64B, ENQCMD; key locker. */
	if (op == 0xf8 || (p->rep && op >= 0xd8 && op <= 0xdf))
		return wide();
	return plain(16);
}

/* Gathers, scatters and tile instructions access many addresses. */
static bool is_scattered(uint8_t op)
{
	return (op >= 0x90 && op <= 0x93) || (op >= 0xa0 && op <= 0xa3) || op == 0xc6 || op == 0xc7 || op == 0x49 ||
	       op == 0x4b;
}

/* `map` 1: 0F, 2: 0F 38, 3: 0F 3A;  `pp` 2: F3, 3: F2. */
static struct insn vector(unsigned map, unsigned pp, uint8_t op, unsigned size)
{
	if (map == 2 && is_scattered(op))
		return wide();
	if (map == 1 && (is_scalar(op, pp >= 2) || op == 0xae))
		return plain(8);
	if ((map == 2 && op >= 0xf2 && op <= 0xf7) || (map == 3 && op == 0xf0))
		return plain(8);
	return plain(size);
}

/* The usual loads; others are treated as stores. */
static bool loads_one_byte(const uint8_t *code)
{
	uint8_t op = code[0], extension = (uint8_t)reg_of(code[1]);

	if (op < 0x40)
		return (op & 7) < 4 && ((op & 2) || op >= 0x38);
	return op == 0x63 || op == 0x69 || op == 0x6b || op == 0x84 || op == 0x85 || op == 0x8a || op == 0x8b ||
	       ((op == 0x80 || op == 0x81 || op == 0x83) && extension == 7) ||
	       ((op == 0xf6 || op == 0xf7) && extension != 2 && extension != 3) || (op == 0xff && extension >= 2);
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

/* Moves of whole vectors: MOVUPS, MOVAPS, MOVNTPS, MOVDQU, MOVNTDQ. */
static bool stores_vector(uint8_t op, unsigned pp)
{
	return ((op == 0x11 || op == 0x29 || op == 0x2b) && pp < 2) || (op == 0x7f && pp) || (op == 0xe7 && pp == 1);
}

/* The usual stores, whose size is known exactly. */
static bool is_store(const uint8_t *code, const struct prefixes *p)
{
	switch (*code) {
	case 0x88:
	case 0x89: return true;
	case 0xc6:
	case 0xc7: return reg_of(code[1]) == 0;
	case 0xc5: return stores_vector(code[2], code[1] & 3);
	case 0xc4: return (code[1] & 0x1f) == 1 && stores_vector(code[3], code[2] & 3);
	case 0x62:
		return (code[1] & 7) == 1 && !(code[3] & 0x17) &&
		       stores_vector(code[4], code[2] & 3); /* no mask, no broadcast */
	case 0x0f: break;
	default: return false;
	}
	if (code[1] == 0xc3)
		return true; /* MOVNTI */
	return stores_vector(code[1], p->repne ? 3 : p->rep ? 2 : p->size16);
}

static bool is_load(const uint8_t *code)
{
	switch (*code) {
	case 0xc5: return loads_two_bytes(code[2]);
	case 0xc4: return (code[1] & 0x1f) == 1 && loads_two_bytes(code[3]);
	case 0x62: return (code[1] & 7) == 1 && loads_two_bytes(code[4]);
	case 0x0f: return loads_two_bytes(code[1]);
	}
	return loads_one_byte(code);
}

static struct insn look(const uint8_t *start)
{
	struct prefixes p;
	const uint8_t *code = prefixes_read(start, &p);

	switch (*code) {
	case 0xc5: return vector(1, code[1] & 3, code[2], code[1] & 4 ? 32 : 16);
	case 0xc4: return vector(code[1] & 0x1f, code[2] & 3, code[3], code[2] & 4 ? 32 : 16);
	case 0x62: return vector(code[1] & 7, code[2] & 3, code[4], code[3] & 0x40 ? 64 : code[3] & 0x20 ? 32 : 16);
	case 0x0f: break;
	default: return one_byte(code, &p);
	}
	if (code[1] == 0x38)
		return three_bytes(code[2], &p);
	if (code[1] == 0x3a)
		return plain(16);
	return two_bytes(start, code + 1, &p);
}

struct insn insn_look(const uint8_t *start)
{
	struct insn insn = look(start);
	const uint8_t *code;
	struct prefixes p;

	code = prefixes_read(start, &p);
	insn.loads = insn.kind == INSN_PLAIN && is_load(code);
	insn.stores = insn.kind == INSN_PLAIN && is_store(code, &p);
	return insn;
}
