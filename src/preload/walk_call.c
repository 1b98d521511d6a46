/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk_call.c - which system calls leave no trace outside of the process; see walk.h, METHOD 2.
 *
 * A copy of the process has its memory and descriptors, and the server of the copies restores the offsets of files.  So
 * calls may read, and may change these.  All calls that are not listed end the walk, and so does a call that gets an
 * address in PM: the kernel does not wait for a page to be opened. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "preload/call.h"
#include "preload/walk.h"

enum { ARGUMENTS = 6 };
#define MASK_BYTES ((greg_t)sizeof(uint64_t))
#define AUTODISARM (1U << 31) /* SS_AUTODISARM */

struct call {
	long number;
	greg_t arguments[ARGUMENTS];
	ucontext_t *context;
};

static bool fd_is_harmless(int fd)
{
	struct stat st;

	return CALL(SYS_fstat, fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode) || S_ISDIR(st.st_mode));
}

/* Others may write into a pipe or a socket, and what one process reads the others miss. */
static enum walk_call call_read(const struct call *call)
{
	return fd_is_harmless((int)call->arguments[0]) ? WALK_CALL_MAKE : WALK_CALL_END;
}

static bool flags_only_read(greg_t flags)
{
	return (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

static enum walk_call call_open(const struct call *call)
{
	return flags_only_read(call->arguments[1]) ? WALK_CALL_MAKE : WALK_CALL_END;
}

static enum walk_call call_openat(const struct call *call)
{
	return flags_only_read(call->arguments[2]) ? WALK_CALL_MAKE : WALK_CALL_END;
}

/* All copies would share what is written there, perhaps only after mprotect. */
static enum walk_call call_mmap(const struct call *call)
{
	bool shared = (call->arguments[3] & MAP_TYPE) != MAP_PRIVATE, anonymous = call->arguments[3] & MAP_ANONYMOUS;
	long flags = shared && !anonymous ? CALL(SYS_fcntl, (int)call->arguments[4], F_GETFL) : O_RDONLY;

	return shared && (anonymous || flags < 0 || (flags & O_ACCMODE) != O_RDONLY) ? WALK_CALL_END : WALK_CALL_MAKE;
}

/* Copies would not have this memory. */
static enum walk_call call_madvise(const struct call *call)
{
	return call->arguments[2] == MADV_DONTFORK || call->arguments[2] == MADV_WIPEONFORK ? WALK_CALL_END
											    : WALK_CALL_MAKE;
}

static enum walk_call call_fcntl(const struct call *call)
{
	greg_t command = call->arguments[1];

	return command == F_GETFD || command == F_SETFD || command == F_GETFL || command == F_DUPFD ||
			       command == F_DUPFD_CLOEXEC
		       ? WALK_CALL_MAKE
		       : WALK_CALL_END;
}

static enum walk_call call_ioctl(const struct call *call)
{
	return call->arguments[1] == TCGETS || call->arguments[1] == TIOCGWINSZ ? WALK_CALL_MAKE : WALK_CALL_END;
}

static enum walk_call call_prlimit(const struct call *call)
{
	return call->arguments[2] ? WALK_CALL_END : WALK_CALL_MAKE;
}

static enum walk_call call_sigaction(const struct call *call)
{
	return call->arguments[0] == SIGSEGV || call->arguments[0] == SIGSYS ? WALK_CALL_END : WALK_CALL_MAKE;
}

/* When the handler returns, the kernel restores the mask that is in the context. */
static enum walk_call call_sigprocmask(const struct call *call)
{
	const uint64_t *wanted = (const uint64_t *)call->arguments[1];
	uint64_t *old = (uint64_t *)call->arguments[2];
	uint64_t before, mask;

	memcpy(&before, &call->context->uc_sigmask, sizeof(before));
	mask = before;
	/* All signals are blocked, so to block these does nothing, but shows whether the address is good. */
	if (call->arguments[3] != MASK_BYTES || (wanted && (uint64_t)call->arguments[0] > SIG_SETMASK) ||
	    (wanted && CALL(SYS_rt_sigprocmask, SIG_BLOCK, wanted, NULL, MASK_BYTES) < 0))
		return WALK_CALL_END;
	if (wanted && call->arguments[0] == SIG_BLOCK)
		mask |= *wanted;
	else if (wanted && call->arguments[0] == SIG_UNBLOCK)
		mask &= ~*wanted;
	else if (wanted)
		mask = *wanted;
	if (mask & walk_signals() || (old && CALL(SYS_rt_sigprocmask, SIG_BLOCK, NULL, old, MASK_BYTES) < 0))
		return WALK_CALL_END;
	if (old)
		*old = before;
	memcpy(&call->context->uc_sigmask, &mask, sizeof(mask));
	call->context->uc_mcontext.gregs[REG_RAX] = 0;
	return WALK_CALL_DONE;
}

/* It restores the stack for signals, too.  If that is disabled while a handler runs, we cannot tell the program what it
 * had set. */
static enum walk_call call_sigaltstack(const struct call *call)
{
	stack_t *stack = &call->context->uc_stack;

	if ((unsigned)stack->ss_flags & AUTODISARM)
		return WALK_CALL_END;
	long result = CALL(SYS_sigaltstack, call->arguments[0], call->arguments[1]);
	if (result == 0 && call->arguments[0])
		CALL(SYS_sigaltstack, NULL, stack);
	call->context->uc_mcontext.gregs[REG_RAX] = result;
	return WALK_CALL_DONE;
}

/* `addresses` has a bit for each argument that is one. */
static const struct {
	int number;
	unsigned addresses;
	enum walk_call (*look)(const struct call *call); /* NULL: always */
} calls[] = {
	{SYS_read, 2, call_read},
	{SYS_pread64, 2, call_read},
	{SYS_getdents64, 2, NULL},
	{SYS_lseek, 0, NULL},
	{SYS_open, 1, call_open},
	{SYS_openat, 2, call_openat},
	{SYS_close, 0, NULL},
	{SYS_close_range, 0, NULL},
	{SYS_dup, 0, NULL},
	{SYS_dup2, 0, NULL},
	{SYS_dup3, 0, NULL},
	{SYS_fcntl, 4, call_fcntl},
	{SYS_ioctl, 4, call_ioctl},
	{SYS_stat, 3, NULL},
	{SYS_lstat, 3, NULL},
	{SYS_fstat, 2, NULL},
	{SYS_newfstatat, 6, NULL},
	{SYS_statx, 18, NULL},
	{SYS_statfs, 3, NULL},
	{SYS_fstatfs, 2, NULL},
	{SYS_access, 1, NULL},
	{SYS_faccessat, 2, NULL},
	{SYS_faccessat2, 2, NULL},
	{SYS_readlink, 3, NULL},
	{SYS_readlinkat, 6, NULL},
	{SYS_getcwd, 1, NULL},
	{SYS_fadvise64, 0, NULL},
	{SYS_fsync, 0, NULL},
	{SYS_fdatasync, 0, NULL},
	{SYS_mmap, 0, call_mmap},
	{SYS_munmap, 0, NULL},
	{SYS_mprotect, 0, NULL},
	{SYS_mremap, 0, NULL},
	{SYS_madvise, 0, call_madvise},
	{SYS_msync, 0, NULL},
	{SYS_mincore, 4, NULL},
	{SYS_brk, 0, NULL},
	{SYS_getpid, 0, NULL},
	{SYS_gettid, 0, NULL},
	{SYS_getppid, 0, NULL},
	{SYS_getuid, 0, NULL},
	{SYS_geteuid, 0, NULL},
	{SYS_getgid, 0, NULL},
	{SYS_getegid, 0, NULL},
	{SYS_uname, 1, NULL},
	{SYS_sysinfo, 1, NULL},
	{SYS_getrlimit, 2, NULL},
	{SYS_prlimit64, 8, call_prlimit},
	{SYS_getrusage, 2, NULL},
	{SYS_times, 1, NULL},
	{SYS_time, 1, NULL},
	{SYS_gettimeofday, 3, NULL},
	{SYS_clock_gettime, 2, NULL},
	{SYS_clock_getres, 2, NULL},
	{SYS_nanosleep, 3, NULL},
	{SYS_clock_nanosleep, 12, NULL},
	{SYS_getrandom, 1, NULL},
	{SYS_getcpu, 3, NULL},
	{SYS_sched_yield, 0, NULL},
	{SYS_sched_getaffinity, 4, NULL},
	{SYS_rt_sigaction, 6, call_sigaction},
	{SYS_rt_sigprocmask, 6, call_sigprocmask},
	{SYS_sigaltstack, 3, call_sigaltstack},
};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

static bool uses_pm(const struct call *call, unsigned addresses)
{
	for (unsigned i = 0; i < ARGUMENTS; i++)
		if (addresses >> i & 1 && walk_is_pm((uintptr_t)call->arguments[i]))
			return true;
	return false;
}

enum walk_call walk_call(ucontext_t *context)
{
	const greg_t *r = context->uc_mcontext.gregs;
	struct call call = {r[REG_RAX],
			    {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]},
			    context};
	size_t i = 0;

	while (i < CALLS && calls[i].number != call.number)
		i++;
	if (i == CALLS || uses_pm(&call, calls[i].addresses))
		return WALK_CALL_END;
	return calls[i].look ? calls[i].look(&call) : WALK_CALL_MAKE;
}
