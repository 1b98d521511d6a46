/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dispatch.h - all system calls of this process trap, except ours (call.h): PR_SET_SYSCALL_USER_DISPATCH.
 *
 *     if (dispatch_begin(handler, &before))         from now on, when `dispatch_selector` is 1
 *     dispatch_end(&before)
 *
 *     if (!dispatch_is_call(info)) ...              in the handler: it is another SIGSYS
 *     dispatch_make(registers)                      make the call for the program
 *     dispatch_leave(registers)                     or let the program make it, when the handler has returned
 *
 * A forked process has none of this, but the handler. */
#ifndef BLACKOUT_PRELOAD_DISPATCH_H
#define BLACKOUT_PRELOAD_DISPATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The kernel's layout; the C library's struct is larger. */
struct kernel_action {
	void (*handler)(int sig, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* An action for a handler of ours, whose return passes. */
struct kernel_action dispatch_action(void (*handler)(int sig, siginfo_t *info, void *context));
void dispatch_action_set(int sig, const struct kernel_action *action, struct kernel_action *before);

/* Read by the kernel at each system call: 0 lets it pass. */
extern volatile char dispatch_selector;

/* False: the kernel cannot do that.  No signal that a handler here needs may be blocked. */
bool dispatch_begin(void (*handler)(int sig, siginfo_t *info, void *context), struct kernel_action *before);
void dispatch_end(const struct kernel_action *before);

bool dispatch_is_call(const siginfo_t *info);
/* Does it have the numbers and registers of a 64-bit program (not `int $0x80`)? */
bool dispatch_is_native(const siginfo_t *info);
/* A SIGSYS that somebody has sent: send it again. */
void dispatch_pass_on(int sig);

void dispatch_make(greg_t *registers);
void dispatch_leave(greg_t *registers);

#endif
