/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeat.c - see repeat.h. */
#include "preload/repeat.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "preload/call.h"
#include "preload/repeat_in.h"

enum {
	RUNS_MAX = 1000, /* of one process */
	RUNS_FEW = 4,    /* a child that has run fewer states was not worth what it cost to prepare: */
	PAUSE_MAX = 256, /* then the next ones, twice as many each time, are ordinary */
};

/* What the server and its child share. */
static struct block {
	uint64_t start; /* of the last state */
	_Atomic uint32_t replied;
	uint32_t runs;
	bool leaves;
	struct stub_request request;
} * block;
static unsigned pause_left, pause_last;

struct repeat *repeat;

/* setjmp and longjmp, without the C library: point_set returns 0, and 1 when point_go is called. */
int repeat_point_set(struct repeat_point *point) __attribute__((returns_twice, visibility("hidden")));
void repeat_point_go(const struct repeat_point *point) __attribute__((noreturn, visibility("hidden")));
void repeat_stack_switch(void *top, void (*run)(int code), int code) __attribute__((noreturn, visibility("hidden")));

__asm__(".text\n"
	".globl repeat_point_set\n"
	".hidden repeat_point_set\n"
	".type repeat_point_set, @function\n"
	"repeat_point_set:\n"
	"	mov %rbx, 0(%rdi)\n"
	"	mov %rbp, 8(%rdi)\n"
	"	mov %r12, 16(%rdi)\n"
	"	mov %r13, 24(%rdi)\n"
	"	mov %r14, 32(%rdi)\n"
	"	mov %r15, 40(%rdi)\n"
	"	lea 8(%rsp), %rax\n"
	"	mov %rax, 48(%rdi)\n"
	"	mov (%rsp), %rax\n"
	"	mov %rax, 56(%rdi)\n"
	"	stmxcsr 64(%rdi)\n"
	"	fnstcw 68(%rdi)\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	".size repeat_point_set, .-repeat_point_set\n"
	".globl repeat_point_go\n"
	".hidden repeat_point_go\n"
	".type repeat_point_go, @function\n"
	"repeat_point_go:\n"
	"	mov 0(%rdi), %rbx\n"
	"	mov 8(%rdi), %rbp\n"
	"	mov 16(%rdi), %r12\n"
	"	mov 24(%rdi), %r13\n"
	"	mov 32(%rdi), %r14\n"
	"	mov 40(%rdi), %r15\n"
	"	mov 48(%rdi), %rsp\n"
	"	ldmxcsr 64(%rdi)\n"
	"	fninit\n"
	"	fldcw 68(%rdi)\n"
	"	mov $1, %eax\n"
	"	jmp *56(%rdi)\n"
	".size repeat_point_go, .-repeat_point_go\n"
	".globl repeat_stack_switch\n"
	".hidden repeat_stack_switch\n"
	".type repeat_stack_switch, @function\n"
	"repeat_stack_switch:\n"
	"	mov %rdi, %rsp\n"
	"	mov %edx, %edi\n"
	"	call *%rsi\n"
	"	ud2\n"
	".size repeat_stack_switch, .-repeat_stack_switch\n");

_Static_assert(offsetof(struct repeat_point, rip) == 56 && offsetof(struct repeat_point, x87) == 68, "as in assembly");

/* The clock of the C library might make a system call, which would trap. */
static uint64_t now_ns(void)
{
	struct timespec t;

	CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* In the server */

static bool is_limited(int resource)
{
	struct rlimit limit;

	return CALL(SYS_prlimit64, 0, resource, NULL, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* A process that runs many states would use up the time of all of them, and our own memory counts, too. */
static bool use_is_limited(void)
{
	return is_limited(RLIMIT_CPU) || is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA);
}

static struct block *block_make(void)
{
	long memory = use_is_limited()
			      ? -1
			      : CALL(SYS_mmap, NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if ((unsigned long)memory > -(unsigned long)PAGE)
		return NULL;
	/* The child reads our memory.  Where only a debugger may do so, it has to be allowed. */
	CALL(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	return (struct block *)memory;
}

bool repeat_prepare(void)
{
	if (pause_left) {
		pause_left--;
		return false;
	}
	if (!block && !(block = block_make())) {
		pause_left = PAUSE_MAX;
		return false;
	}
	*block = (struct block){0};
	return true;
}

void repeat_over(struct repeat_last *last)
{
	*last = (struct repeat_last){block->start, atomic_load(&block->replied), block->leaves, block->request};
	pause_last = block->runs >= RUNS_FEW ? 0 : pause_last ? low(2 * pause_last, PAUSE_MAX) : 1;
	pause_left = pause_last;
}

/* In the child */

/* From now on it is an ordinary child, and ends when recovery ends. */
static void give_up(void)
{
	dispatch_end(&repeat->before);
}

static void exit_now(void) __attribute__((noreturn));
static void exit_now(void)
{
	for (;;)
		CALL(SYS_exit_group, 0);
}

static void reply_send(int code)
{
	struct rusage used = {0};

	CALL(SYS_getrusage, RUSAGE_SELF, &used);
	const struct stub_reply reply = {.op = STUB_ENDED,
					 .flags = block->runs ? STUB_AGAIN : 0,
					 .status = (code & 0xff) << 8,
					 .nanoseconds = now_ns() - block->start,
					 .memory = (uint64_t)used.ru_maxrss * 1024};

	atomic_store(&block->replied, 1);
	atomic_store(&stub_page->running, 0);
	if (CALL(SYS_write, repeat->reply, &reply, sizeof(reply)) != (long)sizeof(reply))
		exit_now();
}

/* What this process cannot serve is left to the server. */
static void request_leave(const struct stub_request *request) __attribute__((noreturn));
static void request_leave(const struct stub_request *request)
{
	block->request = *request;
	block->leaves = true;
	atomic_store(&block->replied, 1);
	exit_now();
}

static void request_await(void)
{
	struct stub_request request;
	long n;

	while ((n = CALL(SYS_read, repeat->request, &request, sizeof(request))) == -EINTR)
		;
	if (n != (long)sizeof(request))
		exit_now();
	block->start = now_ns();
	if (request.op != STUB_RUN)
		request_leave(&request);
	/* From now on the server replies, if this process is killed. */
	atomic_store(&block->replied, 0);
}

/* Recovery has exited.  On a stack of our own, because that of the program is restored. */
static void run_end(int code) __attribute__((noreturn));
static void run_end(int code)
{
	reply_send(code);
	if (!repeat_calls_undo() || !repeat_memory_return())
		exit_now();
	request_await();
	block->runs++;
	server_restore();
	if (!repeat_memory_show())
		request_leave(&(struct stub_request){.op = STUB_RUN});
	atomic_store(&stub_page->running, repeat->self);
	repeat_point_go(&repeat->point);
}

static void on_sys(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;

	(void)sig;
	if (!dispatch_is_call(info)) {
		give_up();
		dispatch_pass_on(SIGSYS);
		return;
	}
	dispatch_selector = 0;
	bool native = dispatch_is_native(info);
	if (native && r[REG_RAX] == SYS_exit_group && block->runs < RUNS_MAX && !atomic_load(&stub_page->refused))
		repeat_stack_switch(repeat->stack_room + sizeof(repeat->stack_room), run_end, (int)r[REG_RDI]);
	if (native && repeat_call(uc)) {
		dispatch_selector = 1;
		return;
	}
	give_up();
	dispatch_leave(r);
}

/* Memory with a gap on both sides, so that it is an area of its own. */
static bool memory_make(void)
{
	size_t bytes = page_round(sizeof(*repeat));
	long at = heap_may_reserve(bytes) ? CALL(SYS_mmap, NULL, bytes + 2 * PAGE, PROT_NONE,
						 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
					  : -1;

	if ((unsigned long)at > -(unsigned long)PAGE)
		return false;
	repeat = (struct repeat *)(at + (long)PAGE);
	return CALL(SYS_mprotect, repeat, bytes, PROT_READ | PROT_WRITE) == 0;
}

void repeat_adopt(int request, int reply, uint64_t start)
{
	block->start = start;
	if (!memory_make()) {
		repeat = NULL;
		return;
	}
	repeat->request = call_fd_away(request);
	repeat->reply = call_fd_away(reply);
	repeat->self = (pid_t)CALL(SYS_getpid);
	repeat->server = (pid_t)CALL(SYS_getppid);
	repeat->brk = (uintptr_t)CALL(SYS_brk, 0);
	/* Nobody else may put our pages together: see repeat_memory.c, 3. */
	CALL(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

void repeat_begin(void)
{
	if (!repeat || repeat->request < 0 || repeat->reply < 0 || !dispatch_begin(on_sys, &repeat->before))
		return;
	dispatch_selector = 1;
	if (repeat_point_set(&repeat->point))
		return;
	if (!repeat_calls_begin() || !repeat_memory_begin())
		give_up();
}
