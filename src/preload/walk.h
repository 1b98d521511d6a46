/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk.h - a run of recovery that logs which pages of PM files it touches, and leaves checkpoints behind.
 *
 *     why = walk_begin();              in the fork server
 *     if (call_copy(0) == 0) {         the child must have no exit signal: see checkpoint.c
 *             walk_arm(start);         in the child
 *             ... recovery runs; the stub calls the functions below ...
 *     }
 *     wait;  walk_over()               in the server
 *
 * METHOD.
 *
 *  1. Pages of PM files are inaccessible until they are touched, so the first access traps.  It is logged; if the plan
 *     has a stop there, a copy of the process is left behind (checkpoint.c); and the page is opened for good.
 *  2. All system calls of the process trap, too (PR_SET_SYSCALL_USER_DISPATCH), except our own.  The handler makes those
 *     for the program that leave the process such that its copies need not know (walk_call.c).  Anything else ends the
 *     walk: all pages are opened, nothing traps any more, and the call is made by the program itself.
 *
 * So between the start and a checkpoint, recovery has changed nothing but its own memory, its descriptors and their
 * offsets.  And it has read nothing of the PM files but what loads and the logged reads have.
 *
 * All of this runs in signal handlers, as in lazy.h. */
#ifndef BLACKOUT_PRELOAD_WALK_H
#define BLACKOUT_PRELOAD_WALK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "protocol/walk_block.h"

/* NULL: success; otherwise the reason. */
const char *walk_begin(void);
const struct walk_block *walk_block(void);
void walk_over(void);

/* Call once, in the child, which has begun at this time. */
void walk_arm(uint64_t start_ns);

bool walk_is_on(void);

/* Call around changes of mappings: all pages are accessible, and all system calls pass. */
void walk_suspend(void);
void walk_resume(void);

/* Bytes of a PM file are read by a system call. */
void walk_read(uint32_t file, uint64_t offset, size_t size);

/* Nothing more is logged, and there are no more checkpoints. */
void walk_end(const char *why);

/* In a copy of the process: it is no longer on a walk. */
void walk_forget(void);

/* The signals that must not be blocked: ours, and those of lazy_signal.c in a child of a checkpoint. */
static inline uint64_t walk_signals(void)
{
	return (uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGSYS - 1) | (uint64_t)1 << (SIGTRAP - 1);
}

/* Is there a page of a PM file at this address that the program uses? */
bool walk_is_pm(uintptr_t at);

/* walk_call.c: what is to be done about a system call of the program. */
enum walk_call {
	WALK_CALL_MAKE, /* make it */
	WALK_CALL_DONE, /* the context has its result */
	WALK_CALL_END,  /* the walk ends; the program makes the call itself */
};
enum walk_call walk_call(ucontext_t *context);

/* checkpoint.c: begin is called in the server (false: it is not possible). leave leaves a copy of this process behind, at
 * a stop of the block; it returns in this process, and in each child of the copy. */
bool checkpoint_begin(void);
void checkpoint_leave(struct walk_block *block, unsigned stop);

#endif
