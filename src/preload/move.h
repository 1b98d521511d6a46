/* SPDX-License-Identifier: GPL-2.0-or-later */
/* move.h - execute the most common instructions in the signal handler, instead of letting the processor do it under the
 * trap flag.
 *
 * Most accesses to a page are plain moves, comparisons and additions.  The fault already gives the address, so only the
 * register and the number of bytes remain to be found.  This saves one of two signals; and on virtual machines a debug
 * exception costs more than everything else. */
#ifndef BLACKOUT_PRELOAD_MOVE_H
#define BLACKOUT_PRELOAD_MOVE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "x86/parts.h"

enum move_kind {
	MOVE_LOAD,      /* memory to register */
	MOVE_STORE,     /* register or `number` to memory */
	MOVE_CALCULATE, /* arithmetic with a register or `number`; sets flags */
};

/* Numbered as in the opcodes; TEST has its own number. */
enum move_operation { MOVE_ADD, MOVE_OR, MOVE_ADC, MOVE_SBB, MOVE_AND, MOVE_SUB, MOVE_XOR, MOVE_CMP, MOVE_TEST };

struct move {
	enum move_kind kind;
	uint8_t size;       /* bytes in memory */
	uint8_t width;      /* of the register that is written: 1, 2, 4 or 8 */
	bool sign;          /* a load is sign-extended */
	bool vector;        /* the register is XMM; 16 bytes, or 8 and the rest becomes zero */
	bool high;          /* the register is AH, CH, DH or BH */
	bool immediate;     /* `number` replaces the register */
	uint8_t operation;  /* of MOVE_CALCULATE */
	bool memory_second; /* MOVE_CALCULATE: the register is the first operand, and gets the result */
	uint8_t reg;
	int64_t number;
	struct x86_memory memory;
	uint8_t length; /* of the instruction */
};

/* Decode the instruction.  False: it is not one of these. */
bool move_look(const uint8_t *code, struct move *move);

/* The address of its operand, computed from the registers. */
uintptr_t move_address(const struct move *move, const ucontext_t *context);

/* Does it change memory? */
static inline bool move_stores(const struct move *move)
{
	return move->kind == MOVE_STORE || (move->kind == MOVE_CALCULATE && !move->memory_second &&
					    move->operation != MOVE_CMP && move->operation != MOVE_TEST);
}

/* Execute it: the operand is at `at`, which must be accessible. */
void move_do(const struct move *move, ucontext_t *context, void *at);

#endif
