/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label_set.h - reads, and sets of reads: what bo_label.c makes labels of.
 *
 * A *read* is a load from PM, interned by (calling context, address, bytes).  A *set* is a number that stands for a set of
 * reads; 0 is the empty one.  Sets are hash-consed: the same reads have the same number.
 *
 * Sets are bounded.  A union that is too large is the smaller operand, marked "many": there are other reads that are not
 * known.  The smaller operand is the one that was made closer to the place that asks, and says more about it. */
#ifndef BO_LABEL_SET_H
#define BO_LABEL_SET_H

#include "pub_tool_basics.h"

/* How a read had an influence: its value was computed with, or it decided what was executed. */
enum bo_influence { BO_DATA, BO_CONTROL, BO_INFLUENCES };

/* Decisions add up over the whole run, data do not; so sets of kind control are smaller. */
#define BO_DATA_BOUND 64u
#define BO_CONTROL_BOUND 16u

#define BO_SET_UNKNOWN 1u /* no read of it is known; it is marked "many" */

void *bo_reserve(SizeT size); /* address space that becomes memory as it is used */

/* A hash table of numbers; 0 is free.  It grows with what is in it, so that a small one stays in the processor's caches.
 * The owner searches from slot `hash & mask` on, and calls bo_index_fit before it adds. */
struct bo_index {
	UInt *slots;
	UInt mask;
	UInt (*hash)(UInt number);
};

struct bo_index bo_index_new(UInt most, UInt (*hash)(UInt number));
void bo_index_fit(struct bo_index *index, UInt count);     /* make room for number `count`; all below are in it */
void bo_index_rebuild(struct bo_index *index, UInt count); /* for the numbers from 1 to count - 1 */

UInt bo_set_of_load(UInt context, Addr addr, UInt size);
UInt bo_set_union(UInt a, UInt b, enum bo_influence kind);
UInt bo_set_bounded(UInt set, enum bo_influence kind); /* the newest reads, as many as a set of this kind may have */
Bool bo_set_is_many(UInt set);

/* Its id in the trace.  Defines it, and the reads that it needs. */
UInt bo_set_define(UInt set);

/* A branch in this context depends on the reads: keep it for those that have none yet. */
Bool bo_set_is_decided(UInt set); /* there are none */
void bo_set_decides(UInt set, UInt context);

/* Collecting the sets that are no longer needed.  After bo_set_sweep, every set has a new number: bo_set_moved.  Sets
 * that were not marked are gone, and those who knew them get 0. */
Bool bo_set_is_full(void); /* is it time? */
void bo_set_mark(UInt set);
void bo_set_sweep(void);
UInt bo_set_moved(UInt set);
void bo_set_end_collection(void);

void bo_set_forget_reads(Addr start, SizeT size);
void bo_set_redefine(void);
void bo_set_describe(HChar *text);
void bo_set_init(void);

#endif
