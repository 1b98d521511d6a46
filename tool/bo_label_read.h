/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label_read.h - reads: loads from PM that something may depend on.
 *
 * A read is a number from 1 on, which stands for (calling context, address, bytes).  The same load has the same number
 * until reads are collected; if it comes again after nothing depended on it any more, it is another read. */
#ifndef BO_LABEL_READ_H
#define BO_LABEL_READ_H

#include "pub_tool_basics.h"

#define BO_READS_MAX (1u << 22)

UInt bo_read_of_load(UInt context, Addr addr, UInt size); /* 0: there is no room for it */

/* The context of the first branch that depends on it; 0: none yet. */
UInt bo_read_branch(UInt read);
void bo_read_set_branch(UInt read, UInt context);

/* Its id in the trace, which is defined if needed; 0: it is not defined, and its address now means another place. */
UInt bo_read_define(UInt read);
UInt *bo_read_label(UInt read); /* where the id of the label is kept that has only this read; 0: not defined yet */

/* Collecting reads that nobody has any more; as in bo_label_set.h.  Reads keep their order. */
Bool bo_read_is_full(void); /* is it time to collect young ones? */
Bool bo_read_is_old(void);  /* all? */
void bo_read_begin_collection(Bool all);
void bo_read_mark(UInt read);
void bo_read_sweep(void);
UInt bo_read_moved(UInt read);
void bo_read_end_collection(void);

void bo_read_forget(Addr start, SizeT size); /* see bo_label_forget_reads */
void bo_read_redefine(void);                 /* start of a new trace file */
UInt bo_read_defined(void);                  /* how many have an id */
void bo_read_init(void);

#endif
