/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call.c - see call.h. */
#include "preload/call.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* System call number in RDI, arguments in RSI, RDX, RCX, R8, R9 and on the stack. */
__asm__(".text\n"
	".globl lazy_syscall\n"
	".hidden lazy_syscall\n"
	".type lazy_syscall, @function\n"
	"lazy_syscall:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r8\n"
	"	mov 8(%rsp), %r9\n"
	"	syscall\n"
	".globl lazy_syscall_end\n"
	".hidden lazy_syscall_end\n"
	"lazy_syscall_end:\n"
	"	ret\n"
	".size lazy_syscall, .-lazy_syscall\n"
	".globl call_return\n"
	".hidden call_return\n"
	".type call_return, @function\n"
	"call_return:\n"
	"	mov $15, %eax\n"
	"	syscall\n"
	".globl call_last\n"
	".hidden call_last\n"
	"call_last:\n"
	"	nop\n"
	".size call_return, .-call_return\n");

long call_copy(long flags)
{
	struct robust_list_head *robust = NULL;
	int *tid = NULL;
	size_t size = 0;

	if (CALL(SYS_prctl, PR_GET_TID_ADDRESS, &tid) < 0 || !tid)
		return -ENOSYS;
	CALL(SYS_get_robust_list, 0, &robust, &size);
	long pid = CALL(SYS_clone, CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | flags, 0, 0, tid, 0);
	if (pid == 0)
		CALL(SYS_set_robust_list, robust, size);
	return pid;
}
