/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery.h - run the recovery command on crash states, many per second, on several workers, without touching the
 * user's files.
 *
 *     struct recovery_options o = {.command = "./kv check pool", .cwd = dir, .timeout = 10, .jobs = 2, .origin = ...};
 *     struct recovery *r;
 *     recovery_new(&r, &o, &err);
 *     for (unsigned w = 0; w < recovery_jobs(r); w++)
 *             recovery_stage(r, w, stage_dir(stages[w] = stage_new(staging, image, &err)));
 *     recovery_run(r, 0, 1, &outcome, &err);                  // run one state and wait for it
 *
 *     while (there are states) {
 *             if ((w = recovery_idle(r, &err)) < 0)           // waits; calls o.done for runs that end meanwhile
 *                     break;
 *             stage_load(stages[w], state, &err);
 *             recovery_start(r, w, ticket, &err);
 *     }
 *     recovery_drain(r, &err);
 *     recovery_free(r);                                       // leaves no process and no file behind
 *
 * The command runs through `/bin/sh -c` in the given directory.  It finds the crash state at the original paths.  There
 * are several modes for that.  The first one that works is used, starting with the requested one, if any:
 *
 *   fork server   The command is started once for each worker, with a stub in it (src/preload) that stops it when it
 *                 first names a PM file.  From there a child is forked for each state.  Its mappings of PM files are
 *                 private copies (copy-on-write) of the stage's files, so the stage does not change.  Some things
 *                 cannot work this way (writing PM files by system calls, several processes...).  The stub refuses them
 *                 before they happen, and the state is run again in the next mode.
 *   namespace     One process for each state, in a mount namespace where the stage's directories replace those of the
 *                 PM files.  Their other entries are still there.  Works for every program.
 *   redirect      One process for each state, with a stub that redirects the paths of PM files to the stage's files.
 *                 Needs a dynamically linked program.
 *   in place      The stage's files replace the user's files, which are moved aside and put back on every exit path
 *                 (inplace.h).  What recovery creates beside them is removed (witness.h).  One run at a time.
 *
 * Operations.  In a setting (setting.h), the words {ops}, {first} and {out} in `command` and `client` are replaced.
 * {out} is a private file, which is there and empty when recovery starts.  Without {ops} the operations are the
 * standard input of the client or, if there is none, of recovery.  The output that is summarized is {out}, or without
 * {out} the standard output of the client or of recovery.  All that holds for a child of the fork server as for a
 * process of its own: it does not see what other children have read or written.  {ops} and {out} are replaced by paths
 * that are private to the worker; in the output that is summarized they read as the words again.  A server that has
 * looked at the operations before it opened a PM file is started anew for others, and so is one whose command has {first}.
 *
 * A recovery without a setting reads /dev/null.  It has its own session.  It is killed with all its descendants when it
 * ends or its time is up.  Its verdict is the same in every mode.
 *
 * There are no threads here: pipes, time-outs and exits are handled while a function below waits.  The time between two
 * calls is not charged to recovery, so the caller may take as long as it likes. */
#ifndef BLACKOUT_RUN_RECOVERY_H
#define BLACKOUT_RUN_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/stop.h"
#include "image/origin.h"
#include "run/outcome.h"
#include "run/process.h"
#include "run/setting.h"

struct recovery;
struct output_rules;

struct recovery_options {
	const char *command;
	const char *client, *ready; /* service.h; NULL: the command ends by itself */
	bool serves;                /* the client drives other commands (recovery_other), too */
	bool network;               /* it may use any port: each worker has its own network, if that is possible */
	const char *cwd;            /* NULL: our own */
	bool unplaced;              /* the directory is not known yet: nothing will be run */
	bool pmem_force;            /* add the variables of pmem_force.h */
	double timeout;             /* seconds, for one run */
	uint64_t memory;            /* bytes of address space for each process (RLIMIT_AS); 0: no limit */
	/* bytes that a run may write outside its PM files or beyond their ends; 0: no limit */
	uint64_t disk;
	unsigned jobs;           /* number of workers, if the mode allows more than one */
	enum recovery_mode mode; /* RECOVERY_AUTO: any that works */
	/* an earlier instance has verified the mode: do not treat the first run specially */
	bool settled;
	const struct origin *origin; /* the PM paths and their directories; must outlive this */
	const char *stub;            /* path of the stub; NULL: the one that is shipped with us */
	bool huge_pages;             /* for the memory of recoveries that fill much of it, if there are any */
	bool lean_pmemobj;           /* libpmemobj makes one arena, and has memory of its own */
	bool no_namespaces;          /* behave as if namespaces were not permitted */
	bool opens;                  /* the command is known to open PM files (recovery_opened) */

	/* Gives the setting for an id that was passed to recovery_set; NULL: there are no operations. */
	const struct recovery_setting *(*setting)(void *arg, uint64_t id);
	void *setting_arg;
	const struct output_rules *output; /* summarize the outputs (outcome.h); NULL: do not */

	/* Called for every run that recovery_start began, from within recovery_idle and recovery_drain.  *outcome is
	 * valid until it returns. */
	void (*done)(void *arg, void *ticket, const struct outcome *outcome);
	/* Is this an outcome that was expected of the very first run?  If not, the fork server may be at fault; see
	 * recovery_run.  `ticket` is NULL in recovery_run.  NULL: it always is. */
	bool (*passed)(void *arg, void *ticket, const struct outcome *outcome);
	void *arg;
	struct stop stop; /* ends a wait */
	double end;       /* monotonic clock, in seconds: waiting ends at this time, except in recovery_run; 0: never */
};

/* -1, ERR_USAGE: there is no such command, as far as can be told without running it. */
int recovery_new(struct recovery **recovery, const struct recovery_options *options, struct err *err);

/* Kills what still runs.  Its outcomes are not reported. */
void recovery_free(struct recovery *recovery);

/* The actual number of workers: 1 to options.jobs. */
unsigned recovery_jobs(const struct recovery *recovery);

/* Tell where the stage of a worker is (stage_dir).  Call it before the worker's first start. */
void recovery_stage(struct recovery *recovery, unsigned worker, const char *dir);

/* The setting of the worker's next runs (setting.h), whatever runs: recovery, another command, a visit.  0, as at
 * first: no operations, and the words in the commands stay as they are. */
void recovery_set(struct recovery *recovery, unsigned worker, uint64_t setting);

/* The recovery command in the worker's setting, for the shell; valid until that changes.  NULL: *err says why. */
const char *recovery_command(struct recovery *recovery, unsigned worker, struct err *err);
/* After recovery_command: the path of the file that recovery reads as its standard input; NULL: it reads nothing. */
const char *recovery_input(const struct recovery *recovery, unsigned worker);

enum { RECOVERY_INTERRUPTED = -2 };

/* Wait for an idle worker and return its number.  RECOVERY_INTERRUPTED; -1: recovery cannot be run any more. */
int recovery_idle(struct recovery *recovery, struct err *err);

/* Run recovery on the contents of this idle worker's stage. */
int recovery_start(struct recovery *recovery, unsigned worker, void *ticket, struct err *err);

/* Wait until all runs have ended. 0, RECOVERY_INTERRUPTED (runs are killed, and their outcomes are not reported) or
 * -1. */
int recovery_drain(struct recovery *recovery, struct err *err);

/* Wait for all other runs, then do one run alone, with `patience` times the time limit.  The caller frees *outcome. 0,
 * RECOVERY_INTERRUPTED or -1.
 *
 * The very first run settles the mode.  If the fork server refuses it, the fork server is given up for good.  If it
 * fails under the fork server, it is run in the next mode too, and that mode is used from then on if the result
 * differs.  A later refusal affects only its own state.  So the mode in which a state runs does not depend on the
 * number of workers. */
int recovery_run(struct recovery *recovery, unsigned worker, unsigned patience, struct outcome *outcome,
		 struct err *err);

/* Like recovery_run, but run another command line instead of recovery, for at most `limit` seconds.  It sees all that
 * recovery would see, on real files, and touches the stage.  `argv` ends with NULL; `environment` (may be NULL) adds
 * KEY=VALUE.  Used for the recorder. */
int recovery_other(struct recovery *recovery, unsigned worker, char *const *argv, char *const *environment,
		   double limit, struct outcome *outcome, struct err *err);

/* Where a PM file is that the worker's last such run has left, until its next run.  False: there was none. */
bool recovery_left(const struct recovery *recovery, unsigned worker, const char *path, char *buffer, size_t size);

/* The same on this idle worker beside others, without waiting for the end: options.done gets the ticket and the
 * outcome.  `argv` and `environment` must live until then. */
int recovery_start_other(struct recovery *recovery, unsigned worker, char *const *argv, char *const *environment,
			 double limit, void *ticket, struct err *err);

struct recovery_visit {
	char *const *argv; /* ends with NULL */
	/* Seconds after which a debugger is told, again and again, to stop the program it runs, because no person
	 * attends to it; 0: never. */
	double limit;
	/* The command runs recovery: start the client, if there is one, and tell recovery to end when the client is
	 * done. */
	bool client;
};

/* The same in our own terminal, with our standard streams: for a debugger or a shell. */
int recovery_attend(struct recovery *recovery, unsigned worker, const struct recovery_visit *visit,
		    struct process_end *end, struct err *err);

/* The mode, once the first run is over; and a sentence (without a full stop) that says why it is not an earlier mode,
 * or NULL if it is the wanted one. */
enum recovery_mode recovery_mode(const struct recovery *recovery);
const char *recovery_reason(const struct recovery *recovery);

/* Has any run opened a PM file?  Also true if that cannot be determined. recovery_unopened counts the runs that could
 * have opened one but did not, until the first that did. */
bool recovery_opened(const struct recovery *recovery);
uint64_t recovery_unopened(const struct recovery *recovery);

/* Processor time, in seconds, from the start of the command to its first PM file, under a fork server; 0: not known. */
double recovery_start_seconds(const struct recovery *recovery);

/* Paths beside PM files that appeared while recovery ran in place, but were not created by it, and so were left there.
 * NULL after the last. */
const char *recovery_foreign_file(const struct recovery *recovery, size_t index);

/* The text of a mode ("fork server").  recovery_mode_find accepts that and the word of the command line
 * ("fork-server"), and returns false for any other name. */
const char *recovery_mode_name(enum recovery_mode mode);
bool recovery_mode_find(const char *name, enum recovery_mode *mode);

/* A stack frame of a recovery that crashed or hangs; "" and 0 where unknown. */
struct recovery_frame {
	char function[128];
	char file[256];   /* as the debugger reports it */
	char module[256]; /* library or program, if there is no file */
	unsigned line;
};

/* Get the stack of recovery on the contents of the stage: where it crashes or, if it `hangs`, where it is when its time
 * is up.  For that it is run once more under gdb.  Returns the number of frames, innermost first, at most `room`; 0 if
 * there is no gdb, or if recovery ends this time.  Touches the stage. -1 as recovery_run. */
int recovery_stack(struct recovery *recovery, unsigned worker, bool hangs, struct recovery_frame *frames, size_t room,
		   struct err *err);

#endif
