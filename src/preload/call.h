/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call.h - system calls for signal handlers.
 *
 *     CALL(SYS_lseek, fd, 0, SEEK_CUR)            the result, or a negative error number; errno is not changed
 *
 * These calls pass the filter of lazy_call.c.  Calls of the C library might not: the filter looks at all argument
 * registers, and an unused one may hold an address in PM.  The resulting signal would end the program if it is blocked
 * at that time. */
#ifndef BLACKOUT_PRELOAD_CALL_H
#define BLACKOUT_PRELOAD_CALL_H

long lazy_syscall(long number, long a, long b, long c, long d, long e, long f);

#define CALL(...) CALL_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_PADDED(number, a, b, c, d, e, f, ...) \
	lazy_syscall(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
