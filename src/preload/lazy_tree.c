/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_tree.c - a process for each content of a line; see lazy.h, METHOD 2.
 *
 * A child is created without an exit signal to its parent: the recovery does not know about it, and would not expect
 * one. */
#include "preload/lazy_in.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/random.h"

enum { LEVELS_MAX = 200 /* depth of waiting processes */ };

bool lazy_is_threaded(void)
{
	struct stat st;

	/* As the C library knows it: true until a second thread is created. */
	if (__libc_single_threaded)
		return false;
	return CALL(SYS_newfstatat, -100, "/proc/self/task", &st, 0) < 0 || st.st_nlink != 3;
}

static pid_t child_new(void)
{
	int before = (int)lazy.tree->active;
	long pid = call_copy(0);

	if (pid)
		return (pid_t)pid;
	/* If the root of the tree is killed, all its processes die. */
	CALL(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	lazy.tree->active = (pid_t)CALL(SYS_getpid);
	lazy.setup.adopt(before, (int)lazy.tree->active);
	lazy.level++;
	lazy_timer_start();
	return 0;
}

static int child_wait(pid_t pid)
{
	int status = 0;

	while (CALL(SYS_wait4, pid, &status, __WALL, 0) == -4 /* EINTR */)
		;
	return status;
}

double lazy_completions(uint32_t line, const uint8_t *flags)
{
	double count;
	uint8_t before = lazy.lines[line];

	lazy.lines[line] = LINE_DECIDED;
	count = choices_count(lazy.choices, choices_decide(lazy.choices, line, flags, lazy.bounds), lazy.lines);
	lazy.lines[line] = before;
	return count;
}

bool lazy_child_may(void)
{
	return lazy.level < LEVELS_MAX;
}

bool lazy_splits(void)
{
	return lazy.block->split && lazy.forks >= lazy.block->split;
}

uint32_t lazy_postponed_flags(uint32_t line)
{
	bool lossy = lazy.lossy || lazy_leaves_out(lazy.alternative, choices_lines(lazy.choices)[line].count);

	return LAZY_POSTPONED | (lossy ? LAZY_LOSSY : 0);
}

bool lazy_child_try(uint32_t line)
{
	uint64_t marks[LAZY_MARKS], spent = lazy.tree->spent_ns;
	pid_t pid;

	lazy.setup.mark(marks);
	pid = child_new();
	if (pid == 0)
		return true;
	if (pid > 0)
		lazy_report_leaf(pid, child_wait(pid));
	if (pid < 0 || lazy.tree->lost) {
		lazy.tree->left_out += lazy_completions(line, lazy.alternative);
		lazy.tree->lost = false;
	}
	lazy.setup.reset(marks);
	lazy_log_restore();
	lazy.tree->active = (pid_t)CALL(SYS_getpid);
	lazy.tree->depth = lazy.depth;
	lazy.tree->spent_ns = spent;
	lazy_agree(true, true);
	return false;
}

void lazy_child_leave(void)
{
	lazy.tree->active = 0;
	for (;;)
		CALL(SYS_exit_group, 0);
}

bool lazy_goes_downwards(void)
{
	return lazy.lossy;
}

uint32_t lazy_random_below(uint32_t line, uint32_t limit)
{
	return (uint32_t)(random_mix(random_seed(lazy.block->seed, line + UINT64_C(1))) % (limit ? limit : 1));
}

void lazy_over(pid_t pid, int status)
{
	if (pid > 0)
		lazy_report_leaf(pid, status);
	if (lazy.tree->lost)
		lazy.tree->left_out += choices_count(lazy.choices, lazy.bounds, NULL);
	lazy_report_send(LAZY_END, 0);
	CALL(SYS_munmap, lazy.masks, lazy.private_bytes);
	CALL(SYS_munmap, lazy.tree, lazy.tree->bytes);
	lazy = (struct lazy){0};
}
