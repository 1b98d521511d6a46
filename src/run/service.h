/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - a server, the client that drives it, and a test for whether the server is up.
 *
 * `ready` is the number of a local TCP port, the path of a socket (no space, not executable, and either with a slash or
 * the name of a socket that exists), or a shell command that succeeds when the server is up.  It is polled, more and
 * more slowly (1 ms to 100 ms), until it succeeds.  There are no fixed sleeps.
 *
 * A driver is a separate process.  It waits for the server and then becomes the client, so it ends as the client does.
 * The process that started the server watches both.  When the driver has ended, the server gets SIGTERM, then SIGKILL.
 * When the server dies first, the driver is killed.  When the server has ended well, the driver has SERVICE_TERM_MS to
 * end, too. */
#ifndef BLACKOUT_RUN_SERVICE_H
#define BLACKOUT_RUN_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

enum { SERVICE_TERM_MS = 5000 /* for the server to end after SIGTERM, or for the client to end after the server */ };

struct service {
	const char *client; /* shell command */
	const char *ready;  /* NULL: the client itself waits for the server */
};

/* -1, ERR_USAGE: `ready` is not a port, path or command. */
int service_check(const struct service *service, struct err *err);

/* The port number in `ready`. -1: it is not a number; 0: the number is out of range. */
int service_port(const char *ready);

/* Call in a forked process: wait for the server, then become the client.  Does not return. */
void service_drive(const struct service *service) __attribute__((noreturn));

#endif
