/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker.h - one worker of recovery.h: its stage, its scene, its fork server and keeper, and its current run.
 *
 * worker_start begins a run in a mode. worker_pump handles events on its descriptors, and deadlines.  A run ends with
 * an outcome, or is refused: then the mode cannot do it, and the state is unchanged. */
#ifndef BLACKOUT_RUN_WORKER_H
#define BLACKOUT_RUN_WORKER_H

#include <poll.h>

#include "run/checkpoint_in.h"
#include "run/command.h"
#include "run/keeper.h"
#include "run/outfile.h"
#include "run/recovery_output.h"
#include "run/usage.h"

enum worker_state {
	WORKER_IDLE,
	WORKER_STARTING, /* the fork server has not said hello yet */
	WORKER_RUNNING,
	WORKER_KILLING, /* the time is up */
	WORKER_ENDED,   /* there is an outcome */
	WORKER_REFUSED, /* there is a reason */
};

/* Options that all workers share. */
struct worker_options {
	struct command_template command;
	const char *ready; /* as in struct service */
	char *const *environment;
	const char *cwd;
	uint64_t memory;
	uint64_t disk;                     /* bytes that a run may write into the scene; 0: no limit */
	const struct output_rules *output; /* NULL: outputs are not summarized */
	const struct origin *origin;
	char stub[PATH_MAX];
	bool namespaces;   /* namespaces are available */
	bool huge_pages;   /* for recoveries that fill much memory */
	bool lean_pmemobj; /* libpmemobj makes one arena, and has memory of its own */
	bool network;      /* each server needs its own ports */
	bool serves;       /* another command is a server, too, which the client drives */
};

struct worker {
	const struct worker_options *options;
	struct scene scene;
	bool is_open;  /* the scene */
	bool littered; /* recovery may have left files in it; only children of the fork server cannot */

	pid_t server;
	int server_fd; /* becomes readable when the server is dead */
	bool serving;
	uint64_t start_ns; /* processor time that its start took, or that of an earlier one; 0: not known */
	struct control control, redirection;
	struct checkpoint_set checkpoints; /* of the server */

	pid_t keeper;
	int keeper_fd;
	enum recovery_mode keeper_mode;
	char *const *other_argv, *const *other_environment; /* run this instead of the command */

	struct command command; /* in the current setting */
	char ops[PATH_MAX];     /* {ops}: a link */
	char ops_now[PATH_MAX]; /* where it leads; "": nowhere */
	struct outfile file;    /* {out}; closed if the command does not have the word */
	struct recovery_output out, err;
	struct recovery_output client;                 /* what the client prints, if that is summarized; then open */
	struct recovery_output out_before, err_before; /* output of the server before its first child */

	enum worker_state state;
	enum recovery_mode mode;
	uint64_t limit_ns, deadline_ns;
	uint64_t spent_ns; /* from the start of recovery to the checkpoint where the run began */
	struct usage usage;
	uint64_t look_ns;      /* when to measure it next, and the size of {out} */
	bool wrote_too_much;   /* the run has written more than options->disk */
	bool walks;            /* the run is a walk (checkpoint.h) */
	struct lazy_run *lazy; /* a run on all undecided lines instead of one state (lazy_in.h) */
	bool reported;         /* its request has reported leaves */
	struct outcome outcome;
	char reason[STUB_REASON];
};

int worker_open(struct worker *worker, const struct worker_options *options, struct err *err);
void worker_close(struct worker *worker);

/* Call before the first start. */
int worker_stage(struct worker *worker, const char *stage, struct err *err);

/* Run the command in this setting from now on; NULL: without operations.  Not while anything runs. */
int worker_set(struct worker *worker, const struct recovery_setting *setting, struct err *err);

/* Run the command on the contents of the stage. -1: it cannot even be attempted. */
int worker_start(struct worker *worker, enum recovery_mode mode, uint64_t limit_ns, struct err *err);

enum { WORKER_POLLS = 6 };
/* The descriptors to wait for. */
size_t worker_polls(const struct worker *worker, struct pollfd polls[WORKER_POLLS]);

/* Handle what has happened.  Afterwards the state may be WORKER_ENDED or WORKER_REFUSED; the caller then sets it to
 * WORKER_IDLE, or starts another run. */
void worker_pump(struct worker *worker, uint64_t now_ns);

/* The latest time at which a busy worker needs worker_pump, even if nothing happens. */
uint64_t worker_next(const struct worker *worker);

/* Does anything run? */
bool worker_is_busy(const struct worker *worker);

/* The run on undecided lines is over, or stopped.  The wishes about checkpoints were for it. */
void worker_end_lazy(struct worker *worker);

/* An empty output, for what the command writes in the current setting; NULL: outputs are not summarized. */
struct output *worker_output(const struct worker *worker);

/* Kill what runs, without an outcome. */
void worker_stop(struct worker *worker);
void worker_stop_keeper(struct worker *worker);

#endif
