/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_decode.h - what the recorder must know about an instruction beyond VEX's IR.
 *
 * VEX translates MOVNTDQ like MOVDQA, uses one barrier for SFENCE, MFENCE, LFENCE, CPUID and RDTSCP, rounds the address
 * of CLFLUSH, and does not know CLWB and CLFLUSHOPT at all.  So these are decoded from the guest's bytes.  Nothing of
 * Valgrind is needed here: unit tests compile this, too. */
#ifndef BO_DECODE_H
#define BO_DECODE_H

#include "x86/parts.h"

enum bo_insn {
	INSN_OTHER,
	INSN_CLFLUSH,
	INSN_CLFLUSHOPT,
	INSN_CLWB,
	INSN_SFENCE,
	INSN_MFENCE,
	INSN_NONTEMPORAL,  /* a non-temporal store */
	INSN_MASKED_16,    /* maskmovdqu: selects bytes of 16 */
	INSN_MASKED_8,     /* maskmovq */
	INSN_CALL,         /* near call, direct or indirect */
	INSN_STRING_STORE, /* rep movs, rep stos */
	INSN_NOP,          /* with an operand */
};

struct bo_decoded {
	enum bo_insn insn;
	uint8_t length;           /* in bytes; of flushes, fences and INSN_NOP */
	uint8_t mask;             /* the register with the mask of a maskmov: XMM, or MM for INSN_MASKED_8 */
	struct x86_memory memory; /* of flushes and INSN_NOP */
	uint8_t segment;          /* of flushes: 0x64 FS, 0x65 GS, 0: none (that of INSN_NOP is no address) */
	bool is_32bit;            /* of both: the address, without the segment, is truncated to 32 bits */
};

/* Only instructions that VEX has decoded, or that end a block as undecodable, get here.  So an instruction that is not
 * recognized is simply INSN_OTHER. */
struct bo_decoded bo_decode(const uint8_t *code);

#endif
