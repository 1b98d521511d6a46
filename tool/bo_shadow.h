/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_shadow.h - labels travel with the target's values [--bo-dependencies].
 *
 * Every value has a label (bo_label.h): a temporary of VEX in further temporaries, a register in Valgrind's shadow
 * registers, which it saves and switches with the real ones, and memory in bo_shadow_memory.c.  bo_shadow.c adds to each
 * statement what computes the labels of its results.  It is also what records PM loads and stores, because an event
 * needs labels and a load from PM makes one.
 *
 * doc/INVARIANTS.md says what a dependency is, and doc/LIMITS.md what is not followed. */
#ifndef BO_SHADOW_H
#define BO_SHADOW_H

#include "bo_ir.h"
#include "bo_label.h"

/* ---- bo_shadow.c: one superblock ---- */

/* Prepare for a block.  False: it must be translated again, shorter; `b->out` is complete and does that. */
Bool bo_shadow_begin(struct block *b, const IRSB *in, const VexGuestLayout *layout);
void bo_shadow_insn(struct block *b);                            /* after its IMark */
void bo_shadow_stmt(struct block *b, const IRStmt *st);          /* after Put, PutI, WrTmp */
void bo_shadow_guarded_load(struct block *b, const IRLoadG *lg); /* after it */
/* After a store; `data` has the label of what was stored.  `kind` is enum bo_store_kind, and perhaps a flag below. */
void bo_shadow_store(struct block *b, IRExpr *addr, IRExpr *data, IRExpr *guard, UInt kind);
void bo_shadow_cas(struct block *b, const IRCAS *cas, UInt size, IRExpr *stored); /* after it; stored: I64 */
void bo_shadow_dirty(struct block *b, const IRDirty *d);                          /* after it */
void bo_shadow_exit(struct block *b, const IRStmt *st);                           /* before it */
void bo_shadow_end(struct block *b);
Bool bo_shadow_has_label(Int offset); /* has this register, or this word of one, a label? */
void bo_shadow_describe(HChar *text); /* what could not be followed; less than 128 characters */
void bo_shadow_init(void);

#define BO_SHADOW_SAVES 0x80u  /* the store only saves a register or a return address: no decision is behind it */
#define BO_SHADOW_SILENT 0x40u /* the event is recorded by another call, which follows */

/* ---- bo_shadow_memory.c: labels of memory, and what the target's code calls ---- */

/* Values of 16 and 32 bytes have more than one label.  A load returns the first one and leaves the others here; a store
 * finds all of them here. */
extern ULong bo_shadow_lanes[4];

/* The label of the word at an address is at bo_shadow_none + bo_shadow_tables[granule] + offset of the word in its
 * granule (bo.h), unless the entry of the table has the bit BO_SHADOW_PM: then PM may be there. */
extern Addr *bo_shadow_tables;
extern ULong bo_shadow_none[]; /* the labels of granules that never had any: all are 0 */
#define BO_SHADOW_PM 1u
void bo_shadow_note_pm(Addr start, SizeT size, Bool is_pm);

ULong bo_shadow_on_load(Addr addr, ULong site, Addr sp, ULong address);
void bo_shadow_on_store(Addr addr, ULong site, Addr sp, ULong value, ULong address);
void bo_shadow_on_wide_store(Addr addr, ULong site, Addr sp, ULong address);
void bo_shadow_on_cas(Addr addr, ULong site, Addr sp, ULong stored, ULong value, ULong address);
void bo_shadow_clear(Addr start, SizeT size); /* written by the kernel, or mapped anew */
void bo_shadow_move(Addr from, Addr to, SizeT size);
/* All labels, or those that were stored since bo_shadow_settle_memory was last called. */
void bo_shadow_visit_memory(bo_label_visitor *visit, Bool all);
void bo_shadow_settle_memory(void);
void bo_shadow_memory_init(void);

/* ---- bo_shadow_collect.c ---- */
void bo_shadow_collect(void); /* collect labels that nobody has any more, if it is time and nothing runs */

#endif
