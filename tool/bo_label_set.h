/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label_set.h - sets of reads (bo_label_read.h): what bo_label.c makes labels of.
 *
 * A *set* is a number that stands for a set of reads; 0 is the empty one.  Sets are hash-consed: the same reads have the
 * same number.
 *
 * Sets are bounded.  A union that is too large is the smaller operand, marked "many": there are other reads that are not
 * known.  The smaller operand is the one that was made closer to the place that asks, and says more about it. */
#ifndef BO_LABEL_SET_H
#define BO_LABEL_SET_H

#include "pub_tool_basics.h"

/* How a read had an influence: its value was computed with, or it decided what was executed. */
enum bo_influence { BO_DATA, BO_CONTROL, BO_INFLUENCES };

/* Decisions add up over the whole run, data do not; so sets of kind control are smaller. */
#define BO_DATA_BOUND BO_LABEL_READS
#define BO_CONTROL_BOUND 16u

#define BO_SET_UNKNOWN 1u /* no read of it is known; it is marked "many" */

UInt bo_set_of_load(UInt context, Addr addr, UInt size);
UInt bo_set_union(UInt a, UInt b, enum bo_influence kind); /* of two different sets that are not empty */
UInt bo_set_bounded(UInt set, enum bo_influence kind); /* the newest reads, as many as a set of this kind may have */
Bool bo_set_is_many(UInt set);

/* Its id in the trace.  Defines it, and the reads that it needs. */
UInt bo_set_define(UInt set);

/* A branch in this context depends on the reads: keep it for those that have none yet. */
Bool bo_set_is_decided(UInt set); /* there are none */
void bo_set_decides(UInt set, UInt context);

/* Collecting the sets that are no longer needed, and the reads: the young ones, or all (bo_index.h).  Mark all that are
 * needed, between bo_set_begin_collection and bo_set_sweep.  After that they have new numbers: bo_set_moved.  Sets that
 * were not marked are gone, and those who knew them get 0. */
Bool bo_set_is_full(void); /* is it time to collect young ones? */
Bool bo_set_is_old(void);  /* all? */
void bo_set_begin_collection(Bool all);
void bo_set_mark(UInt set);
void bo_set_sweep(void);
UInt bo_set_moved(UInt set);
void bo_set_end_collection(void);

void bo_set_redefine(void);
void bo_set_describe(HChar *text);
void bo_set_init(void);

#endif
