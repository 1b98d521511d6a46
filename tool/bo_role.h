/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_role.h - code whose volatile work is none of the program's own.
 *
 * Decisions under way mark everything that is written meanwhile (bo_shadow.h).  In the following code this would connect
 * parts of the program that have nothing to do with each other, from then on to the end of the run. */
#ifndef BO_ROLE_H
#define BO_ROLE_H

#include "pub_tool_basics.h"

/* It links, which happens when a function happens to be called first; or it puts back the registers of a frame. */
Bool bo_role_restores(Addr insn);

/* Entry of the memory allocator: which memory it returns depends on all requests before. */
Bool bo_role_allocates(Addr insn);

/* Entry of a function that prints to a stream: how full its buffer is depends on all that was printed before.  What a
 * program has printed decides nothing that it does later. */
Bool bo_role_prints(Addr insn);

/* A PM library: its lanes, logs, caches and lists of free blocks are for all transactions. */
Bool bo_role_serves(Addr insn);

#endif
