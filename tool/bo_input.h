/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input.h - how the target's decisions depend on its input [--bo-inputs].
 *
 *   bo_input_source.c   where input comes from: what the target reads has labels from there on
 *   bo_input_messages.c the same for connections whose messages are known before
 *   bo_input_block.c    the steps of a superblock (bo_steps.h)
 *   bo_input_run.c      labels of results, step by step
 *   bo_input_memory.c   labels of memory
 *   bo_input_table.c    loads whose address depends on input
 *   bo_input_cells.c    of them, those from memory that depends on input, too
 *   bo_input_range.c    which values an expression can have
 *   bo_input_tell.c     what is written into the trace: branches, and the expressions that they need
 *   bo_input_count.c    what is not followed
 *   bo_expr.h           expressions, which are the labels here
 *
 * A value has an expression for each 64 bits, or 0: it does not depend on input. */
#ifndef BO_INPUT_H
#define BO_INPUT_H

#include "bo_expr.h"

struct block;

extern Bool clo_bo_inputs;       /* is the layer on? */
extern Bool clo_bo_inputs_check; /* write VALUE for every result that has a label */
extern Int clo_bo_inputs_most;   /* expressions that there may be */
#define BO_INPUTS_MOST ((1 << 22) - 1)

void bo_input_init(void);
void bo_input_redefine(void); /* start of a new trace file: nothing is defined in it yet */

/* ---- bo_input_block.c: one superblock ---- */
/* `address`: by which Valgrind names the translation when it discards it. */
void bo_input_begin(struct block *b, Addr address, const IRSB *in, const VexGuestLayout *layout);
void bo_input_insn(struct block *b);                   /* after its IMark */
void bo_input_stmt(struct block *b, const IRStmt *st); /* after it */
void bo_input_exit(struct block *b, const IRStmt *st); /* before it */
void bo_input_end(struct block *b);
void bo_input_forget(Addr address, VexGuestExtents extents); /* a translation is discarded */
void bo_input_init_blocks(void);

/* ---- bo_input_memory.c ---- */

/* A mark counts the bytes with labels in lines of memory, and the first of the next line, which an access that begins in
 * this one may reach.  Lines share marks. */
#define BO_MARK_SHIFT 6
#define BO_MARK_REACH 32u /* bytes that an access may have to be found by its first line */
#define BO_MARKS (1ULL << 20)
extern UInt *bo_marks;

/* Up to 8 bytes, whose content is `value`.  Labels may be narrower, as in struct bo_value. */
UInt bo_memory_get(Addr addr, UInt size, ULong value);
void bo_memory_put(Addr addr, UInt size, UInt label);
Bool bo_memory_has_labels(Addr addr, SizeT size);
void bo_memory_clear(Addr addr, SizeT size);
void bo_memory_move(Addr from, Addr to, SizeT size);
void bo_memory_init(void);

/* ---- bo_input_table.c ---- */
/* A load whose address depends on input: the label of what is loaded. */
UInt bo_input_load_at(UInt address, UInt size, ULong value, UInt code, Addr sp);
void bo_input_pin(UInt address, UInt code, Addr sp); /* the address is taken as it is */
/* Write a table unless that has been done; its id in the trace. */
UInt bo_input_define_table(UInt table);
void bo_input_redefine_tables(void);

/* ---- bo_input_cells.c ---- */
/* The cell of `size` bytes that begins `index` bytes (width 64, at most `span`) after `first`.  False: there are too many or too
 * few, or they overlap. */
Bool bo_cells_load(Addr first, ULong span, UInt size, UInt index, UInt *loaded);

/* ---- bo_input_range.c ---- */

/* Values from `first` on, `span` more than one, counted modulo the width. */
struct bo_range {
	ULong first, span;
};

struct bo_range bo_range_of(UInt expr, Bool *uses_path); /* uses_path: it follows from branches, too */
Bool bo_range_decides(UInt condition);           /* is the comparison the same for all input, whatever the path? */
void bo_range_learn(UInt condition, Bool holds); /* a branch was taken */

/* ---- bo_input_tell.c ---- */
/* A branch depends on a condition, of width 1; `other` is the code on the other side, or 0. */
void bo_tell_branch(enum bo_branch kind, UInt condition, UInt code, Addr sp, Addr other);
void bo_tell_value(UInt expr, ULong value);
void bo_tell_input(UInt context, UInt source, ULong offset, ULong asked, ULong got);
void bo_tell_conversation(UInt source, enum bo_conversation what, const void *bytes, SizeT size);
/* Code is executed for the first time. */
void bo_tell_code(Addr start, SizeT size);
void bo_tell_redefine(void);

/* ---- bo_input_count.c ---- */
/* Something that is not followed: its result is taken as it is. */
void bo_concrete_operation(IROp op);
void bo_concrete(const HChar *name);
void bo_concrete_write(void);
/* [--bo-inputs-check] An operation that was followed, and whether its result is right. */
void bo_checked_operation(IROp op, Bool is_right);
void bo_checked(const HChar *name, Bool is_right);

/* ---- bo_input_source.c ---- */
Bool bo_source_choose(const HChar *spec); /* False: there is no such kind */
void bo_source_init(void);
void bo_source_on_start(ThreadId tid); /* the target's first instruction comes: arguments are on its stack */
void bo_source_redefine(void);
/* After each system call that did not fail. */
void bo_source_after(ThreadId tid, UInt number, const UWord *args, UWord result);

#endif
