/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_decode.c - see bo_decode.h. */
#include "bo_decode.h"

/* 0F AE: fences have a register form, flushes a memory form. */
static enum bo_insn classify_0fae(const struct x86_parts *p)
{
	unsigned extension = x86_extension(p);

	if (!x86_is_memory(p)) {
		if (p->simd != X86_SIMD_NONE)
			return INSN_OTHER;
		return extension == 7 ? INSN_SFENCE : extension == 6 ? INSN_MFENCE : INSN_OTHER;
	}
	if (extension == 7)
		return p->simd == X86_SIMD_NONE ? INSN_CLFLUSH : p->simd == X86_SIMD_66 ? INSN_CLFLUSHOPT : INSN_OTHER;
	return extension == 6 && p->simd == X86_SIMD_66 ? INSN_CLWB : INSN_OTHER;
}

static enum bo_insn classify_0f(const struct x86_parts *p)
{
	bool none = p->simd == X86_SIMD_NONE, p66 = p->simd == X86_SIMD_66, legacy = p->encoding == X86_LEGACY;

	switch (p->opcode) {
	case 0xae: return legacy ? classify_0fae(p) : INSN_OTHER;
	case 0x2b: return INSN_NONTEMPORAL;                               /* MOVNTPS, MOVNTPD, MOVNTSS, MOVNTSD */
	case 0xc3: return none && legacy ? INSN_NONTEMPORAL : INSN_OTHER; /* MOVNTI */
	case 0xe7: return none || p66 ? INSN_NONTEMPORAL : INSN_OTHER;    /* MOVNTQ, MOVNTDQ */
	case 0xf7: return p66 ? INSN_MASKED_16 : none ? INSN_MASKED_8 : INSN_OTHER;
	default: return INSN_OTHER;
	}
}

static enum bo_insn classify_one_byte(const struct x86_parts *p)
{
	switch (p->opcode) {
	case 0xe8: return INSN_CALL;
	case 0xff: return x86_extension(p) == 2 ? INSN_CALL : INSN_OTHER;
	case 0xa4:
	case 0xa5:
	case 0xaa:
	case 0xab: return p->repeat ? INSN_STRING_STORE : INSN_OTHER;
	default: return INSN_OTHER;
	}
}

struct bo_decoded bo_decode(const uint8_t *code)
{
	struct x86_parts p = x86_parts_read(code);
	struct bo_decoded d = {.insn = INSN_OTHER};

	if (p.map == 1)
		d.insn = classify_0f(&p);
	else if (p.map == 0)
		d.insn = classify_one_byte(&p);
	switch (d.insn) {
	case INSN_CLFLUSH:
	case INSN_CLFLUSHOPT:
	case INSN_CLWB:
		d.memory = x86_memory_read(&p);
		d.segment = p.segment;
		d.is_32bit = p.addrsize;
		d.length = (uint8_t)(d.memory.end - code);
		break;
	case INSN_SFENCE:
	case INSN_MFENCE: d.length = (uint8_t)(p.modrm + 1 - code); break;
	case INSN_MASKED_16: d.mask = (uint8_t)((*p.modrm & 7) | (p.bits & X86_B) << 3); break;
	case INSN_MASKED_8: d.mask = *p.modrm & 7; break;
	default: break;
	}
	return d;
}
