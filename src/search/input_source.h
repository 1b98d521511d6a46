/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_source.h - where the input comes from that a search may change (--symbolic).
 *
 *     struct input_sources sources = {0};
 *     input_sources_add(&sources, "stdin", &err);
 *     input_sources_add(&sources, "file:conf/kv.conf", &err);
 *     ... sources.at[0].name ...                           // "stdin": the name of its file in an input's directory
 *     input_sources_free(&sources); */
#ifndef BLACKOUT_SEARCH_INPUT_SOURCE_H
#define BLACKOUT_SEARCH_INPUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "blackout/expression.h"

#define SOCKET_WORD "socket"

enum {
	SOURCES_GIVEN_MAX = 16, /* by --symbolic */
	SOURCES_MAX = 112,      /* with the messages of a client */
	INPUT_NAME_MAX = 32     /* bytes of the name of a message */
};

struct input_source {
	enum bo_source kind; /* of operations, how the program reads them: STDIN, or FILE */
	bool ops;            /* the list of --ops */
	char *name;          /* "stdin", "arg1", "file-NAME", "ops", "socket1.2" */
	char *path;          /* FILE, not operations: absolute and canonical; otherwise NULL */
	unsigned number;     /* ARG, and the connection of SOCKET: from 1 */
};

struct input_sources {
	struct input_source at[SOURCES_MAX];
	size_t count;
	bool sockets; /* what the server gets from its client, too: its messages become sources (conversation.h) */
};

/* Add what one --symbolic names.  -1, ERR_USAGE. */
int input_sources_add(struct input_sources *sources, const char *what, struct err *err);
void input_sources_free(struct input_sources *sources);

#endif
