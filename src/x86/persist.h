/* SPDX-License-Identifier: GPL-2.0-or-later */
/* persist.h - the instructions that only programs with an interest in memory itself use: flushes, fences and stores
 * that bypass the caches.  LFENCE orders loads only, and is none of them. */
#ifndef BLACKOUT_X86_PERSIST_H
#define BLACKOUT_X86_PERSIST_H

#include "x86/parts.h"

enum x86_persist {
	X86_PERSIST_NONE,
	X86_CLFLUSH,
	X86_CLFLUSHOPT,
	X86_CLWB,
	X86_SFENCE,
	X86_MFENCE,
	X86_NONTEMPORAL, /* MOVNTI, MOVNTDQ and so on */
	X86_MASKED_8,    /* MASKMOVQ, non-temporal, too */
	X86_MASKED_16,   /* MASKMOVDQU */
};

/* 0F AE: fences have a register form, flushes a memory form. */
static inline enum x86_persist x86_persist_0fae(const struct x86_parts *p)
{
	unsigned extension = x86_extension(p);

	if (!x86_is_memory(p)) {
		if (p->simd != X86_SIMD_NONE)
			return X86_PERSIST_NONE;
		return extension == 7 ? X86_SFENCE : extension == 6 ? X86_MFENCE : X86_PERSIST_NONE;
	}
	if (extension == 7)
		return p->simd == X86_SIMD_NONE ? X86_CLFLUSH
		       : p->simd == X86_SIMD_66 ? X86_CLFLUSHOPT
						: X86_PERSIST_NONE;
	return extension == 6 && p->simd == X86_SIMD_66 ? X86_CLWB : X86_PERSIST_NONE;
}

static inline enum x86_persist x86_persist_read(const struct x86_parts *p)
{
	bool none = p->simd == X86_SIMD_NONE, p66 = p->simd == X86_SIMD_66, legacy = p->encoding == X86_LEGACY;

	if (p->map != 1)
		return X86_PERSIST_NONE;
	switch (p->opcode) {
	case 0xae: return legacy ? x86_persist_0fae(p) : X86_PERSIST_NONE;
	case 0x2b: return X86_NONTEMPORAL;                                     /* MOVNTPS, MOVNTPD, MOVNTSS, MOVNTSD */
	case 0xc3: return none && legacy ? X86_NONTEMPORAL : X86_PERSIST_NONE; /* MOVNTI */
	case 0xe7: return none || p66 ? X86_NONTEMPORAL : X86_PERSIST_NONE;    /* MOVNTQ, MOVNTDQ */
	case 0xf7: return p66 ? X86_MASKED_16 : none ? X86_MASKED_8 : X86_PERSIST_NONE;
	default: return X86_PERSIST_NONE;
	}
}

#endif
