/* SPDX-License-Identifier: GPL-2.0-or-later */
/* effect.h - what an amd64 instruction does to the general registers, and the address that it stores to.
 *
 *     struct effect e = effect_read(code);
 *     if (!(e.writes & 1u << reg))                    // the register keeps its value
 *
 * `writes` is never too small: an instruction that is not known writes every register.  The forms are those by which
 * compilers compute addresses; everything else is EFFECT_OTHER.  The unit test test_effect compares this with Zydis. */
#ifndef BLACKOUT_VARIABLE_EFFECT_H
#define BLACKOUT_VARIABLE_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/parts.h"

/* Registers, by their numbers in instructions. */
enum {
	REG_RAX,
	REG_RCX,
	REG_RDX,
	REG_RBX,
	REG_RSP,
	REG_RBP,
	REG_RSI,
	REG_RDI,
	REG_R8,
	REG_R9,
	REG_R11 = 11,
	REG_COUNT = 16
};

enum effect_form {
	EFFECT_OTHER,
	EFFECT_COPY,     /* target = source */
	EFFECT_NUMBER,   /* target = number */
	EFFECT_LOAD,     /* target = the 8 bytes at memory */
	EFFECT_ADDRESS,  /* target = the address of memory */
	EFFECT_ADD,      /* target += source */
	EFFECT_ADD_LOAD, /* target += the 8 bytes at memory */
	EFFECT_SUBTRACT, /* target -= source */
	EFFECT_PLUS,     /* target += number */
	EFFECT_TIMES,    /* target = source * number; source X86_NONE: of something unknown */
	EFFECT_SAVE,     /* the 8 bytes at memory = source */
	EFFECT_CALL,     /* a call: RAX is its result */
};

struct effect {
	enum effect_form form;
	uint32_t writes; /* bit per register: it may have another value afterwards */
	int8_t target, source;
	int64_t number;
	struct x86_memory memory;
};

/* X86_LENGTH_MAX bytes must be readable, and more as flow/insn.h says. */
struct effect effect_read(const uint8_t *code);

/* What an instruction stores to. */
struct effect_store {
	struct x86_memory memory;
	uint32_t size; /* bytes; with `repeats`, of one element */
	bool repeats;  /* it stores RCX elements, one after the other */
};

/* False if it stores nothing, or in a way that is not known. */
bool effect_stores(const uint8_t *code, struct effect_store *store);

#endif
