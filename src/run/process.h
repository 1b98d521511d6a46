/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h - start a command, watch it, and leave nothing of it behind when the user interrupts.
 *
 * The command shares our terminal, process group, standard streams and open descriptors, as if the shell had started
 * it.  While it runs, SIGINT, SIGTERM, SIGHUP and SIGQUIT to us mean "stop".  A signal from the terminal has already
 * reached the command; a signal from kill(2) is passed on.  The command then has PROCESS_GRACE_MS to end by itself.
 * After that we send SIGTERM and then SIGKILL, also to everything that it left running. */
#ifndef BLACKOUT_RUN_PROCESS_H
#define BLACKOUT_RUN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/service.h"

enum { PROCESS_GRACE_MS = 3000, PROCESS_TERM_MS = 2000 };

struct process {
	char *const *argv;        /* argv[0] is searched in PATH */
	char *const *environment; /* KEY=VALUE to add to ours; NULL: nothing */
	const char *input;        /* file to read instead of our standard input; NULL: ours */
	int output;               /* descriptor for its standard output; 0: ours */
	bool wait_all;            /* wait for the last descendant, not only for the command itself */
	/* send SIGINT whenever the command has been idle for this long, so that a debugger stops the program it runs;
	 * 0: never */
	int64_t nudge_ms;
	/* the command is a server, and this client drives it; NULL: the command ends by itself */
	const struct service *service;
	const char *client_input; /* path of the client's standard input; NULL: /dev/null */
	int client_output;        /* descriptor for the client's standard output; 0: ours */
	/* the command is a debugger that runs the server: only the server gets SIGTERM when the client is done */
	bool attended;
};

/* How the command ended.  This is data about the command, not an error. */
struct process_end {
	bool interrupted; /* we were told to stop before it ended */
	/* The fields below are about the client: the server ended well, or died of the SIGTERM that it got when the
	 * client was done. */
	bool by_client;
	int signal; /* the signal that killed it; 0: it exited */
	int status; /* exit status */
	double seconds;
};

/* Run the command until it ends. -1: it could not be started. */
int process_run(const struct process *process, struct process_end *end, struct err *err);

#endif
