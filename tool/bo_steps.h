/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_steps.h - what a superblock does, in a form that can be followed with expressions [--bo-inputs].
 *
 * Few blocks touch anything that depends on input.  So the code of a block only notes the values that matter, in *slots*,
 * and collects whether any label is in sight: in a register that the block uses, or near memory that it accesses.  If
 * there is one, then before the block is left, bo_steps_run follows its steps once more and gives everything its label.
 * bo_input_block.c makes the steps and that code, bo_input_run.c follows them.
 *
 * The slots are where Valgrind keeps room for a second set of shadow registers, or, if these are not enough, in
 * bo_slots_more. */
#ifndef BO_STEPS_H
#define BO_STEPS_H

#include "bo_expr.h"

/* Each kind, with its atoms. */
enum step_kind {
	STEP_GET,          /* result; `where` is the register */
	STEP_PUT,          /* value, and what the 8 bytes of the register are then if fewer are written; `where` */
	STEP_OPERATION,    /* result, operands; `where` is the IROp */
	STEP_CUT,          /* result, operand: its lowest bits */
	STEP_CHOICE,       /* result, condition, yes, no */
	STEP_CALL,         /* result, operands; `name` */
	STEP_LOAD,         /* result, address */
	STEP_GUARDED_LOAD, /* result, address, guard, what the result is if that is false; `where` is the IRLoadGOp */
	STEP_STORE,        /* address, value, guard */
	STEP_SWAP,         /* address; for each word: old, expected, new */
	STEP_DIRTY,        /* result, address that is read, then `where` arguments, then registers; `name` */
	STEP_WIPE,         /* address, guard: what is stored there is not followed */
	STEP_EXIT,         /* condition; `exit` */
	STEP_JUMP,         /* target */
};

/* An atom of VEX: a temporary or a constant; or none. */
struct atom {
	Int label;          /* the first of its labels among those of the block; -1: it never has one */
	Int value;          /* the first of its words: a slot, or ~index of a constant; NO_VALUE: not noted */
	UChar count, width; /* as in struct bo_value; 0: there is no atom */
};

#define NO_VALUE 0x7fffffff
#define NO_ATOM ((struct atom){-1, NO_VALUE, 0, 0})

struct step {
	UChar kind;
	UChar atoms; /* how many it has */
	UShort size; /* bytes: of a memory access, or of what is got from or put into a register */
	UInt first;  /* its first atom */
	UInt where;
	UInt code; /* the instruction */
	union {
		const HChar *name;
		struct {
			Addr taken, other; /* where the block goes if the condition holds, and if not */
			Bool is_turnable;
		} exit;
	};
};

struct steps {
	struct steps *next; /* the first two are those of Valgrind's hash tables */
	UWord address;      /* of the block */
	struct step *steps;
	struct atom *atoms;
	ULong *constants;
};

/* The first slots: how many steps this execution of the block has already followed, and the stack pointer at its start,
 * by which the frames are found that it is in. */
enum { SLOT_FOLLOWED, SLOT_STACK, SLOTS_OWN };

/* Words of slots in the room for shadow registers, and elsewhere. */
#define SLOTS_NEAR ((UInt)sizeof(VexGuestAMD64State) / 8)
#define SLOTS_MORE 16384u
extern ULong bo_slots_more[SLOTS_MORE];

/* Follow the steps up to number `end` that were not followed yet. */
void bo_steps_run(VexGuestAMD64State *state, const struct steps *block, ULong end);
Bool bo_steps_store_follows(Addr addr, SizeT size); /* is this memory changed after the step that is followed? */
void bo_steps_fit(UInt labels);                     /* there are blocks with so many labels */

#endif
