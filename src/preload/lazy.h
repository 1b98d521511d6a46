/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.h - undecided lines of PM files in a recovery.  They are decided when recovery accesses them.
 *
 *     lazy_prepare(&setup)             in the fork server: set up the tree, in memory that all its processes share
 *     if (fork() == 0) {
 *             lazy_arm()               in the child: install handlers and a timer
 *             ... recovery runs; the stub reports its mappings with lazy_range, lazy_fresh ...
 *     }
 *     wait;  lazy_over(pid, status)    in the server: report the last leaf
 *
 * METHOD.
 *
 *  1. Pages with an undecided line are inaccessible, so an access traps (lazy_signal.c).  The lines that the
 *     instruction can reach (insn.h) are decided and their bytes written.  The page is opened for one instruction (trap
 *     flag).  It is closed again, unless all its lines are decided.  All signals are blocked meanwhile.  A flush
 *     instruction is skipped, because it does not see any data.  If no CLFLUSH makes lines depend on each other, only
 *     as much of a line is decided as the loaded bytes require: alternatives that agree on these bytes stay together.
 *     A store decides nothing about the bytes that it covers if its reach is known; otherwise it decides the whole
 *     line.  If the block says `stores`, a store decides the bytes that it covers.
 *  2. To decide a line (lazy_branch.c, lazy_narrow.c), the process is forked (lazy_tree.c) for each of its contents
 *     except the last, which the process itself takes.  It waits for each child and the child's whole subtree.  So each
 *     process has one leaf, only one process runs at a time, and the parent reports each leaf before the next one
 *     starts.  Every leaf ends as the program ends: it runs its exit handlers and has its own exit status.
 *  3. System calls do not trap on inaccessible pages; they fail.  So a filter (seccomp) turns each call with an
 *     argument inside the mappings into a signal.  The handler decides the lines concerned and makes the call
 *     (lazy_call.c).  A call whose reach is not known is refused.
 *  4. Each leaf has a time limit: a kernel timer kills it.  A waiting process has no timer.  The time from the root of
 *     the tree to the fork counts for the child, too.
 *
 * SOUNDNESS.  Recovery has seen only what was decided, and nothing was decided about what it has not seen.  So the path
 * to a leaf is the path that every state takes that agrees with its decisions.  Every access traps, is reported by the
 * filter, or is a call of the C library that the stub handles (reading the file).  Deciding more than was accessed is
 * correct, but costs leaves.  So if a reach is not known exactly, we assume a larger one.
 *
 * LIMITS.  These are not supported: threads (a forked process has only one), memory and pipes that leaves would share
 * (lazy_spoil), and handlers that jump out of the stepped instruction (its page stays open until the next trap there).
 *
 * All of this code runs in signal handlers: no malloc, no locks, direct system calls, errno preserved. */
#ifndef BLACKOUT_PRELOAD_LAZY_H
#define BLACKOUT_PRELOAD_LAZY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/choices.h"
#include "protocol/lazy_block.h"
#include "protocol/stub.h"

/* A report about a leaf that has ended, or about something else.  It is made in the process that waited for the leaf.
 * The receiver adds the output. */
struct lazy_result {
	struct lazy_report report;
	int status; /* as from wait(2) */
	uint64_t nanoseconds;
	const uint32_t *lines; /* all report.depth of them */
	const uint8_t *taken;  /* indexed by unit number */
	const uint64_t *masks; /* indexed by line number */
};

struct lazy_setup {
	const struct lazy_block *block; /* must outlive the tree */
	void (*send)(const struct lazy_result *result);
	/* `mark` records, before a fork, state that leaves must not share (outputs, file offsets); `reset` restores it
	 * after the child. */
	void (*mark)(uint64_t *marks);
	void (*reset)(const uint64_t *marks);
	void (*refuse)(const char *why); /* must set *refused and end the process */
	_Atomic uint32_t *refused;
	void (*adopt)(int from, int to); /* the thread ID changes after a fork */
	int (*sigaction)(int sig, const struct sigaction *act, struct sigaction *old); /* of the C library */
};

enum { LAZY_MARKS = 64 };

/* Call in the server.  NULL: success; otherwise the reason. */
const char *lazy_prepare(const struct lazy_setup *setup);

/* Call once, in the child. */
void lazy_arm(void);

/* Call in the server after the child has ended.  Reports its own leaf, and frees all memory. */
void lazy_over(pid_t pid, int status);

/* Is this process part of a tree? */
bool lazy_is_armed(void);

/* Call before mappings change.  It makes all memory accessible and forgets all mappings; afterwards report all of them
 * again.
 *
 *     lazy_suspend();
 *     p = mmap(...);  lazy_fresh(p, ...);
 *     for each mapping: lazy_range(...);
 *     lazy_resume(); */
void lazy_suspend(void);
/* `bytes` bytes of path number `entry`, starting at `offset`, are mapped privately at `at`. */
void lazy_range(void *at, size_t bytes, uint32_t entry, uint64_t offset, int prot);
void lazy_resume(void);

/* This memory was just mapped from the stage's file, so it lacks what was decided about the file before. */
void lazy_fresh(void *at, size_t bytes, uint32_t entry, uint64_t offset, int prot);

/* `bytes` bytes of the path `entry`, starting at `offset`, were read from the stage's file into `buffer`.  Decide these
 * lines, and add the decided contents, which the file lacks. */
void lazy_read(uint32_t entry, uint64_t offset, void *buffer, size_t bytes);

/* From now on leaves would share something.  The next decision is refused with this reason, a constant string. */
void lazy_spoil(const char *why);

/* Is this address in a mapping that has, or had, undecided lines? */
bool lazy_is_pm(const void *at);

/* Does the file have undecided lines, or did it at the start? */
bool lazy_concerns(uint32_t entry);

/* Record recovery's own actions for the signals that we use; like sigaction(2).  False: not one of our signals, or not
 * in a tree. */
bool lazy_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
/* Remove our signals from a set that recovery wants to block. */
void lazy_unblock(sigset_t *set);

#endif
