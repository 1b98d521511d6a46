/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call.c - see call.h. */
#include "preload/call.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { AWAY_MIN = 300 };

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

int call_fd_away(int fd)
{
	long away = fd < 0 ? fd : CALL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, AWAY_MIN);
	struct rlimit limit;

	if (away == -EINVAL && CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0)
		away = CALL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, limit.rlim_cur / 2);
	return (int)away;
}

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
