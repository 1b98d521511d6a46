/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - the process of blackout-solver: it is started when it is needed, and again after its death.
 *
 *     struct server *server = server_new("/usr/libexec/blackout/blackout-solver", &limits);
 *     switch (server_ask(server, trail, slice, effort, &values)) ...
 *     server_free(server);                                     // the process is gone
 *
 * The process has its own group, so that an interrupt from the terminal does not end it, and it dies with this one. */
#ifndef BLACKOUT_SOLVE_SERVER_H
#define BLACKOUT_SOLVE_SERVER_H

#include "base/err.h"
#include "base/stop.h"
#include "solve/message.h"
#include "solve/trail.h"

struct server_limits {
	uint32_t memory_mb; /* of the process */
	uint32_t ms;        /* for a question */
	uint32_t grace_ms;  /* so long after it the process is killed */
	struct stop stop;   /* do not wait any longer */
};

struct server_value {
	uint32_t variable; /* expression */
	uint64_t value;
};

struct server_values {
	VEC_OF(struct server_value) values;
};

enum server_answer {
	SERVER_SAT,
	SERVER_UNSAT,
	SERVER_UNKNOWN,
	SERVER_SLOW,    /* unknown, too: its time was over, though perhaps not its effort */
	SERVER_LATE,    /* killed: it did not answer in time */
	SERVER_DEAD,    /* it crashed, or had no memory left, or said what it could not have said */
	SERVER_STOPPED, /* the caller does not want to wait any longer */
};

struct server;

/* Start nothing yet.  The path is copied. */
struct server *server_new(const char *path, const struct server_limits *limits);
void server_free(struct server *server);

/* Ask whether all conditions of the slice can hold that are not only wished for.  Return -1 if no process can be started. */
int server_ask(struct server *server, const struct trail *trail, const struct slice *slice, uint32_t effort,
	       enum server_answer *answer, struct server_values *values, struct err *err);

#endif
