/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper.h - processes that start recovery for us and clean up after it.
 *
 * Each worker has one keeper.  It is a child process of ours that lives in the worker's namespace, if there is one.
 * For each request (stub.h) it starts the command, waits for it, kills everything that the command left behind, and
 * replies.  It reaps orphaned descendants, so nothing escapes, not even a daemon in its own session.  When we die it
 * notices, kills what runs, and exits.
 *
 * A fork server is the command itself with the stub in it. */
#ifndef BLACKOUT_RUN_KEEPER_H
#define BLACKOUT_RUN_KEEPER_H

#include <stdint.h>
#include <sys/types.h>

#include "run/control.h"
#include "run/outcome.h"
#include "run/scene.h"
#include "run/service.h"

/* The standard streams of a process; its standard error is that of all. */
struct keeper_streams {
	const char *in; /* path; NULL: /dev/null */
	int out;
};

struct keeper_options {
	char *const *argv;
	char *const *environment;           /* KEY=VALUE to add; NULL: nothing */
	const char *cwd;                    /* NULL: our own */
	uint64_t memory;                    /* 0: no limit */
	struct service service;             /* client NULL: the command is not a server */
	bool network;                       /* a namespace gets its own network */
	struct keeper_streams main, client; /* of the command, and of its client */
	int err;
	enum recovery_mode mode;
	struct scene *scene;
	struct control *control; /* of the stub; NULL: do not load the stub */
	const char *stub;        /* path of the stub; used if there is a control */
};

/* Start a keeper.  *fd becomes our end of a socket for requests and replies. -1: the mode does not work here. */
pid_t keeper_start(const struct keeper_options *options, int *fd, struct err *err);

/* Start a fork server.  It may or may not send STUB_HELLO through the control. */
pid_t keeper_start_server(const struct keeper_options *options, bool covered, struct err *err);

#endif
