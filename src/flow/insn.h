/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn.h - the length of an amd64 instruction, and where it continues.
 *
 *     struct flow_insn insn = flow_insn_read(bytes, address);
 *     if (insn.kind == FLOW_BRANCH)                   // may go to insn.target, or to address + insn.length
 *
 * Unlike x86/parts.h, this knows for each opcode whether ModRM and immediate operands follow.  It does not know which
 * instructions exist: bytes that are no instruction may get a length as if they were.  The unit test test_x86 compares
 * it with Zydis. */
#ifndef BLACKOUT_FLOW_INSN_H
#define BLACKOUT_FLOW_INSN_H

#include <stdint.h>

#include "x86/parts.h"

enum flow_kind {
	FLOW_PLAIN,         /* continues with the next instruction */
	FLOW_BRANCH,        /* conditional: at the target, or with the next instruction */
	FLOW_REPEAT,        /* a string instruction with a REP prefix: once more, or with the next instruction */
	FLOW_JUMP,          /* at the target */
	FLOW_JUMP_INDIRECT, /* at an address that is computed */
	FLOW_CALL,          /* at the target, and usually later with the next instruction */
	FLOW_CALL_INDIRECT,
	FLOW_RETURN,
	FLOW_STOP, /* UD2, HLT and the like: does not continue */
};

struct flow_insn {
	uint8_t length; /* 0: not decoded */
	uint8_t kind;   /* enum flow_kind */
	uint64_t target;
};

/* As many bytes must be readable: what follows an instruction may be looked at. */
enum { FLOW_INSN_BYTES = 24 };

/* The instruction at `code`, whose address in the program is `at`. */
struct flow_insn flow_insn_read(const uint8_t *code, uint64_t at);

/* Is the instruction one that compilers put between functions: NOP, INT3, or zeros? */
bool flow_insn_pads(const uint8_t *code);

#endif
