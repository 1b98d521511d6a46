/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call.h - system calls for signal handlers.
 *
 *     CALL(SYS_lseek, fd, 0, SEEK_CUR)            the result, or a negative error number; errno is not changed
 *
 * These calls pass the filter of lazy_call.c.  Calls of the C library might not: the filter looks at all argument
 * registers, and an unused one may hold an address in PM.  The resulting signal would end the program if it is blocked
 * at that time.
 *
 *     if (call_copy(SIGCHLD) == 0) ...            a copy of this process, as fork(3) makes it, without its handlers */
#ifndef BLACKOUT_PRELOAD_CALL_H
#define BLACKOUT_PRELOAD_CALL_H

long lazy_syscall(long number, long a, long b, long c, long d, long e, long f);

#define CALL(...) CALL_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_PADDED(number, a, b, c, d, e, f, ...) \
	lazy_syscall(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* The C library knows the copy's thread ID and its robust mutexes.  `flags` as for clone(2).  Negative: it failed; old
 * kernels do not say where the thread ID is stored. */
long call_copy(long flags);

/* A copy of a descriptor, out of the program's way, as far as the limit allows; negative: there is none. */
int call_fd_away(int fd);

/* For handlers whose return must pass a filter of system calls: the restorer of their action.  All our calls are made by
 * code between lazy_syscall and call_last. */
void call_return(void);
extern const char lazy_syscall_end[], call_last[];

#endif
