/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label.h - labels: what a value of the target was computed from.
 *
 * A *label* describes a value of up to 8 bytes: 0 (it depends on nothing), a plain label (all bytes depend on the same
 * loads from PM), or a *mix*, a tuple of 8 plain labels, one for each byte.  Mixes only travel: loads, moves, extractions
 * and stores keep them, and everything that computes flattens them into the union of their bytes.
 *
 * A plain label is two sets of reads (bo_label_set.h): in the low half those whose value was computed with, in the high
 * half those that decided what was executed.  Labels are equal exactly if they are the same number.
 *
 * This is the algebra.  How labels travel through registers, temporaries and memory is bo_shadow.c, which knows nothing
 * but these functions. */
#ifndef BO_LABEL_H
#define BO_LABEL_H

#include "pub_tool_basics.h"

#define BO_LABEL_MIX (1ULL << 63) /* this bit marks a mix */

/* The label of a value that was just loaded from PM. */
ULong bo_label_of_load(UInt context, Addr addr, UInt size);

/* What is computed from both.  The result is plain. */
ULong bo_label_union(ULong a, ULong b);

/* The union of the bytes of a mix; a plain label is its own. */
ULong bo_label_flatten(ULong label);

/* The same reads, all of kind control: the label of what depends on a decision by this value. */
ULong bo_label_as_control(ULong label);

/* Are there reads of kind data?  Do both have the same? */
Bool bo_label_has_data(ULong label);
Bool bo_label_is_same_data(ULong a, ULong b);

/* A branch in this context depends on the label: keep it for reads that have no branch yet. */
Bool bo_label_is_decided(ULong label); /* there are none */
void bo_label_decides(ULong label, UInt context);

/* The label with `plain` added to each of its bytes. */
ULong bo_label_add(ULong label, ULong plain);

/* Bytes.  `bytes` of a label are the plain labels of its 8 bytes. */
void bo_label_bytes(ULong label, ULong bytes[8]);
ULong bo_label_of_bytes(const ULong bytes[8], UInt size); /* the first `size` count; the others are as if 0 */
ULong bo_label_byte(ULong label, UInt index);

/* Write DEPENDS for the event that follows, and the definitions it needs, unless it depends on nothing.  `label` is of
 * value and address, `control` of the open branches. */
void bo_label_write_depends(ULong label, ULong control);

/* Collecting labels that nobody has any more, which gives others new numbers.  `visit_all` calls its first argument for
 * every label that is kept anywhere outside; or, if `all` is false, at least for those that were put there since the last
 * collection.  To be called when the target's code does not run, or at the start of a block. */
typedef void bo_label_visitor(ULong *label);
Bool bo_label_is_full(void); /* is it time? */
void bo_label_collect(void (*visit_all)(bo_label_visitor *visit, Bool all));

/* PM is about to be unmapped or moved: reads of it get their definitions while addresses still mean the same. */
void bo_label_forget_reads(Addr start, SizeT size);
void bo_label_redefine(void);        /* start of a new trace file: nothing is defined in it yet */
void bo_label_describe(HChar *text); /* how many there are, and how many are incomplete; less than 128 characters */
void bo_label_init(void);

#endif
