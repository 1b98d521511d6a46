/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.h - undecided lines of PM files in a recovery, decided when it looks at them.
 *
 *     lazy_prepare(&setup)             in the fork server: the tree, in memory that all its processes share
 *     if (fork() == 0) {
 *             lazy_arm()               in the child: handlers, a timer
 *             ... recovery; the stub tells of its mappings: lazy_range, lazy_fresh ...
 *     }
 *     wait;  lazy_over(pid, status)    in the server: reports the last leaf
 *
 * METHOD.
 *
 *  1. Pages with an undecided line are inaccessible.  An access traps (lazy_signal.c).  The lines that the instruction
 *     can reach (insn.h) are decided, their bytes written, the page is opened for one instruction (trap flag), and
 *     closed again unless no line in it is undecided.  All signals wait meanwhile.  A flush instruction is skipped: it
 *     sees nothing.  Where no CLFLUSH binds lines to each other, only that much of a line is decided as the loaded
 *     bytes need: the alternatives that agree on them stay together.  A store decides nothing of what it covers if its
 *     reach is known, otherwise the whole line; where the block says `stores`, it decides what it covers.
 *  2. To decide a line (lazy_branch.c, lazy_narrow.c) the process is forked (lazy_tree.c) for each of its contents but
 *     the last, which is its own.  It waits for each child and its whole subtree.  So there is one leaf for each
 *     process, one process runs at a time, and each leaf is reported by the parent before the next one starts.  Every
 *     leaf ends as the program ends: its exit handlers run, its status is its own.
 *  3. System calls do not trap, they fail.  So a filter (seccomp) turns each call with an argument in the mappings into
 *     a signal; the lines concerned are decided and the call is made (lazy_call.c).  One whose reach is not known is
 *     refused.
 *  4. Time is limited for each leaf: a kernel timer kills it.  A waiting process has no timer; the way from the root to
 *     the fork counts.
 *
 * SOUND.  What recovery has seen of a line is what was decided, and what it has not seen was never decided; so a leaf's
 * way is the way of every state that agrees with its decisions.  Every access traps, is told to us by the filter, or is
 * a call of the C library that the stub passes on (reading the file).  Deciding more than was looked at costs leaves
 * and is right; so where a reach is not known exactly, it is taken larger.
 *
 * What cannot be had: threads (a fork has one), memory and pipes that the leaves would share (lazy_spoil), handlers
 * that leave the one instruction by a jump (its page stays open until the next trap there).
 *
 * Everything here runs in signal handlers: no malloc, no locks, system calls directly, errno kept. */
#ifndef BLACKOUT_PRELOAD_LAZY_H
#define BLACKOUT_PRELOAD_LAZY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/choices.h"
#include "run/lazy_block.h"

/* A leaf has ended, or something else is to be told: in the process that waited for it.  The receiver adds the
 * output. */
struct lazy_told {
	struct lazy_report report;
	int status; /* as wait(2) gives it */
	uint64_t nanoseconds;
	const uint32_t *lines; /* all report.depth of them */
	const uint8_t *taken;  /* by number of the unit */
	const uint64_t *masks; /* by number of the line */
};

struct lazy_setup {
	const struct lazy_block *block; /* lives as long as the tree */
	void (*tell)(const struct lazy_told *told);
	/* What leaves must not share is noted before a fork in `mark` and put back after the child: outputs, offsets of
	 * files. */
	void (*mark)(uint64_t *marks);
	void (*reset)(const uint64_t *marks);
	void (*refuse)(const char *why); /* sets *refused and ends the process */
	_Atomic uint32_t *refused;
	void (*adopt)(int from, int to); /* the thread has another number after a fork */
	int (*sigaction)(int sig, const struct sigaction *act, struct sigaction *old); /* the C library's */
};

enum { LAZY_MARKS = 64 };

/* In the server.  NULL: well; otherwise why not. */
const char *lazy_prepare(const struct lazy_setup *setup);

/* In the child, once. */
void lazy_arm(void);

/* In the server, after the child has ended: its own leaf is reported, and all memory is given back. */
void lazy_over(pid_t pid, int status);

/* Is this process part of a tree? */
bool lazy_is_armed(void);

/* Before mappings change all memory is made accessible, and what is known of mappings is forgotten; after it, all are
 * told anew.
 *
 *     lazy_suspend();
 *     p = mmap(...);  lazy_fresh(p, ...);
 *     for each mapping: lazy_range(...);
 *     lazy_resume(); */
void lazy_suspend(void);
/* `bytes` bytes of the path number `entry`, from `offset` on, are mapped privately at `at`. */
void lazy_range(void *at, size_t bytes, uint32_t entry, uint64_t offset, int prot);
void lazy_resume(void);

/* This memory has just come from the stage's file: it does not know what was decided about the file before. */
void lazy_fresh(void *at, size_t bytes, uint32_t entry, uint64_t offset, int prot);

/* `bytes` bytes of the path `entry` from `offset` on were read from the stage's file into `buffer`: decide and add what
 * the file does not know. */
void lazy_read(uint32_t entry, uint64_t offset, void *buffer, size_t bytes);

/* From now on leaves would share something: the next decision is refused for this reason, a constant. */
void lazy_spoil(const char *why);

/* Is this address in a mapping with undecided lines, or that had some? */
bool lazy_is_pm(const void *at);

/* Is there something undecided about the file, or was there at the beginning? */
bool lazy_concerns(uint32_t entry);

/* The recovery's own wishes for the signals that are ours: as sigaction(2).  False: not one of ours, or no tree. */
bool lazy_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
/* The recovery may not block them. */
void lazy_unblock(sigset_t *set);

#endif
