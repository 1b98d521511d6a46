/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - a server, the client that drives it, and how to know that the server is up.
 *
 * `ready` is the number of a TCP port of this machine, the path of a socket (anything with a slash that is no command,
 * i.e. has no space and is not executable), or a shell command that succeeds.  It is asked again and again, more and
 * more slowly (1 ms to 100 ms), until it says yes: there are no fixed sleeps.
 *
 * A driver is a process of its own: it waits for the server, becomes the client, and so ends as the client does.  Who
 * started the server watches both: when the driver has ended, the server gets SIGTERM, then SIGKILL; when the server
 * dies first, the driver is killed; when it has ended well, the driver may take SERVICE_TERM_MS to end, too. */
#ifndef BLACKOUT_RUN_SERVICE_H
#define BLACKOUT_RUN_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

enum { SERVICE_TERM_MS = 5000 /* for the server to end by itself after SIGTERM, or for the client after the server */ };

struct service {
	const char *client; /* shell command */
	const char *ready;  /* NULL: the client waits for the server by itself */
};

/* -1, ERR_USAGE: `ready` is no port, path or command. */
int service_check(const struct service *service, struct err *err);

/* The port that `ready` is: -1 if it is none, 0 if it is a number that no port has. */
int service_port(const char *ready);

/* In a process that was forked for it: wait for the server, then become the client.  Does not come back. */
void service_drive(const struct service *service) __attribute__((noreturn));

#endif
