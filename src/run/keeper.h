/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper.h - processes that start recovery for us, and clean up behind it.
 *
 * A keeper is a process of ours, one for each worker, that lives in the worker's namespace, if there is one.  For each
 * request (stub.h) it starts the command, waits for it, kills whatever it left behind, and replies.  It is the reaper
 * of its descendants, so that nothing escapes, not even a daemon in a session of its own.  When we die it notices,
 * kills what runs, and ends.
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

struct keeper_options {
	char *const *argv;
	char *const *environment; /* KEY=VALUE to add; NULL: nothing */
	const char *cwd;          /* NULL: ours */
	uint64_t memory;          /* 0: no limit */
	struct service service;   /* client NULL: none */
	bool network;             /* a namespace has its own */
	int out, err;             /* where it prints to */
	enum recovery_mode mode;
	struct scene *scene;
	struct control *control; /* of the stub; NULL: without it */
	const char *stub;        /* path of the library, if there is a control */
};

/* Start a keeper: *fd is our end of a socket for requests and replies.  -1: the mode does not work here. */
pid_t keeper_start(const struct keeper_options *options, int *fd, struct err *err);

/* Start a fork server, which may or may not say hello through the control. */
pid_t keeper_start_server(const struct keeper_options *options, bool covered, struct err *err);

#endif
