/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_decode.c - see bo_decode.h. */
#include "bo_decode.h"

#include "x86/persist.h"

static enum bo_insn classify_0f(const struct x86_parts *p)
{
	switch (x86_persist_read(p)) {
	case X86_CLFLUSH: return INSN_CLFLUSH;
	case X86_CLFLUSHOPT: return INSN_CLFLUSHOPT;
	case X86_CLWB: return INSN_CLWB;
	case X86_SFENCE: return INSN_SFENCE;
	case X86_MFENCE: return INSN_MFENCE;
	case X86_NONTEMPORAL: return INSN_NONTEMPORAL;
	case X86_MASKED_8: return INSN_MASKED_8;
	case X86_MASKED_16: return INSN_MASKED_16;
	case X86_PERSIST_NONE: break;
	}
	return p->opcode == 0x1f && x86_is_memory(p) ? INSN_NOP : INSN_OTHER;
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
	case INSN_NOP:
		d.memory = x86_memory_read(&p);
		d.segment = d.insn == INSN_NOP ? 0 : p.segment;
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
