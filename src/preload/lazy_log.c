/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_log.c - the log of decisions on the current path, and the reports about it.
 *
 * The log is in the memory that the processes of the tree share.  It has the lines in the sequence in which something
 * was first decided about them, and a flag for each unit that says whether it is taken.  A process knows how much of
 * the log is its own (lazy.depth), and goes back to that when a child has gone further.  A report contains what is new
 * since the previous one (tree.fresh). */
#include "preload/lazy_in.h"

#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"

bool lazy_leaves_out(const uint8_t *flags, uint32_t count)
{
	return memchr(flags, 0, count) != NULL;
}

void lazy_log_change(uint32_t line, const uint8_t *flags)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];

	if (!memcmp(lazy.taken + l->first, flags, l->count))
		return;
	memcpy(lazy.taken + l->first, flags, l->count);
	if (lazy.places[line] < lazy.tree->fresh)
		lazy.tree->fresh = lazy.places[line];
}

void lazy_log_push(uint32_t line, const uint8_t *flags)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];

	memcpy(lazy.taken + l->first, flags, l->count);
	lazy.log[lazy.depth] = line;
	if (lazy.depth < lazy.tree->fresh)
		lazy.tree->fresh = lazy.depth;
	lazy.tree->depth = lazy.depth + 1;
}

void lazy_log_enter(uint32_t line, const uint8_t *flags)
{
	if (lazy.places[line] != CHOICES_NONE) {
		lazy_log_change(line, flags);
		return;
	}
	lazy_log_push(line, flags);
	lazy.places[line] = lazy.depth++;
}

void lazy_commit(uint32_t line, const uint8_t *flags)
{
	lazy_log_enter(line, flags);
	lazy.lossy = lazy.lossy || lazy_leaves_out(flags, choices_lines(lazy.choices)[line].count);
	lazy.bounds = choices_decide(lazy.choices, line, flags, lazy.bounds);
	lazy.lines[line] = LINE_DECIDED;
}

void lazy_agree(bool all, bool none)
{
	lazy.all = lazy.all && all;
	lazy.none = lazy.none && none;
	lazy.tree->all = lazy.all;
	lazy.tree->none = lazy.none;
}

void lazy_mask_first(uint32_t line, uint64_t mask, uint8_t *flags)
{
	bool more = choices_first(lazy.choices, line, lazy.bounds, CHOICES_ONCE, flags);

	for (; more && !(mask & 1); mask >>= 1)
		more = choices_next(lazy.choices, line, lazy.bounds, CHOICES_ONCE, flags);
}

void lazy_log_restore(void)
{
	for (uint32_t i = 0; i < lazy.depth; i++) {
		uint32_t line = lazy.log[i];

		if (lazy.lines[line] == LINE_PARTLY) {
			lazy_mask_first(line, lazy.masks[line], lazy.scratch);
			lazy_log_change(line, lazy.scratch);
		}
	}
}

/* Reports */

void lazy_report_send(uint32_t flags, int status)
{
	struct lazy_tree *tree = lazy.tree;
	struct lazy_result result = {.status = status,
				     .nanoseconds = tree->spent_ns,
				     .lines = lazy.log,
				     .taken = lazy.taken};

	result.masks = lazy.masks;
	result.report = (struct lazy_report){.flags = flags,
					     .depth = tree->depth,
					     .traps = tree->traps,
					     .left_out = tree->left_out};
	result.report.keep = tree->fresh < tree->depth ? tree->fresh : tree->depth;
	lazy.setup.send(&result);
	tree->fresh = tree->depth;
}

void lazy_report_leaf(pid_t pid, int status)
{
	struct lazy_tree *tree = lazy.tree;
	bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	uint32_t flags = 0;

	if (tree->over || !tree->active)
		return;
	if (tree->active != pid) {
		tree->lost = true;
		return;
	}
	if (atomic_exchange(lazy.setup.refused, 0))
		flags = LAZY_REFUSED;
	else if (killed && lazy.block->timeout_ns && clock_ns() >= tree->deadline_ns)
		flags = LAZY_TIMEOUT;
	tree->spent_ns += clock_ns() - tree->began_ns;
	flags |= (tree->all ? LAZY_ALL : 0) | (tree->none ? LAZY_NONE : 0);
	lazy_report_send(flags, status);
	tree->leaves++;
	if ((lazy.block->leaves_max && tree->leaves >= lazy.block->leaves_max) || lazy.block->stop)
		tree->over = true;
}
