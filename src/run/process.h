/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h - start a command, watch it, and leave nothing of it behind when the user interrupts.
 *
 * The command shares our terminal, process group, standard streams and open descriptors, as if the shell had started
 * it.  While it runs, SIGINT, SIGTERM, SIGHUP and SIGQUIT to us mean "stop": a signal that the terminal sent has
 * reached the command already, one that came by kill(2) is passed on.  The command then has PROCESS_GRACE_MS to end by
 * itself; after that, and for whatever it left running, SIGTERM and SIGKILL follow. */
#ifndef BLACKOUT_RUN_PROCESS_H
#define BLACKOUT_RUN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/service.h"

enum { PROCESS_GRACE_MS = 3000, PROCESS_TERM_MS = 2000 };

struct process {
	char *const *argv;        /* argv[0] is looked for in PATH */
	char *const *environment; /* KEY=VALUE to add to ours; NULL: nothing */
	bool null_stdin;          /* read /dev/null instead of our standard input */
	bool stdout_to_stderr;    /* its standard output is our standard error */
	bool wait_all;            /* the end is the end of the last descendant, not of the command itself */
	int64_t nudge_ms; /* SIGINT it whenever it has rested for so long: a debugger stops what it runs; 0: never */
	const struct service *service; /* the command is a server, and this drives it; NULL: it ends by itself */
	bool attended; /* the command is a debugger, and runs the server: only that gets SIGTERM when the client is done */
};

/* How it ended: data about the command, not an error. */
struct process_end {
	bool interrupted; /* we were told to stop before it ended */
	/* What follows is about the client: the server ended well, or of the SIGTERM that it got when the client was
	 * done. */
	bool by_client;
	int signal; /* that killed it, 0 if it exited */
	int status; /* exit status */
	double seconds;
};

/* Run it to its end.  -1: it could not be started. */
int process_run(const struct process *process, struct process_end *end, struct err *err);

#endif
