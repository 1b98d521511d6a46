/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_decode.c - decode the guest bytes of the few instructions that VEX's IR does not tell apart.
 *
 * VEX translates MOVNTDQ like MOVDQA, uses one barrier for SFENCE, MFENCE, LFENCE, CPUID and RDTSCP, rounds the address
 * of CLFLUSH, and does not know CLWB and CLFLUSHOPT at all.  Only instructions that VEX has decoded, or that end a
 * block as undecodable, get here.  So an instruction that is not recognized is simply INSN_OTHER. */
#include "bo.h"

#include "libvex_guest_amd64.h"

#define GUEST(reg) ((Int)offsetof(VexGuestAMD64State, guest_##reg))

enum simd_prefix { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };

struct cursor {
	const UChar *start, *p;
	Bool opsize, addrsize, rep, repne;
	Int segment; /* guest-state offset of the segment base, or -1 */
	UInt rex_w, rex_r, rex_x, rex_b;
	UInt map; /* 0: one-byte opcodes, 1: 0F, 2: 0F38, 3: 0F3A */
	enum simd_prefix simd;
	Bool is_vex;
};

static Int gpr(UInt number)
{
	static const Int offsets[16] = {
		GUEST(RAX), GUEST(RCX), GUEST(RDX), GUEST(RBX), GUEST(RSP), GUEST(RBP), GUEST(RSI), GUEST(RDI),
		GUEST(R8),  GUEST(R9),  GUEST(R10), GUEST(R11), GUEST(R12), GUEST(R13), GUEST(R14), GUEST(R15),
	};
	return offsets[number & 15];
}

static Bool read_legacy_prefix(struct cursor *c)
{
	switch (*c->p) {
	case 0x66: c->opsize = True; break;
	case 0x67: c->addrsize = True; break;
	case 0xf3: c->rep = True; break;
	case 0xf2: c->repne = True; break;
	case 0x64: c->segment = GUEST(FS_CONST); break;
	case 0x65: c->segment = GUEST(GS_CONST); break;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0xf0: break;
	default: return False;
	}
	c->p++;
	return True;
}

static void read_rex(struct cursor *c)
{
	if ((*c->p & 0xf0) != 0x40)
		return;
	c->rex_w = *c->p >> 3 & 1;
	c->rex_r = *c->p >> 2 & 1;
	c->rex_x = *c->p >> 1 & 1;
	c->rex_b = *c->p & 1;
	c->p++;
}

static Bool read_vex(struct cursor *c)
{
	static const enum simd_prefix prefixes[4] = {PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2};

	if (*c->p == 0xc5) {
		c->rex_r = !(c->p[1] & 0x80);
		c->map = 1;
		c->simd = prefixes[c->p[1] & 3];
		c->p += 2;
	} else if (*c->p == 0xc4) {
		c->rex_r = !(c->p[1] & 0x80);
		c->rex_x = !(c->p[1] & 0x40);
		c->rex_b = !(c->p[1] & 0x20);
		c->map = c->p[1] & 0x1f;
		c->rex_w = c->p[2] >> 7;
		c->simd = prefixes[c->p[2] & 3];
		c->p += 3;
	} else {
		return False;
	}
	c->is_vex = True;
	return True;
}

/* Leaves the cursor at the opcode byte. */
static void read_prefixes(struct cursor *c)
{
	while (read_legacy_prefix(c))
		;
	read_rex(c);
	if (read_vex(c))
		return;
	c->simd = c->rep ? PREFIX_F3 : c->repne ? PREFIX_F2 : c->opsize ? PREFIX_66 : PREFIX_NONE;
	if (*c->p == 0x0f) {
		c->map = 1;
		c->p++;
		if (*c->p == 0x38 || *c->p == 0x3a) {
			c->map = *c->p == 0x38 ? 2 : 3;
			c->p++;
		}
	}
}

static Long read_disp(struct cursor *c, UInt bytes)
{
	Long value = 0;

	if (bytes == 1)
		value = (signed char)*c->p;
	else if (bytes == 4)
		value = (Int)(c->p[0] | c->p[1] << 8 | c->p[2] << 16 | (UInt)c->p[3] << 24);
	c->p += bytes;
	return value;
}

static void read_sib(struct cursor *c, UInt mod, struct bo_ea *ea)
{
	UChar sib = *c->p++;
	UInt index = (sib >> 3 & 7) | c->rex_x << 3;

	ea->scale = sib >> 6;
	ea->index = index == 4 ? -1 : gpr(index);
	if ((sib & 7) == 5 && mod == 0) {
		ea->base = -1;
		ea->disp = read_disp(c, 4);
	} else {
		ea->base = gpr((sib & 7) | c->rex_b << 3);
	}
}

/* Read the memory operand.  The cursor starts at ModRM and ends after the operand.  The forms decoded here have no
 * immediate. */
static struct bo_ea read_memory_operand(struct cursor *c)
{
	struct bo_ea ea = {.base = -1, .index = -1, .segment = c->segment, .is_32bit = c->addrsize};
	UChar modrm = *c->p++;
	UInt mod = modrm >> 6, rm = modrm & 7;

	if (rm == 4) {
		read_sib(c, mod, &ea);
	} else if (rm == 5 && mod == 0) {
		ea.disp = read_disp(c, 4);
		ea.disp += (Long)(Addr)c->p;
	} else {
		ea.base = gpr(rm | c->rex_b << 3);
	}
	if (mod == 1)
		ea.disp += read_disp(c, 1);
	else if (mod == 2)
		ea.disp += read_disp(c, 4);
	return ea;
}

/* 0F AE: fences have a register form, flushes a memory form. */
static enum bo_insn classify_0fae(const struct cursor *c, UChar modrm)
{
	UInt extension = modrm >> 3 & 7;

	if (modrm >= 0xc0) {
		if (c->simd != PREFIX_NONE)
			return INSN_OTHER;
		return extension == 7 ? INSN_SFENCE : extension == 6 ? INSN_MFENCE : INSN_OTHER;
	}
	if (extension == 7)
		return c->simd == PREFIX_NONE ? INSN_CLFLUSH : c->simd == PREFIX_66 ? INSN_CLFLUSHOPT : INSN_OTHER;
	return extension == 6 && c->simd == PREFIX_66 ? INSN_CLWB : INSN_OTHER;
}

static enum bo_insn classify_0f(const struct cursor *c, UChar opcode)
{
	Bool none = c->simd == PREFIX_NONE, p66 = c->simd == PREFIX_66;

	switch (opcode) {
	case 0x2b: return INSN_NONTEMPORAL;                                   /* MOVNTPS, MOVNTPD, MOVNTSS, MOVNTSD */
	case 0xc3: return none && !c->is_vex ? INSN_NONTEMPORAL : INSN_OTHER; /* MOVNTI */
	case 0xe7: return none || p66 ? INSN_NONTEMPORAL : INSN_OTHER;        /* MOVNTQ, MOVNTDQ */
	case 0xf7: return p66 ? INSN_MASKED_16 : none ? INSN_MASKED_8 : INSN_OTHER;
	default: return INSN_OTHER;
	}
}

static enum bo_insn classify_one_byte(const struct cursor *c, UChar opcode)
{
	switch (opcode) {
	case 0xe8: return INSN_CALL;
	case 0xff: return (c->p[0] >> 3 & 7) == 2 ? INSN_CALL : INSN_OTHER;
	case 0xa4:
	case 0xa5:
	case 0xaa:
	case 0xab: return c->rep || c->repne ? INSN_STRING_STORE : INSN_OTHER;
	default: return INSN_OTHER;
	}
}

static void decode_operands(struct cursor *c, UChar opcode, struct bo_decoded *d)
{
	switch (d->insn) {
	case INSN_CLFLUSH:
	case INSN_CLFLUSHOPT:
	case INSN_CLWB: d->ea = read_memory_operand(c); break;
	case INSN_SFENCE:
	case INSN_MFENCE: c->p++; break;
	case INSN_STRING_STORE: d->element = !(opcode & 1) ? 1 : c->rex_w ? 8 : c->opsize ? 2 : 4; break;
	case INSN_MASKED_16: d->mask_reg = GUEST(YMM0) + 32 * (Int)((*c->p & 7) | c->rex_b << 3); break;
	case INSN_MASKED_8: d->mask_reg = GUEST(FPREG) + 8 * (Int)(*c->p & 7); break;
	default: break;
	}
	d->length = (UInt)(c->p - c->start);
}

struct bo_decoded bo_decode(const UChar *code)
{
	struct cursor c = {.start = code, .p = code, .segment = -1};
	struct bo_decoded d = {.insn = INSN_OTHER, .mask_reg = -1};
	UChar opcode;

	read_prefixes(&c);
	opcode = *c.p++;
	if (c.map == 1 && opcode == 0xae && !c.is_vex)
		d.insn = classify_0fae(&c, *c.p);
	else if (c.map == 1)
		d.insn = classify_0f(&c, opcode);
	else if (c.map == 0)
		d.insn = classify_one_byte(&c, opcode);
	decode_operands(&c, opcode, &d);
	return d;
}
