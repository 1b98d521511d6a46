/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeat.h - a child of a checkpoint goes back to its beginning when recovery exits, and runs the next state.
 *
 *     repeats = repeat_prepare();              in the server of a checkpoint
 *     if (call_copy(SIGCHLD) == 0) {
 *             repeat_adopt(request, reply, start);
 *             repeat_begin();                  in the child: returns for each state that it runs
 *             ... recovery runs
 *     }
 *     wait;  repeat_over(&last)                in the server: the child could not go back, or has died
 *
 * A fork, the page faults that follow it, and the end of a process take longer than what many recoveries do after their
 * checkpoint.  Going back takes less.
 *
 * METHOD.
 *
 *  1. System calls trap, as on a walk (dispatch.h).  Those that only ask are made.  Those that change descriptors, mappings
 *     or actions are made, too, and noted, so that they can be undone; what the program unmaps or closes is only moved out of
 *     its sight.  Any other call (it writes to a file, starts a thread, ...) is made by the program itself, which is an
 *     ordinary child from then on (repeat_call.c).
 *  2. When recovery exits, the child itself replies to blackout.  It undoes the calls, and gives all pages that were
 *     written since the beginning the contents that they had there (repeat_memory.c).  Then it waits for the next state, which
 *     pages of PM files come to show as in a new child.
 *  3. The server waits for the child all the time.  If it ends in another way, the server replies, and the next state has a
 *     new child.
 *
 * What differs from a new child is what the kernel counts (time used, process ID), our descriptors, from 300 on, and what a
 * program can change without a system call: the base of GS, a stack of its own that grows (MAP_GROWSDOWN).  A recovery that
 * depends on it gives other outcomes than from the start, where each run has its own process; see checkpoints.h. */
#ifndef BLACKOUT_PRELOAD_REPEAT_H
#define BLACKOUT_PRELOAD_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/stub.h"

/* False: the next child runs one state. */
bool repeat_prepare(void);

/* In the child: these descriptors are kept out of recovery's way. `start`: when the first state was requested. */
void repeat_adopt(int request, int reply, uint64_t start);

/* Call once, in the child. */
void repeat_begin(void);

/* The last state of a child. */
struct repeat_last {
	uint64_t start; /* when it was requested */
	bool replied;   /* the child has replied to it, and has ended then */
	bool leaves;    /* it leaves a request that it could not serve: */
	struct stub_request request;
};
void repeat_over(struct repeat_last *last);

#endif
