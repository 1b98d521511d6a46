/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dispatch.c - see dispatch.h. */
#include "preload/dispatch.h"

#include <linux/audit.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/call.h"

enum { DISPATCH = 59 /* PR_SET_SYSCALL_USER_DISPATCH */, DISPATCH_CODE = 2 /* SYS_USER_DISPATCH */, CALL_BYTES = 2 };
#define RESTORER 0x04000000 /* SA_RESTORER */

volatile char dispatch_selector;

struct kernel_action dispatch_action(void (*handler)(int sig, siginfo_t *info, void *context))
{
	return (struct kernel_action){handler, SA_SIGINFO | RESTORER, call_return, ~(uint64_t)0};
}

void dispatch_action_set(int sig, const struct kernel_action *action, struct kernel_action *before)
{
	CALL(SYS_rt_sigaction, sig, action, before, sizeof(uint64_t));
}

bool dispatch_begin(void (*handler)(int sig, siginfo_t *info, void *context), struct kernel_action *before)
{
	struct kernel_action action = dispatch_action(handler);

	dispatch_selector = 0;
	dispatch_action_set(SIGSYS, &action, before);
	return CALL(SYS_prctl, DISPATCH, 1, lazy_syscall, call_last + 1 - (const char *)lazy_syscall,
		    &dispatch_selector) == 0;
}

void dispatch_end(const struct kernel_action *before)
{
	dispatch_selector = 0;
	dispatch_action_set(SIGSYS, before, NULL);
	CALL(SYS_prctl, DISPATCH, 0, 0, 0, 0);
}

bool dispatch_is_call(const siginfo_t *info)
{
	return info->si_code == DISPATCH_CODE;
}

bool dispatch_is_native(const siginfo_t *info)
{
	return info->si_arch == AUDIT_ARCH_X86_64;
}

void dispatch_pass_on(int sig)
{
	CALL(SYS_tgkill, CALL(SYS_getpid), CALL(SYS_gettid), sig);
}

void dispatch_make(greg_t *r)
{
	r[REG_RAX] = CALL(r[REG_RAX], r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
}

void dispatch_leave(greg_t *r)
{
	r[REG_RIP] -= CALL_BYTES;
}
