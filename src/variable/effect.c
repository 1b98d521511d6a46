/* SPDX-License-Identifier: GPL-2.0-or-later */
/* effect.c - see effect.h. */
#include "variable/effect.h"

#define ALL 0xffffu
#define BIT(reg) (1u << (reg))
/* What a function may change, by the calling convention. */
#define CALL_WRITES                                                                                             \
	(BIT(REG_RAX) | BIT(REG_RCX) | BIT(REG_RDX) | BIT(REG_RSI) | BIT(REG_RDI) | BIT(REG_R8) | BIT(REG_R9) | \
	 BIT(10) | BIT(REG_R11))

static int8_t field_reg(const struct x86_parts *p)
{
	return (int8_t)(x86_extension(p) | (p->bits & X86_R ? 8 : 0));
}

/* The register of "r/m", if it is one. */
static int8_t field_rm(const struct x86_parts *p)
{
	return (int8_t)((*p->modrm & 7) | (p->bits & X86_B ? 8 : 0));
}

/* Without REX, numbers 4 to 7 of byte registers are AH, CH, DH and BH. */
static uint32_t byte_bit(const struct x86_parts *p, int8_t reg)
{
	return BIT(!p->rex && reg >= 4 && reg < 8 ? reg - 4 : reg);
}

static struct effect writes(uint32_t mask)
{
	return (struct effect){.writes = mask};
}

static struct effect writes_reg(const struct x86_parts *p)
{
	return writes(BIT(field_reg(p)));
}

static struct effect writes_rm(const struct x86_parts *p)
{
	return writes(x86_is_memory(p) ? 0 : BIT(field_rm(p)));
}

static struct effect writes_rm_byte(const struct x86_parts *p)
{
	return writes(x86_is_memory(p) ? 0 : byte_bit(p, field_rm(p)));
}

static bool is_wide(const struct x86_parts *p)
{
	return p->bits & X86_W;
}

static struct effect form_of(enum effect_form form, int8_t target, int8_t source, int64_t number)
{
	return (struct effect){
		.form = form, .writes = BIT(target), .target = target, .source = source, .number = number};
}

/* Operand-size immediate at `at`. */
static int64_t immediate_word(const struct x86_parts *p, const uint8_t *at)
{
	return x86_number_read(at, p->opsize && !is_wide(p) ? 2 : 4);
}

static const uint8_t *operand_end(const struct x86_parts *p)
{
	return x86_is_memory(p) ? x86_memory_read(p).end : p->modrm + 1;
}

static struct effect with_memory(enum effect_form form, const struct x86_parts *p)
{
	struct effect e = form_of(form, field_reg(p), X86_NONE, 0);

	e.memory = x86_memory_read(p);
	/* FS and GS have unknown bases, and short addresses wrap around. */
	if (p->addrsize || (p->segment && form != EFFECT_ADDRESS))
		e.form = EFFECT_OTHER;
	return e;
}

static struct effect save(const struct x86_parts *p)
{
	struct effect e = {.form = EFFECT_SAVE, .target = X86_NONE, .source = field_reg(p)};

	e.memory = x86_memory_read(p);
	return is_wide(p) && !p->addrsize && !p->segment ? e : writes(0);
}

/* ADD, OR, ADC, SBB, AND, SUB, XOR, CMP: 00 to 3F. */
static struct effect arithmetic(const struct x86_parts *p)
{
	unsigned operation = p->opcode >> 3, shape = p->opcode & 7;

	if (shape > 5)
		return writes(ALL);
	if (operation == 7)
		return writes(0);
	switch (shape) {
	case 0: return writes_rm_byte(p);
	case 2: return writes(byte_bit(p, field_reg(p)));
	case 4: return writes(BIT(REG_RAX));
	case 5:
		if (is_wide(p) && (operation == 0 || operation == 5)) {
			int64_t number = immediate_word(p, p->modrm);

			return form_of(EFFECT_PLUS, REG_RAX, X86_NONE, operation ? -number : number);
		}
		return writes(BIT(REG_RAX));
	}
	bool to_rm = shape == 1;
	if (x86_is_memory(p) && !to_rm && is_wide(p) && operation == 0)
		return with_memory(EFFECT_ADD_LOAD, p);
	if (x86_is_memory(p))
		return to_rm ? writes(0) : writes_reg(p);
	int8_t target = to_rm ? field_rm(p) : field_reg(p), source = to_rm ? field_reg(p) : field_rm(p);
	if (operation == 6 && target == source)
		return form_of(EFFECT_NUMBER, target, X86_NONE, 0);
	if (is_wide(p) && operation == 0)
		return form_of(EFFECT_ADD, target, source, 0);
	if (is_wide(p) && operation == 5)
		return form_of(EFFECT_SUBTRACT, target, source, 0);
	return writes(BIT(target));
}

/* The same with an immediate operand: 80, 81, 83. */
static struct effect arithmetic_immediate(const struct x86_parts *p)
{
	unsigned operation = x86_extension(p);

	if (operation == 7)
		return writes(0);
	if (p->opcode == 0x80)
		return writes_rm_byte(p);
	if (x86_is_memory(p) || !is_wide(p) || (operation != 0 && operation != 5))
		return writes_rm(p);
	int64_t number = p->opcode == 0x83 ? x86_number_read(p->modrm + 1, 1) : immediate_word(p, p->modrm + 1);
	return form_of(EFFECT_PLUS, field_rm(p), X86_NONE, operation ? -number : number);
}

static struct effect shift(const struct x86_parts *p)
{
	unsigned operation = x86_extension(p);
	bool left = operation == 4 || operation == 6;

	if (!(p->opcode & 1))
		return writes_rm_byte(p);
	if (x86_is_memory(p) || !is_wide(p) || !left || p->opcode == 0xd3)
		return writes_rm(p);
	unsigned by = p->opcode == 0xc1 ? p->modrm[1] & 63 : 1;
	if (by > 31)
		return writes_rm(p);
	return form_of(EFFECT_TIMES, field_rm(p), field_rm(p), (int64_t)1 << by);
}

static struct effect multiply_immediate(const struct x86_parts *p)
{
	if (!is_wide(p))
		return writes_reg(p);
	const uint8_t *at = operand_end(p);
	int64_t number = p->opcode == 0x6b ? x86_number_read(at, 1) : immediate_word(p, at);
	return form_of(EFFECT_TIMES, field_reg(p), x86_is_memory(p) ? X86_NONE : field_rm(p), number);
}

static struct effect string(const struct x86_parts *p)
{
	uint32_t mask = p->repeat ? BIT(REG_RCX) : 0;

	switch (p->opcode & ~1u) {
	case 0x6c:
	case 0xaa:
	case 0xae: return writes(mask | BIT(REG_RDI));
	case 0x6e: return writes(mask | BIT(REG_RSI));
	case 0xac: return writes(mask | BIT(REG_RSI) | BIT(REG_RAX));
	default: return writes(mask | BIT(REG_RSI) | BIT(REG_RDI));
	}
}

/* MOV between registers, and from memory: 89 and 8B. */
static struct effect move(const struct x86_parts *p)
{
	bool to_rm = p->opcode == 0x89;

	if (x86_is_memory(p)) {
		if (to_rm)
			return save(p);
		return is_wide(p) ? with_memory(EFFECT_LOAD, p) : writes_reg(p);
	}
	int8_t target = to_rm ? field_rm(p) : field_reg(p), source = to_rm ? field_reg(p) : field_rm(p);
	return is_wide(p) ? form_of(EFFECT_COPY, target, source, 0) : writes(BIT(target));
}

static struct effect exchange(const struct x86_parts *p)
{
	if (p->opcode == 0x86)
		return writes(byte_bit(p, field_reg(p)) | writes_rm_byte(p).writes);
	return writes(BIT(field_reg(p)) | writes_rm(p).writes);
}

/* F6, F7, FE, FF. */
static struct effect group_one(const struct x86_parts *p)
{
	unsigned operation = x86_extension(p);
	bool byte = !(p->opcode & 1);

	if (p->opcode < 0xfe) {
		if (operation < 2)
			return writes(0);
		if (operation > 3)
			return writes(BIT(REG_RAX) | BIT(REG_RDX));
		return byte ? writes_rm_byte(p) : writes_rm(p);
	}
	if (operation < 2)
		return byte ? writes_rm_byte(p) : writes_rm(p);
	switch (operation) {
	case 2: return (struct effect){.form = EFFECT_CALL, .writes = CALL_WRITES, .target = REG_RAX};
	case 4: return writes(0);
	case 6: return writes(BIT(REG_RSP));
	}
	return writes(ALL);
}

/* An immediate operand is moved into a register: B8 to BF, and C7. */
static struct effect move_immediate(const struct x86_parts *p)
{
	if (p->opcode == 0xc7) {
		if (x86_extension(p) != 0)
			return writes(ALL);
		if (x86_is_memory(p))
			return writes(0);
		return is_wide(p) ? form_of(EFFECT_NUMBER, field_rm(p), X86_NONE, immediate_word(p, p->modrm + 1))
				  : writes_rm(p);
	}
	int8_t reg = (int8_t)((p->opcode & 7) | (p->bits & X86_B ? 8 : 0));
	if (is_wide(p) || p->opsize)
		return writes(BIT(reg));
	return form_of(EFFECT_NUMBER, reg, X86_NONE, (uint32_t)x86_number_read(p->modrm, 4));
}

/* The register in the last three bits of the opcode. */
static uint32_t opcode_bit(const struct x86_parts *p)
{
	return BIT((p->opcode & 7) | (p->bits & X86_B ? 8 : 0));
}

static struct effect one_byte_high(const struct x86_parts *p)
{
	switch (p->opcode) {
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3: return shift(p);
	case 0xc2:
	case 0xc3: return writes(BIT(REG_RSP));
	case 0xc6: return x86_extension(p) == 0 ? writes_rm_byte(p) : writes(ALL);
	case 0xc7: return move_immediate(p);
	case 0xc8:
	case 0xc9: return writes(BIT(REG_RSP) | BIT(REG_RBP));
	case 0xcc:
	case 0xe3:
	case 0xe9:
	case 0xeb:
	case 0xf4:
	case 0xf5:
	case 0xf8:
	case 0xf9:
	case 0xfc:
	case 0xfd: return writes(0);
	case 0xd7:
	case 0xd8:
	case 0xd9:
	case 0xda:
	case 0xdb:
	case 0xdc:
	case 0xdd:
	case 0xde:
	case 0xdf: return writes(BIT(REG_RAX)); /* FNSTSW */
	case 0xe0:
	case 0xe1:
	case 0xe2: return writes(BIT(REG_RCX));
	case 0xe8: return (struct effect){.form = EFFECT_CALL, .writes = CALL_WRITES, .target = REG_RAX};
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff: return group_one(p);
	}
	return writes(ALL);
}

static struct effect one_byte_middle(const struct x86_parts *p)
{
	switch (p->opcode) {
	case 0x80:
	case 0x81:
	case 0x83: return arithmetic_immediate(p);
	case 0x84:
	case 0x85:
	case 0x8e:
	case 0x9b:
	case 0x9e:
	case 0xa2:
	case 0xa3:
	case 0xa8:
	case 0xa9: return writes(0);
	case 0x86:
	case 0x87: return exchange(p);
	case 0x88: return writes_rm_byte(p);
	case 0x89:
	case 0x8b: return move(p);
	case 0x8a: return writes(byte_bit(p, field_reg(p)));
	case 0x8c: return writes_rm(p);
	case 0x8d: return is_wide(p) && x86_is_memory(p) ? with_memory(EFFECT_ADDRESS, p) : writes_reg(p);
	case 0x8f: return writes(BIT(REG_RSP) | writes_rm(p).writes);
	case 0x98:
	case 0x9f:
	case 0xa0:
	case 0xa1: return writes(BIT(REG_RAX));
	case 0x99: return writes(BIT(REG_RDX));
	case 0x9c:
	case 0x9d: return writes(BIT(REG_RSP));
	}
	if (p->opcode >= 0x90 && p->opcode <= 0x97)
		return writes(BIT(REG_RAX) | opcode_bit(p));
	if (p->opcode >= 0xa4 && p->opcode <= 0xaf)
		return string(p);
	if (p->opcode >= 0xb8 && p->opcode <= 0xbf)
		return move_immediate(p);
	if (p->opcode >= 0xb0 && p->opcode <= 0xb7)
		return writes(byte_bit(p, (int8_t)((p->opcode & 7) | (p->bits & X86_B ? 8 : 0))));
	return writes(ALL);
}

static struct effect one_byte(const struct x86_parts *p)
{
	if (p->opcode == 0x90 && !(p->bits & X86_B))
		return writes(0);
	if (p->opcode < 0x40)
		return arithmetic(p);
	if (p->opcode >= 0xc0)
		return one_byte_high(p);
	if (p->opcode >= 0x80)
		return one_byte_middle(p);
	if (p->opcode >= 0x70)
		return writes(0);
	if (p->opcode >= 0x50 && p->opcode <= 0x57)
		return writes(BIT(REG_RSP));
	if (p->opcode >= 0x58 && p->opcode <= 0x5f)
		return writes(BIT(REG_RSP) | opcode_bit(p));
	switch (p->opcode) {
	case 0x63: return writes_reg(p);
	case 0x68:
	case 0x6a: return writes(BIT(REG_RSP));
	case 0x69:
	case 0x6b: return multiply_immediate(p);
	}
	return p->opcode >= 0x6c && p->opcode <= 0x6f ? string(p) : writes(ALL);
}

/* Opcodes after 0F that have a meaning of their own without VEX. */
static struct effect two_byte_legacy(const struct x86_parts *p)
{
	switch (p->opcode) {
	case 0x05: return writes(BIT(REG_RAX) | BIT(REG_RCX) | BIT(REG_R11));
	case 0x0b:
	case 0x0d:
	case 0xa3: return writes(0);
	case 0x31: return writes(BIT(REG_RAX) | BIT(REG_RDX));
	case 0xa2: return writes(BIT(REG_RAX) | BIT(REG_RBX) | BIT(REG_RCX) | BIT(REG_RDX));
	case 0xa4:
	case 0xa5:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xb3:
	case 0xbb: return writes_rm(p);
	case 0x1e:
	case 0xae: return p->repeat ? writes_rm(p) : writes(0);
	case 0xaf:
	case 0xb6:
	case 0xb7:
	case 0xb8:
	case 0xbc:
	case 0xbd:
	case 0xbe:
	case 0xbf: return writes_reg(p);
	case 0xb0:
	case 0xb1: return writes(BIT(REG_RAX) | writes_rm(p).writes | writes_rm_byte(p).writes);
	case 0xba: return x86_extension(p) == 4 ? writes(0) : writes_rm(p);
	case 0xc0: return writes(byte_bit(p, field_reg(p)) | writes_rm_byte(p).writes);
	case 0xc1: return writes(BIT(field_reg(p)) | writes_rm(p).writes);
	case 0xc7:
		return x86_is_memory(p) ? writes(x86_extension(p) == 1 ? BIT(REG_RAX) | BIT(REG_RDX) : 0)
					: writes_rm(p);
	}
	if (p->opcode >= 0x40 && p->opcode <= 0x4f)
		return writes_reg(p);
	if (p->opcode >= 0x80 && p->opcode <= 0x8f)
		return writes(0);
	if (p->opcode >= 0x90 && p->opcode <= 0x9f)
		return writes_rm_byte(p);
	if (p->opcode >= 0xc8 && p->opcode <= 0xcf)
		return writes(opcode_bit(p));
	if (p->opcode >= 0x18 && p->opcode <= 0x1f)
		return writes(0);
	return writes(ALL);
}

/* The map 0F.  Vector instructions write a general register only if they are in this list. */
static struct effect two_byte(const struct x86_parts *p)
{
	uint8_t op = p->opcode;

	switch (op) {
	case 0x2c:
	case 0x2d:
	case 0x50:
	case 0xc5:
	case 0xd7: return writes_reg(p);
	case 0x7e: return p->simd == X86_SIMD_F3 ? writes(0) : writes_rm(p);
	case 0xff: return writes(ALL);
	}
	if (p->encoding == X86_EVEX && op >= 0x78 && op <= 0x7b)
		return writes_reg(p);
	if (p->encoding != X86_LEGACY && op == 0x93)
		return writes_reg(p);
	bool vector = (op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f) || (op >= 0x51 && op <= 0x77) ||
		      (op >= 0x7c && op <= 0x7f) || op == 0xc2 || op == 0xc3 || op == 0xc4 || op == 0xc6 || op >= 0xd0;
	if (vector || (p->encoding == X86_EVEX && op == 0x7a))
		return writes(0);
	return p->encoding == X86_LEGACY ? two_byte_legacy(p) : writes(op >= 0x41 && op <= 0x99 ? 0 : ALL);
}

/* The map 0F 38. */
static struct effect three_byte_38(const struct x86_parts *p)
{
	if (p->opcode < 0xf0)
		return writes(0);
	if (p->encoding == X86_LEGACY)
		return p->opcode == 0xf0 || p->opcode == 0xf1 || p->opcode == 0xf6 ? writes_reg(p)
		       : p->opcode == 0xf9                                         ? writes(0)
										   : writes(ALL);
	/* ANDN, BZHI, PDEP, PEXT, BEXTR, SHLX, SARX, SHRX; others write the register in VVVV. */
	return p->opcode == 0xf2 || p->opcode == 0xf5 || p->opcode == 0xf7 ? writes_reg(p) : writes(ALL);
}

/* The map 0F 3A. */
static struct effect three_byte_3a(const struct x86_parts *p)
{
	if (p->opcode >= 0x14 && p->opcode <= 0x17)
		return writes_rm(p);
	if (p->opcode >= 0x60 && p->opcode <= 0x63)
		return writes(BIT(REG_RCX));
	if (p->opcode >= 0xf0)
		return p->encoding == X86_VEX && p->opcode == 0xf0 ? writes_reg(p) : writes(ALL);
	return writes(0);
}

struct effect effect_read(const uint8_t *code)
{
	struct x86_parts p = x86_parts_read(code);

	if (p.encoding == X86_XOP)
		return writes(ALL);
	switch (p.map) {
	case 0: return p.encoding == X86_LEGACY ? one_byte(&p) : writes(ALL);
	case 1: return two_byte(&p);
	case 2: return three_byte_38(&p);
	case 3: return three_byte_3a(&p);
	}
	return writes(ALL);
}
