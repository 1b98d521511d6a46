/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery.h - run the recovery command on crash states, many per second, on several workers, without touching the
 * user's files.
 *
 *     struct recovery_options o = {.command = "./kv check pool", .cwd = dir, .timeout = 10, .jobs = 2, .origin = origin, ...};
 *     struct recovery *r;
 *     recovery_new(&r, &o, &err);
 *     for (unsigned w = 0; w < recovery_jobs(r); w++)
 *             recovery_stage(r, w, stage_root(stages[w] = stage_new(staging, image, &err)));
 *     recovery_run(r, 0, 1, &outcome, &err);                  // one state, and wait for it
 *
 *     while (there are states) {
 *             if ((w = recovery_idle(r, &err)) < 0)           // waits; finished ones are told to o.done meanwhile
 *                     break;
 *             stage_load(stages[w], state, &err);
 *             recovery_start(r, w, ticket, &err);
 *     }
 *     recovery_drain(r, &err);
 *     recovery_free(r);                                       // nothing is left: no process, no file
 *
 * The command runs through `/bin/sh -c` in the given directory.  It finds the crash state at the original paths, in one
 * of these ways, of which the first that works is taken (or the one that is asked for, and those after it):
 *
 *   fork server   The command is started once for each worker, with a stub in it (src/preload) that stops it when it
 *                 first names a PM file.  From there a child is forked for each state.  Its mappings of PM files are
 *                 private copies (copy-on-write) of the stage's files, so that the stage stays as it is.  What this
 *                 cannot do (write PM files by system calls, several processes...) the stub refuses before it is done,
 *                 and the state is run again in the next mode.
 *   namespace     A process for each state, in a mount namespace where the directories of the PM files are the stage's,
 *                 with their other entries in their places.  Works for every program.
 *   redirect      A process for each state, with a stub that leads the paths of PM files to the stage's files.  Needs a dynamically linked program.
 *   in place      The stage's files are put where the user's are; those are moved aside and put back on every way out
 *                 (inplace.h), and what recovery makes beside them is removed (witness.h).  One at a time.
 *
 * A recovery reads /dev/null, is a session of its own, and is killed with all its descendants when it has ended or its
 * time is over.  Its verdict is the same in every mode.
 *
 * Nothing here has threads: pipes, time-outs and ends are looked after while a function below waits.  The time between
 * two calls is not held against recovery, so the caller may read a trace as long as it likes. */
#ifndef BLACKOUT_RUN_RECOVERY_H
#define BLACKOUT_RUN_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "image/origin.h"
#include "run/outcome.h"
#include "run/process.h"

struct recovery;

struct recovery_options {
	const char *command;
	const char *client, *ready;  /* service.h; NULL: the command ends by itself */
	const char *cwd;             /* NULL: ours */
	bool unplaced;               /* it will be another, not known yet: nothing is run */
	bool pmem_force;             /* force.h */
	double timeout;              /* seconds for one run */
	uint64_t memory;             /* bytes of address space for each process (RLIMIT_AS); 0: no limit */
	uint64_t disk;               /* bytes that a run may write beside and beyond its PM files; 0: no limit */
	unsigned jobs;               /* workers, if the mode allows */
	enum recovery_mode mode;     /* RECOVERY_AUTO: whichever works */
	bool settled;                /* an earlier one has found that the mode works: the first run is like any other */
	const struct origin *origin; /* the PM paths and their directories; must live as long */
	const char *stub;            /* path of the stub; NULL: the one that is shipped with us */
	bool no_namespaces;          /* do as if they were not permitted */
	bool opens;                  /* it is known to open PM files (recovery_opened) */

	/* Told of every run that recovery_start began, from within recovery_idle and recovery_drain.  *outcome is good
	 * until it returns. */
	void (*done)(void *arg, void *ticket, const struct outcome *outcome);
	void *arg;
	bool (*interrupted)(void); /* asked while waiting; true ends the wait.  May be NULL */
	double end; /* on the monotonic clock, in seconds: then waiting ends too, but not for recovery_run; 0: never */
};

/* -1, ERR_USAGE: no such command, so far as can be seen before it is run. */
int recovery_new(struct recovery **recovery, const struct recovery_options *options, struct err *err);

/* Ends what still runs, and forgets it. */
void recovery_free(struct recovery *recovery);

/* How many workers there really are: 1 to options.jobs. */
unsigned recovery_jobs(const struct recovery *recovery);

/* Where the stage of a worker is (stage_root): before its first start. */
void recovery_stage(struct recovery *recovery, unsigned worker, const char *root);

enum { RECOVERY_INTERRUPTED = -2 };

/* Wait for a worker that has nothing to do: its number.  RECOVERY_INTERRUPTED; -1: recovery cannot be run any more. */
int recovery_idle(struct recovery *recovery, struct err *err);

/* Run recovery on what is in the stage of this idle worker. */
int recovery_start(struct recovery *recovery, unsigned worker, void *ticket, struct err *err);

/* Wait until all have ended.  0, RECOVERY_INTERRUPTED (what runs is ended, and its outcome not told) or -1. */
int recovery_drain(struct recovery *recovery, struct err *err);

/* One run alone, with `patience` times the time limit: first all others end.  *outcome is the caller's to free.  0,
 * RECOVERY_INTERRUPTED or -1.
 *
 * The first run of all settles the mode: if the fork server refuses it, then for good.  If it fails there, it is run in
 * the next mode too, and that is taken if it makes a difference.  A later refusal concerns its own state only, so the
 * mode in which a state runs does not depend on how many workers there are. */
int recovery_run(struct recovery *recovery, unsigned worker, unsigned patience, struct outcome *outcome,
		 struct err *err);

/* As recovery_run, another command line instead of recovery, with all that recovery would see, on real files; its stage
 * is touched. `argv` ends with NULL, `environment` (may be NULL) adds KEY=VALUE.  For the recorder. */
int recovery_other(struct recovery *recovery, unsigned worker, char *const *argv, char *const *environment,
		   unsigned patience, struct outcome *outcome, struct err *err);

struct recovery_visit {
	char *const *argv; /* ends with NULL */
	/* Seconds after which a debugger is to stop what it runs, again and again, since nobody attends to it; 0:
	 * never. */
	double limit;
	/* The command runs recovery: start the client, if there is one, and tell recovery to end when that is done. */
	bool client;
};

/* The same in our own terminal, with our standard streams: a debugger, a shell. */
int recovery_attend(struct recovery *recovery, unsigned worker, const struct recovery_visit *visit,
		    struct process_end *end, struct err *err);

/* The mode, once the first run is over, and in a sentence (without a full stop) why it is none before it; NULL if it is
 * the one wanted. */
enum recovery_mode recovery_mode(const struct recovery *recovery);
const char *recovery_reason(const struct recovery *recovery);

/* Has any run opened a PM file?  True also if that cannot be told.  Runs that could have opened one, but did not, are
 * counted until then. */
bool recovery_opened(const struct recovery *recovery);
uint64_t recovery_unopened(const struct recovery *recovery);

/* Paths beside PM files that appeared while recovery ran in place, and are not its doing, so were left; NULL after the
 * last. */
const char *recovery_stranger(const struct recovery *recovery, size_t index);

/* "fork server", "namespace", "redirect", "in place", "auto"; and back: false if it is none of these ("fork-server" and
 * "in-place" are). */
const char *recovery_mode_name(enum recovery_mode mode);
bool recovery_mode_find(const char *name, enum recovery_mode *mode);

/* A frame of a recovery that crashed or hangs; "" and 0 where it is not known. */
struct recovery_frame {
	char function[128];
	char file[256];   /* as the debugger knows it */
	char module[256]; /* library or program, where there is no file */
	unsigned line;
};

/* The stack of the crash that recovery has on what is in the stage, or, if it `hangs`, the stack when its time is over:
 * it is run once more under gdb.  Returns the number of frames, innermost first, at most `room`; 0 if there is no gdb,
 * or recovery ends this time.  The stage is touched.  -1 as recovery_run. */
int recovery_stack(struct recovery *recovery, unsigned worker, bool hangs, struct recovery_frame *frames, size_t room,
		   struct err *err);

#endif
