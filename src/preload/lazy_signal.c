/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_signal.c - traps on undecided pages, and the recovery's own handlers for the same signals; see lazy.h, METHOD 1.
 *
 *     SIGSEGV   an access to a closed page: decide, open the page, step; or a fault of the program, which gets it
 *     SIGTRAP   the step is done: close the page
 *     SIGSYS    a system call with PM as an argument
 *
 * A recovery never has these signals blocked, because the kernel would then kill it.  The actions that it sets with
 * sigaction(2) are kept here, and used when the signal is not for us. */
#include "preload/lazy_in.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "preload/dispatch.h"
#include "preload/insn.h"
#include "preload/move.h"

#define TRAP_FLAG 0x100
#define DIRECTION_FLAG 0x400
enum { FAULT_WRITE = 2, FAULT_FETCH = 16 };

static const int ours[] = {SIGSEGV, SIGTRAP, SIGSYS};
enum { OURS = sizeof(ours) / sizeof(*ours) };
static struct sigaction theirs[OURS];

/* The instruction that is being stepped, and the pages that are open for it. */
static struct {
	bool on;
	uint64_t mask; /* signal mask to restore */
	struct insn insn;
	uintptr_t code;
	uintptr_t pages[LAZY_OPEN_MAX];
	size_t count;
} step;

static int ours_index(int sig)
{
	for (int i = 0; i < OURS; i++) {
		if (ours[i] == sig)
			return i;
	}
	return -1;
}

static uint64_t ours_mask(void)
{
	return (uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGTRAP - 1) | (uint64_t)1 << (SIGSYS - 1);
}

static uint64_t mask_of(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return mask;
}

/* The signal set in a signal frame has only these bytes. */
static void mask_set(sigset_t *set, uint64_t mask)
{
	memcpy(set, &mask, sizeof(mask));
}

void lazy_unblock(sigset_t *set)
{
	mask_set(set, mask_of(set) & ~ours_mask());
}

/* Faults that are none of ours */

static void kernel_default(int sig)
{
	struct kernel_action action = {.handler = NULL}; /* SIG_DFL */

	CALL(SYS_rt_sigaction, sig, &action, 0, 8);
}

/* A fault happens again when we return, and ends the program.  A signal that was sent must be sent again. */
static void default_do(int sig, const siginfo_t *info)
{
	kernel_default(sig);
	if (info->si_code <= 0 || sig == SIGTRAP || sig == SIGSYS)
		CALL(SYS_tgkill, CALL(SYS_getpid), CALL(SYS_gettid), sig);
}

/* Act as if the kernel had called the program's handler. */
static void theirs_do(int sig, siginfo_t *info, void *context)
{
	struct sigaction *action = &theirs[ours_index(sig)];
	void (*handler)(int, siginfo_t *, void *) = action->sa_sigaction;
	ucontext_t *uc = context;
	uint64_t mask = mask_of(&uc->uc_sigmask) | mask_of(&action->sa_mask);

	if (action->sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
		default_do(sig, info);
		return;
	}
	if (action->sa_flags & SA_RESETHAND)
		action->sa_handler = SIG_DFL;
	mask &= ~ours_mask();
	CALL(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
	handler(sig, info, context);
	lazy_unblock(&uc->uc_sigmask);
}

/* Steps */

static void step_end(ucontext_t *uc)
{
	if (!step.on)
		return;
	for (size_t i = 0; i < step.count; i++) {
		struct lazy_range *range = lazy_range_at(step.pages[i]);

		if (range)
			lazy_page_settle(range, step.pages[i]);
	}
	uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	mask_set(&uc->uc_sigmask, step.mask);
	step.on = false;
	step.count = 0;
}

static void step_begin(ucontext_t *uc, struct insn insn)
{
	if (!step.on) {
		step.mask = mask_of(&uc->uc_sigmask);
		/* Do not block signals that the instruction itself may cause: the kernel would not hold them back. */
		mask_set(&uc->uc_sigmask, ~(ours_mask() | (uint64_t)1 << (SIGBUS - 1) | (uint64_t)1 << (SIGFPE - 1) |
					    (uint64_t)1 << (SIGILL - 1)));
		step.on = true;
	}
	step.insn = insn;
	step.code = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static bool step_has(uintptr_t page)
{
	for (size_t i = 0; step.on && i < step.count; i++) {
		if (step.pages[i] == page)
			return true;
	}
	return false;
}

/* Decide [at, end), as far as it is in the page of `at`, and open the page.  If something in the page is still
 * undecided, it is open for one instruction only. */
static bool reach(const struct lazy_range *range, uintptr_t at, uintptr_t end, enum lazy_access access)
{
	uintptr_t page = at & -LAZY_PAGE;

	lazy_decide(range, at, end < page + LAZY_PAGE ? end : page + LAZY_PAGE, access);
	if (range->prot != (PROT_READ | PROT_WRITE))
		lazy_page_protect(page, range->prot);
	if (!lazy_page_is_open(range, page))
		return false;
	if (!step_has(page)) {
		if (step.count == LAZY_OPEN_MAX)
			lazy_refuse("an instruction in recovery uses too many pages of PM");
		step.pages[step.count++] = page;
	}
	return true;
}

/* Handle one operand of a string instruction.  Everything that it will reach in this page is decided now. */
static bool reach_string(const ucontext_t *uc, struct insn insn, uintptr_t at, enum lazy_access access)
{
	struct lazy_range *range = lazy_range_at(at);
	uint64_t count = insn.repeats ? (uint64_t)uc->uc_mcontext.gregs[REG_RCX] : 1;
	uintptr_t page = at & -LAZY_PAGE, bytes, first = at, end = at + insn.size;

	if (!range || (!lazy_page_is_open(range, at) && !step_has(page)))
		return false;
	count = count > LAZY_PAGE ? LAZY_PAGE : count;
	bytes = count ? count * insn.size : insn.size;
	if (uc->uc_mcontext.gregs[REG_EFL] & DIRECTION_FLAG)
		first = end - page < bytes ? page : end - bytes;
	else
		end = at + bytes;
	first = first < page ? page : first;
	/* The element begins in the previous page, or continues in the next. */
	if (access == ACCESS_STORE && (at % LAZY_PAGE < insn.size || at % LAZY_PAGE + insn.size > LAZY_PAGE))
		access = ACCESS_ANY;
	return reach(range, first, end, access);
}

/* A fault at the start of a page may belong to an operand that begins in the previous page. */
static enum lazy_access insn_access(struct insn insn, uintptr_t at)
{
	uintptr_t within = at % LAZY_PAGE;

	if (insn.loads)
		return ACCESS_LOAD;
	return insn.stores && within && within + insn.size <= LAZY_PAGE ? ACCESS_STORE : ACCESS_ANY;
}

/* Give the instruction all that it can reach from a byte of a closed page.  False: no step is needed. */
static bool reach_all(const ucontext_t *uc, struct insn insn, const struct lazy_range *range, uintptr_t at)
{
	enum lazy_access target = insn.compares ? ACCESS_LOAD : ACCESS_STORE;
	bool open = false;

	switch (insn.kind) {
	case INSN_PLAIN: return reach(range, at, at + insn.size, insn_access(insn, at));
	case INSN_STRING:
		if (insn.source)
			open = reach_string(uc, insn, (uintptr_t)uc->uc_mcontext.gregs[REG_RSI], ACCESS_LOAD);
		if (insn.target)
			open = reach_string(uc, insn, (uintptr_t)uc->uc_mcontext.gregs[REG_RDI], target) || open;
		/* The fault may be in the second page of an element. */
		return (lazy_page_is_open(range, at) && !step_has(at & -LAZY_PAGE) &&
			reach(range, at, at + insn.size, ACCESS_ANY)) ||
		       open;
	case INSN_FLUSH:
	case INSN_WIDE: break;
	}
	at &= -LAZY_PAGE;
	return reach(range, at, at + LAZY_PAGE, ACCESS_ANY);
}

/* Execute the instruction ourselves.  A fault at the start of a page may belong to an operand that begins in the
 * previous page; but the root objects of pools are at page starts, too. */
static bool move_try(ucontext_t *uc, const struct lazy_range *range, uintptr_t at)
{
	struct move move;
	uintptr_t within = at % LAZY_PAGE;

	if (step.on || !move_look((const uint8_t *)uc->uc_mcontext.gregs[REG_RIP], &move) ||
	    (!within && move_address(&move, uc) != at) || within + move.size > LAZY_PAGE ||
	    (move_stores(&move) && !(range->prot & PROT_WRITE)))
		return false;
	lazy_decide(range, at, at + move.size,
		    move.kind == MOVE_STORE ? ACCESS_STORE
		    : move_stores(&move)    ? ACCESS_ANY
					    : ACCESS_LOAD);
	if (lazy_page_is_open(range, at))
		move_do(&move, uc, (void *)at);
	lazy_page_settle(range, at);
	return true;
}

static bool access_is_allowed(const ucontext_t *uc, int prot)
{
	greg_t error = uc->uc_mcontext.gregs[REG_ERR];

	if (error & FAULT_FETCH)
		return prot & PROT_EXEC;
	return prot & (error & FAULT_WRITE ? PROT_WRITE : PROT_READ | PROT_WRITE);
}

static void on_segv(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uintptr_t at = (uintptr_t)info->si_addr;
	struct lazy_range *range = info->si_code > 0 && info->si_code != SI_KERNEL ? lazy_range_at(at) : NULL;
	int saved = errno;

	if (!range || !access_is_allowed(uc, range->prot) || step_has(at & -LAZY_PAGE) ||
	    !lazy_page_is_open(range, at)) {
		step_end(uc);
		errno = saved;
		theirs_do(sig, info, context);
		return;
	}
	lazy.tree->traps++;
	struct insn insn = insn_look((const uint8_t *)uc->uc_mcontext.gregs[REG_RIP]);
	if (insn.kind == INSN_FLUSH)
		uc->uc_mcontext.gregs[REG_RIP] += insn.length;
	else if ((insn.kind != INSN_PLAIN || !move_try(uc, range, at)) && reach_all(uc, insn, range, at))
		step_begin(uc, insn);
	errno = saved;
}

/* A string instruction that is not finished: keep its pages open as long as it stays in them. */
static bool step_goes_on(ucontext_t *uc)
{
	greg_t *r = uc->uc_mcontext.gregs;

	if ((uintptr_t)r[REG_RIP] != step.code || step.insn.kind != INSN_STRING)
		return false;
	if ((step.insn.source && lazy_range_at((uintptr_t)r[REG_RSI]) &&
	     !step_has((uintptr_t)r[REG_RSI] & -LAZY_PAGE)) ||
	    (step.insn.target && lazy_range_at((uintptr_t)r[REG_RDI]) && !step_has((uintptr_t)r[REG_RDI] & -LAZY_PAGE)))
		return false;
	if (step.insn.source)
		reach_string(uc, step.insn, (uintptr_t)r[REG_RSI], ACCESS_LOAD);
	if (step.insn.target)
		reach_string(uc, step.insn, (uintptr_t)r[REG_RDI], step.insn.compares ? ACCESS_LOAD : ACCESS_STORE);
	return true;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	/* Usually TRAP_TRACE.  But virtual machines sometimes lose the reason of a debug exception, and then the kernel
	 * reports TRAP_BRKPT. */
	if (!step.on || info->si_code <= 0) {
		theirs_do(sig, info, context);
		return;
	}
	if (!step_goes_on(context))
		step_end(context);
	errno = saved;
}

static void on_sys(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	if (info->si_code == 1 /* SYS_SECCOMP */ && lazy.armed)
		lazy_call(context);
	else
		theirs_do(sig, info, context);
	errno = saved;
}

/* What the recovery asks for */

static void ours_install(int index)
{
	static void (*const handlers[])(int, siginfo_t *, void *) = {on_segv, on_trap, on_sys};
	struct sigaction action = {.sa_sigaction = handlers[index]}, old;

	action.sa_flags = SA_SIGINFO | SA_RESTART | (theirs[index].sa_flags & SA_ONSTACK);
	sigfillset(&action.sa_mask);
	/* The recovery's own handlers must wait while we make a system call with PM for it. */
	lazy.setup.sigaction(ours[index], &action, &old);
}

bool lazy_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	int index = ours_index(sig);
	struct sigaction before;

	if (!lazy.armed || index < 0)
		return false;
	before = theirs[index];
	if (act) {
		theirs[index] = *act;
		if ((before.sa_flags ^ act->sa_flags) & SA_ONSTACK)
			ours_install(index);
	}
	if (old)
		*old = before;
	return true;
}

void lazy_signals_arm(void)
{
	uint64_t mask = ours_mask();

	for (int i = 0; i < OURS; i++) {
		lazy.setup.sigaction(ours[i], NULL, &theirs[i]);
		ours_install(i);
	}
	CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, 8);
}
