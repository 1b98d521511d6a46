/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_in.h - the state of a host; for host.c and host_answers.c. */
#ifndef BLACKOUT_PLUGIN_HOST_IN_H
#define BLACKOUT_PLUGIN_HOST_IN_H

#include "base/map.h"
#include "base/vec.h"
#include "plugin/host.h"
#include "trace/symbols.h"
#include "variable/variable.h"

/* A call of a function of libpmemobj that has not ended. */
struct host_call {
	uint32_t function; /* enum bo_pmemobj_function */
	uint64_t arguments[6];
};

/* The transaction of a thread. */
struct host_thread {
	VEC_OF(struct host_call) calls;
	VEC_OF(char) levels; /* nested transactions; 1: failures do not abort it */
	bool working;        /* the innermost one is in its work stage */
	uint64_t pool;       /* its address */
};

struct host {
	struct blackout b; /* first: what the plug-in gets */
	const struct blackout_oracle *oracle;
	struct wire *wire;
	struct trace *trace;
	struct model *model;
	struct symbols *symbols; /* NULL until the plug-in asks for a name */
	struct map variables;    /* from a place to its struct variable */
	struct arena texts;      /* of these */
	uint64_t number;         /* of the last event */
	VEC_OF(uint8_t) before;  /* what was there before a store */
	struct map reports;      /* from the hash of a report to its struct wire_report */
	VEC_OF(uint32_t) chosen; /* by function: 0 unknown, CALL_OTHER, or 1 + index of the pattern that matches it */
	VEC_OF(uint32_t) depths; /* by thread: its open calls of these */
	VEC_OF(struct host_thread) threads;
};

/* Call the plug-in.  While it runs, the wire says so. */
#define HOST_CALL(h, where, function, ...)                  \
	do {                                                \
		if ((h)->oracle->function) {                \
			wire_at((h)->wire, (where));        \
			(h)->oracle->function(__VA_ARGS__); \
			wire_at((h)->wire, WIRE_IN_NONE);   \
		}                                           \
	} while (0)

/* A CALL, RETURN or LEFT: tell the plug-in if it is about a transaction. */
void host_transaction(struct host *host, const struct event *ev);

/* The questions and the report of host->b. */
void host_answers(struct host *host);

#endif
