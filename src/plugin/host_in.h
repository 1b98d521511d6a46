/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_in.h - the state of a host; for host.c and host_answers.c. */
#ifndef BLACKOUT_PLUGIN_HOST_IN_H
#define BLACKOUT_PLUGIN_HOST_IN_H

#include "base/map.h"
#include "base/vec.h"
#include "plugin/host.h"
#include "trace/symbols.h"
#include "trace/transaction.h"
#include "variable/variable.h"

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
	VEC_OF(struct transaction) transactions; /* by thread */
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
