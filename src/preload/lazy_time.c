/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_time.c - the time limit for each path from the root of the tree to a leaf; see lazy.h, METHOD 4.
 *
 * Only the running process has a timer.  When it stops to wait for a child, the time that its path has taken is saved
 * in the tree.  It counts for the child, too. */
#include "preload/lazy_in.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"

static int timer;

static void timer_set(uint64_t ns)
{
	struct itimerspec when = {.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};

	if (lazy.block->timeout_ns)
		CALL(SYS_timer_settime, timer, 0, &when, 0);
}

void lazy_time_go(void)
{
	struct lazy_tree *tree = lazy.tree;
	uint64_t limit = lazy.block->timeout_ns;

	tree->began_ns = clock_ns();
	tree->deadline_ns = limit > tree->spent_ns ? tree->began_ns + limit - tree->spent_ns : tree->began_ns;
	timer_set(limit > tree->spent_ns ? limit - tree->spent_ns : 1);
}

void lazy_time_stop(void)
{
	timer_set(0);
	lazy.tree->spent_ns += clock_ns() - lazy.tree->began_ns;
}

void lazy_timer_start(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};

	if (lazy.block->timeout_ns && CALL(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) < 0)
		lazy_refuse("the kernel has no timer for recovery");
	lazy_time_go();
}
