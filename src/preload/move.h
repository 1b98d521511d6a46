/* SPDX-License-Identifier: GPL-2.0-or-later */
/* move.h - do the commonest instructions ourselves, instead of letting the processor do them under the trap flag.
 *
 * Most looks at a page are plain moves, comparisons and sums.  Where the address is known, from the fault, little is
 * left to do: which register, how many bytes.  That saves one of two signals; and on virtual machines a debug exception
 * costs more than all the rest. */
#ifndef BLACKOUT_PRELOAD_MOVE_H
#define BLACKOUT_PRELOAD_MOVE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum move_kind {
	MOVE_LOAD,      /* to a register */
	MOVE_STORE,     /* from a register, or `number` */
	MOVE_CALCULATE, /* with a register or `number`; flags */
};

/* Numbered as in opcodes; TEST has its own. */
enum move_operation { MOVE_ADD, MOVE_OR, MOVE_ADC, MOVE_SBB, MOVE_AND, MOVE_SUB, MOVE_XOR, MOVE_CMP, MOVE_TEST };

struct move {
	enum move_kind kind;
	uint8_t size;       /* in memory */
	uint8_t width;      /* of the register that is written: 1, 2, 4 or 8 */
	bool sign;          /* a load extends the sign */
	bool vector;        /* the register is XMM; 16 bytes, or 8 and the rest becomes zero */
	bool high;          /* it is AH, CH, DH or BH */
	bool immediate;     /* there is no register */
	uint8_t operation;  /* MOVE_CALCULATE */
	bool memory_second; /* MOVE_CALCULATE: the register comes first, and has the result */
	uint8_t reg;
	int64_t number;
	uint8_t extension; /* the bits of REX */
	uint8_t modrm;     /* where it is in the instruction */
	uint8_t length;    /* of the instruction */
};

/* False: it is something else. */
bool move_look(const uint8_t *code, struct move *move);

/* Where its operand is, by the registers. */
uintptr_t move_address(const struct move *move, const ucontext_t *context);

/* Does it change memory? */
static inline bool move_stores(const struct move *move)
{
	return move->kind == MOVE_STORE || (move->kind == MOVE_CALCULATE && !move->memory_second &&
					    move->operation != MOVE_CMP && move->operation != MOVE_TEST);
}

/* Do it: the operand is at `at`, and can be reached. */
void move_do(const struct move *move, ucontext_t *context, void *at);

#endif
