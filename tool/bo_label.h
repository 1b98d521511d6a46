/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label.h - labels: what a value of the target was computed from.
 *
 * A *label* describes a value of up to 8 bytes: 0 (it depends on nothing), a plain label (all bytes depend on the same
 * loads from PM), or a *mix*, a tuple of 8 plain labels, one for each byte.  Mixes only travel: loads, moves, extractions
 * and stores keep them, and everything that computes flattens them into the union of their bytes.
 *
 * A plain label has two sets of reads (bo_label_set.h): those whose value was computed with, and those that decided what
 * was executed.  Labels are hash-consed: two are the same exactly if their numbers are.
 *
 * This is the algebra.  How labels travel through registers, temporaries and memory is bo_shadow.c, which knows nothing
 * but these functions.  The helpers are called from the target's code and take and return labels as ULong. */
#ifndef BO_LABEL_H
#define BO_LABEL_H

#include "pub_tool_basics.h"

#define BO_LABEL_MIX 0x80000000u /* this bit marks a mix */

/* The label of a value that was just loaded from PM. */
UInt bo_label_of_load(UInt context, Addr addr, UInt size);

/* What is computed from both.  The result is plain. */
UInt bo_label_union(UInt a, UInt b);

/* The union of the bytes of a mix; a plain label is its own. */
UInt bo_label_flatten(UInt label);

/* The same reads, all of kind control: the label of what depends on a decision by this value. */
UInt bo_label_as_control(UInt label);

/* Do both have the same reads of kind data? */
Bool bo_label_is_same_data(UInt a, UInt b);

/* A branch in this context depends on the label: keep it for reads that have no branch yet. */
Bool bo_label_is_decided(UInt label); /* there are none */
void bo_label_decides(UInt label, UInt context);

/* The label with `plain` added to each of its bytes. */
UInt bo_label_add(UInt label, UInt plain);

/* Bytes.  `bytes` of a label are the plain labels of its 8 bytes. */
void bo_label_bytes(UInt label, UInt bytes[8]);
UInt bo_label_of_bytes(const UInt bytes[8], UInt size); /* the first `size` count; the others are as if 0 */
UInt bo_label_byte(UInt label, UInt index);

/* Write DEPENDS for the event that follows, and the definitions it needs, unless it depends on nothing.  `label` is of
 * value and address, `control` of the open branches. */
void bo_label_write_depends(UInt label, UInt control);

/* Collecting labels that nobody has any more, which gives the others new numbers.  `visit_all` calls its argument for
 * every label that is kept anywhere outside.  To be called when the target's code does not run. */
typedef void bo_label_visitor(UInt *label);
Bool bo_label_is_full(void); /* is it time? */
void bo_label_collect(void (*visit_all)(bo_label_visitor *visit));

/* PM is about to be unmapped or moved: reads of it get their definitions while addresses still mean the same. */
void bo_label_forget_reads(Addr start, SizeT size);
void bo_label_redefine(void);        /* start of a new trace file: nothing is defined in it yet */
void bo_label_describe(HChar *text); /* how many there are, and how many are incomplete; less than 128 characters */
void bo_label_init(void);

#endif
