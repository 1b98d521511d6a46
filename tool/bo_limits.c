/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_limits.c - show the target the RLIMIT_NOFILE it expects.
 *
 * Valgrind keeps the top descriptors for itself, shows the target a limit lowered by that number, and refuses every
 * RLIMIT_NOFILE whose hard limit differs from its own.  Servers set exactly such limits.  So `fds` holds the limits the
 * target believes it has, the target is shown these, and Valgrind enforces them as far as it has room. */
#include "bo.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_vkiscnums.h"

#define RESERVED_FDS 12 /* as in coregrind */

static struct vki_rlimit fds;
static struct vki_rlimit old_fds[BO_THREADS_MAX]; /* by thread: the old limits that a prlimit in progress must report */

/* CAP_SYS_RESOURCE, bit 24 in capget(2): only a process that has it may raise a hard limit. */
static Bool may_raise_limits(void)
{
	struct {
		UInt version;
		Int pid;
	} header = {0x20080522, 0};
	struct {
		UInt effective, permitted, inheritable;
	} data[2] = {{0}};

	return !sr_isError(bo_syscall(__NR_capget, &header, data, 0, 0, 0, 0)) && data[0].effective & 1u << 24;
}

/* Raise the kernel's soft limit to `wanted`, or as close as possible; return the result. */
static ULong raise_kernel_limit(ULong wanted)
{
	struct vki_rlimit now, more;

	bo_syscall(__NR_getrlimit, VKI_RLIMIT_NOFILE, &now, 0, 0, 0, 0);
	if (now.rlim_cur >= wanted)
		return now.rlim_cur;
	more.rlim_cur = wanted;
	more.rlim_max = now.rlim_max < wanted ? wanted : now.rlim_max;
	if (!sr_isError(bo_syscall(__NR_setrlimit, VKI_RLIMIT_NOFILE, &more, 0, 0, 0, 0)))
		return wanted;
	more.rlim_cur = more.rlim_max = now.rlim_max;
	if (!sr_isError(bo_syscall(__NR_setrlimit, VKI_RLIMIT_NOFILE, &more, 0, 0, 0, 0)))
		return now.rlim_max;
	return now.rlim_cur;
}

static void enforce_fd_limits(void)
{
	ULong room = raise_kernel_limit(fds.rlim_max + RESERVED_FDS) - RESERVED_FDS;

	VG_(fd_hard_limit) = (Int)(fds.rlim_max < room ? fds.rlim_max : room);
	VG_(fd_soft_limit) = fds.rlim_cur < (ULong)VG_(fd_hard_limit) ? (Int)fds.rlim_cur : VG_(fd_hard_limit);
}

void bo_limits_init(ULong soft, ULong hard)
{
	fds.rlim_cur = soft;
	fds.rlim_max = hard;
	enforce_fd_limits();
}

static Bool fd_limit_is_permitted(const struct vki_rlimit *rl)
{
	if (rl->rlim_max <= fds.rlim_max)
		return True;
	return rl->rlim_max < 0x7fffffff && may_raise_limits() && raise_kernel_limit(rl->rlim_max) >= rl->rlim_max;
}

/* Valgrind compares a new limit with its own hard limit.  So first set that to the value the target asks for. */
static void before_setting_fd_limit(ThreadId tid, UWord pointer)
{
	const struct vki_rlimit *rl = (const struct vki_rlimit *)pointer;

	old_fds[tid] = fds;
	if (!VG_(am_is_valid_for_client)(pointer, sizeof(*rl), VKI_PROT_READ) || rl->rlim_cur > rl->rlim_max)
		return;
	VG_(fd_hard_limit) = fd_limit_is_permitted(rl) ? (Int)rl->rlim_max : 0;
}

static void after_setting_fd_limit(UWord pointer, Bool failed)
{
	if (!failed)
		fds = *(const struct vki_rlimit *)pointer;
	enforce_fd_limits();
}

static Bool is_own_fd_limit(const UWord *args)
{
	return (args[0] == 0 || (Int)args[0] == VG_(getpid)()) && args[1] == VKI_RLIMIT_NOFILE;
}

void bo_limits_before(ThreadId tid, UInt number, const UWord *args)
{
	if (number == __NR_setrlimit && args[0] == VKI_RLIMIT_NOFILE)
		before_setting_fd_limit(tid, args[1]);
	else if (number == __NR_prlimit64 && is_own_fd_limit(args) && args[2])
		before_setting_fd_limit(tid, args[2]);
}

void bo_limits_after(ThreadId tid, UInt number, const UWord *args, Bool failed)
{
	if (number == __NR_setrlimit && args[0] == VKI_RLIMIT_NOFILE)
		after_setting_fd_limit(args[1], failed);
	if (number == __NR_getrlimit && args[0] == VKI_RLIMIT_NOFILE && !failed)
		*(struct vki_rlimit *)args[1] = fds;
	if (number == __NR_prlimit64 && is_own_fd_limit(args)) {
		if (args[3] && !failed)
			*(struct vki_rlimit *)args[3] = args[2] ? old_fds[tid] : fds;
		if (args[2])
			after_setting_fd_limit(args[2], failed);
	}
}
