/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_call.c - system calls that use PM; see lazy.h, METHOD 3.
 *
 * The filter traps each call that has an argument inside a mapping, and all calls that take lists of buffers.  It
 * passes calls about the mapping itself (mmap, mprotect...) and our own calls. */
#include "preload/lazy_in.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* The memory that a call uses. */
enum reach_kind {
	REACH_SIZED,   /* a buffer in argument `at`, whose size is in argument `size` */
	REACH_FIXED,   /* a buffer of `size` bytes */
	REACH_TEXT,    /* a string up to its zero byte */
	REACH_PARTS,   /* an array of struct iovec in `at`, their number in `size` */
	REACH_MESSAGE, /* a struct msghdr in `at` */
};

static const struct {
	int number;
	uint8_t kind, at, size;
} calls[] = {
	{SYS_read, REACH_SIZED, 1, 2},
	{SYS_write, REACH_SIZED, 1, 2},
	{SYS_pread64, REACH_SIZED, 1, 2},
	{SYS_pwrite64, REACH_SIZED, 1, 2},
	{SYS_sendto, REACH_SIZED, 1, 2},
	{SYS_recvfrom, REACH_SIZED, 1, 2},
	{SYS_getrandom, REACH_SIZED, 0, 1},
	{SYS_getcwd, REACH_SIZED, 0, 1},
	{SYS_readlink, REACH_SIZED, 1, 2},
	{SYS_futex, REACH_FIXED, 0, 4},
	{SYS_clock_gettime, REACH_FIXED, 1, 16},
	{SYS_gettimeofday, REACH_FIXED, 0, 16},
	{SYS_time, REACH_FIXED, 0, 8},
	{SYS_fstat, REACH_FIXED, 1, 144},
	{SYS_open, REACH_TEXT, 0, 0},
	{SYS_stat, REACH_TEXT, 0, 0},
	{SYS_lstat, REACH_TEXT, 0, 0},
	{SYS_access, REACH_TEXT, 0, 0},
	{SYS_unlink, REACH_TEXT, 0, 0},
	{SYS_mkdir, REACH_TEXT, 0, 0},
	{SYS_chdir, REACH_TEXT, 0, 0},
	{SYS_openat, REACH_TEXT, 1, 0},
	{SYS_newfstatat, REACH_TEXT, 1, 0},
	{SYS_faccessat, REACH_TEXT, 1, 0},
	{SYS_unlinkat, REACH_TEXT, 1, 0},
	{SYS_readv, REACH_PARTS, 1, 2},
	{SYS_writev, REACH_PARTS, 1, 2},
	{SYS_preadv, REACH_PARTS, 1, 2},
	{SYS_pwritev, REACH_PARTS, 1, 2},
	{SYS_preadv2, REACH_PARTS, 1, 2},
	{SYS_pwritev2, REACH_PARTS, 1, 2},
	{SYS_sendmsg, REACH_MESSAGE, 1, 0},
	{SYS_recvmsg, REACH_MESSAGE, 1, 0},
};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

/* Calls about the mapping or the process.  The program has to make them itself; a handler cannot make them for it. */
/* clang-format off */
static const int harmless[] = {
	SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_msync, SYS_mincore, SYS_mlock, SYS_mlock2, SYS_munlock, SYS_brk,
	SYS_lseek, SYS_close, SYS_ftruncate, SYS_fsync, SYS_fdatasync, SYS_fallocate, SYS_fadvise64,
	SYS_exit, SYS_exit_group, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_sched_yield, SYS_dup, SYS_dup2, SYS_dup3,
	SYS_kill, SYS_tkill, SYS_tgkill, SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve, SYS_arch_prctl, SYS_rseq,
	SYS_set_robust_list, SYS_set_tid_address, SYS_rt_sigreturn, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigsuspend, SYS_sigaltstack,
};
/* clang-format on */
enum { HARMLESS = sizeof(harmless) / sizeof(*harmless) };

/* Calls with lists of buffers are always examined. */
static const int lists[] = {SYS_readv,    SYS_writev,   SYS_preadv,           SYS_pwritev,
			    SYS_preadv2,  SYS_pwritev2, SYS_sendmsg,          SYS_recvmsg,
			    SYS_sendmmsg, SYS_recvmmsg, SYS_process_vm_readv, SYS_process_vm_writev,
			    SYS_vmsplice, SYS_io_submit};
enum { LISTS = sizeof(lists) / sizeof(*lists) };

/* The usual calls in which only the second argument is an address.  For other calls each argument register is examined,
 * even an unused one, which may hold anything.  That only costs a trap. */
static const int seconds[] = {SYS_read,   SYS_write,         SYS_pread64,   SYS_pwrite64, SYS_fstat,
			      SYS_openat, SYS_clock_gettime, SYS_faccessat, SYS_unlinkat};
enum { SECONDS = sizeof(seconds) / sizeof(*seconds) };

/* The filter */

enum { ARGUMENTS = 6, PER_ARGUMENT = 5, FILTER_LENGTH = 7 + HARMLESS + LISTS + SECONDS + ARGUMENTS * PER_ARGUMENT + 2 };

struct program {
	struct sock_filter at[FILTER_LENGTH];
	unsigned count;
};

static void emit(struct program *p, uint16_t code, uint32_t k, unsigned yes, unsigned no)
{
	p->at[p->count++] = (struct sock_filter){code, (uint8_t)yes, (uint8_t)no, k};
}

static void emit_load(struct program *p, size_t offset)
{
	emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The last instructions are: check the second argument, allow, trap. */
enum { AT_SECOND = FILTER_LENGTH - 2 - PER_ARGUMENT, AT_ALLOW = FILTER_LENGTH - 2, AT_TRAP };

static void emit_jump(struct program *p, int value, unsigned target)
{
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)value, target - (p->count + 1), 0);
}

static void emit_argument(struct program *p, unsigned argument, uintptr_t at, uint32_t last)
{
	size_t offset = offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);

	emit_load(p, offset + 4);
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(at >> 32), 0, 3);
	emit_load(p, offset);
	emit(p, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)at, 0, 1);
	emit(p, BPF_JMP | BPF_JGT | BPF_K, last, 0, AT_TRAP - (p->count + 1));
}

static void emit_all(struct program *p, const int *numbers, unsigned count, unsigned target)
{
	for (unsigned i = 0; i < count; i++)
		emit_jump(p, numbers[i], target);
}

/* All of [at, end) must have the same upper half of the address. */
static void filter_install(uintptr_t at, uintptr_t end)
{
	static const uint8_t order[ARGUMENTS] = {0, 2, 3, 4, 5, 1};
	struct program p = {.count = 0};
	uint64_t exempt = (uintptr_t)lazy_syscall_end;

	emit_load(&p, offsetof(struct seccomp_data, arch));
	emit(&p, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, AT_ALLOW - (p.count + 1));
	emit_load(&p, offsetof(struct seccomp_data, instruction_pointer) + 4);
	emit(&p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(exempt >> 32), 0, 2);
	emit_load(&p, offsetof(struct seccomp_data, instruction_pointer));
	emit_jump(&p, (int)(uint32_t)exempt, AT_ALLOW);
	emit_load(&p, offsetof(struct seccomp_data, nr));
	emit_all(&p, harmless, HARMLESS, AT_ALLOW);
	emit_all(&p, lists, LISTS, AT_TRAP);
	emit_all(&p, seconds, SECONDS, AT_SECOND);
	for (unsigned i = 0; i < ARGUMENTS; i++)
		emit_argument(&p, order[i], at, (uint32_t)(end - 1));
	emit(&p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	emit(&p, BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	struct sock_fprog program = {(unsigned short)p.count, p.at};
	CALL(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1);
	if (CALL(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		lazy_refuse("the kernel cannot filter system calls");
}

static struct {
	uintptr_t at, end;
} filtered[LAZY_RANGES_MAX];
static size_t filtered_count;

void lazy_filter(uintptr_t at, uintptr_t end)
{
	for (size_t i = 0; i < filtered_count; i++) {
		if (filtered[i].at <= at && end <= filtered[i].end)
			return;
	}
	if (filtered_count == LAZY_RANGES_MAX)
		lazy_refuse("recovery has too many mappings of PM files");
	filtered[filtered_count].at = at;
	filtered[filtered_count++].end = end;
	while (at < end) {
		uintptr_t stop = (at | 0xffffffff) + 1;

		stop = stop < end ? stop : end;
		filter_install(at, stop);
		at = stop;
	}
}

/* The calls */

enum { OPENED_MAX = 256 };
static uintptr_t opened[OPENED_MAX]; /* pages that stay open until the call is made */
static size_t opened_count;          /* may exceed OPENED_MAX */

static void page_open(uintptr_t at, uintptr_t end)
{
	struct lazy_range *range = lazy_range_at(at);

	if (!range || !lazy_page_is_open(range, at))
		return;
	lazy_decide(range, at, end, ACCESS_ANY);
	lazy_page_protect(at & -LAZY_PAGE, range->prot);
	if (!lazy_page_is_open(range, at))
		return;
	if (opened_count < OPENED_MAX)
		opened[opened_count] = at;
	opened_count++;
}

static void pages_close(void)
{
	for (size_t i = 0; i < opened_count && opened_count <= OPENED_MAX; i++)
		lazy_page_settle(lazy_range_at(opened[i]), opened[i]);
	if (opened_count > OPENED_MAX)
		lazy_close_all();
	opened_count = 0;
}

static void buffer_open(uintptr_t at, size_t bytes)
{
	uintptr_t end = at + bytes, stop;

	/* The kernel uses no more than this of a huge buffer. */
	if (bytes > 0x7ffff000)
		end = at + 0x7ffff000;
	for (; at < end; at = stop) {
		stop = (at & -LAZY_PAGE) + LAZY_PAGE;
		stop = stop < end ? stop : end;
		page_open(at, stop);
	}
}

/* Go line by line, because memory after the end of the string is not accessed. */
static void text_open(uintptr_t at)
{
	while (lazy_range_at(at)) {
		size_t bytes = LINE_BYTES - at % LINE_BYTES;

		buffer_open(at, bytes);
		if (memchr((const void *)at, 0, bytes))
			return;
		at += bytes;
	}
}

static void parts_open(const struct iovec *parts, size_t count)
{
	count = count < UIO_MAXIOV ? count : UIO_MAXIOV;
	/* The array itself may be in PM. */
	buffer_open((uintptr_t)parts, count * sizeof(*parts));
	for (size_t i = 0; i < count; i++)
		buffer_open((uintptr_t)parts[i].iov_base, parts[i].iov_len);
}

static void message_open(const struct msghdr *message)
{
	buffer_open((uintptr_t)message, sizeof(*message));
	parts_open(message->msg_iov, message->msg_iovlen);
}

static void call_open(long number, const greg_t *arguments)
{
	size_t i = 0;

	while (i < CALLS && calls[i].number != number)
		i++;
	if (i == CALLS)
		return;
	uintptr_t at = (uintptr_t)arguments[calls[i].at];
	size_t size = (size_t)arguments[calls[i].kind == REACH_FIXED ? 0 : calls[i].size];
	switch ((enum reach_kind)calls[i].kind) {
	case REACH_SIZED: buffer_open(at, size); break;
	case REACH_FIXED: buffer_open(at, calls[i].size); break;
	case REACH_TEXT: text_open(at); break;
	case REACH_PARTS: parts_open((const struct iovec *)at, size); break;
	case REACH_MESSAGE: message_open((const struct msghdr *)at); break;
	}
}

void lazy_call(ucontext_t *context)
{
	greg_t *r = context->uc_mcontext.gregs;
	const greg_t arguments[ARGUMENTS] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
	long number = r[REG_RAX];

	if (!lazy.suspended)
		call_open(number, arguments);
	r[REG_RAX] = lazy_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
				  arguments[5]);
	pages_close();
	/* The call accessed a closed page in a way that we do not know.  We could not tell before the call, because
	 * unused arguments may hold anything. */
	if (r[REG_RAX] == -EFAULT && !lazy.suspended)
		lazy_refuse("recovery uses PM in a system call that is not supported");
}
