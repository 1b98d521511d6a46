/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - run code that may crash, loop or leak, in a process of its own.
 *
 *     struct child child = {.wire = wire_new(), .limits = limits};
 *     if (child_start(&child, work, arg, &err) < 0) ...       // forks; this process must have only one thread
 *     while (!child_poll(&child)) ...                          // never waits
 *     ... child.end ...
 *     child_close(&child);                                     // ends it, if it is still running
 *
 * The child has an empty standard input; what it prints to standard output goes to standard error, so that it does not
 * mix with a report.  It has a process group of its own, which is killed as soon as the child has ended, and it dies with
 * this process.  No signal handler and no resource of this process but memory is changed by it. */
#ifndef BLACKOUT_PLUGIN_CHILD_H
#define BLACKOUT_PLUGIN_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "plugin/wire.h"

struct child_limits {
	double seconds;  /* for one callback */
	uint64_t memory; /* bytes, in addition to what this process has */
};

enum child_end {
	CHILD_RUNNING,
	CHILD_DONE,    /* the work was done */
	CHILD_EXITED,  /* something ended the process before; value: the exit status */
	CHILD_KILLED,  /* value: the signal */
	CHILD_HUNG,    /* one callback took longer than the limit */
	CHILD_TOO_BIG, /* out of memory */
	CHILD_STOPPED, /* child_stop */
};

struct child {
	struct wire *wire;
	struct child_limits limits;
	pid_t pid; /* 0: not running */
	enum child_end end;
	int value;
	/* The last callback that was seen running, and since when. */
	uint32_t callback;
	uint64_t event;
	double since;
};

int child_start(struct child *child, void (*work)(void *arg), void *arg, struct err *err);

/* Has it ended?  Also ends it, if it hangs. */
bool child_poll(struct child *child);

/* Do not wait any longer. */
void child_stop(struct child *child);

/* Pause for a moment, between two polls; `turn` counts them from 0. */
void child_pause(unsigned turn);

void child_close(struct child *child);

/* How it ended, unless the work was done, as the end of a sentence: "crashed (SIGSEGV) in its callback `store`, at event
 * 17". */
void child_end_text(const struct child *child, char *text, size_t size);

#endif
