/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_stack.h - accesses to the stack that need no check of their own.
 *
 * About half of all stores are pushes and local variables.  A block that has some checks once, as it begins, that the
 * stack pointer is in a range without PM (the window), and then trusts all addresses that are a constant away from it.
 * If the stack pointer is elsewhere, the block does nothing and yields to the scheduler, which runs bo_stack_run on its
 * way back.  That moves the window.  If PM is too near for a window, the stack may be in PM: from then on nothing is
 * trusted, and all code is translated again. */
#ifndef BO_STACK_H
#define BO_STACK_H

#include "bo_ir.h"

/* Before the first instruction of a block, which is known by the address `start`. */
void bo_stack_begin(struct block *b, const IRSB *in, Addr start);
/* Is this certainly not PM?  For the statements of that block. */
Bool bo_stack_covers(const IRExpr *addr, UInt size);
void bo_stack_run(Addr sp); /* the running thread has this stack pointer; outside of the target's code */

#endif
