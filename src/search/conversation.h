/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conversation.h - what a client does to a server: it connects, sends messages, waits for answers, and closes.
 *
 *     struct conversation talk = {0};
 *     conversation_overhear(&talk, recording, &err);          // of a run with the user's client
 *     conversation_add_sources(&talk, &sources, &seed);       // each message may be changed; these are the seed
 *     conversation_write(&talk, "blackout.out/inputs/3", &err);        // beside the messages of one input
 *     conversation_free(&talk);
 *
 * A message is what the server gets without answering: it ends where the server sends something, or has taken all that had
 * come.  A message without bytes ends its connection.  So a connection has room for more messages than were overheard.
 *
 * As a file it has a line for each step:
 *
 *     connect 1 tcp:127.0.0.1:8000
 *     ask 1.1                             send the message of the file socket1.1, and wait for an answer
 *     send 1.2                            send it; the server did not answer
 *     close 1 */
#ifndef BLACKOUT_SEARCH_CONVERSATION_H
#define BLACKOUT_SEARCH_CONVERSATION_H

#include "base/vec.h"
#include "search/input.h"
#include "search/server_address.h"
#include "search/start.h"

#define CONVERSATION_FILE "conversation"

/* X(name, text) */
#define TALKS(X)              \
	X(CONNECT, "connect") \
	X(ASK, "ask")         \
	X(SEND, "send")       \
	X(CLOSE, "close")

enum talk {
#define X(name, text) TALK_##name,
	TALKS(X)
#undef X
		TALK_COUNT
};

struct conversation_step {
	enum talk kind;
	unsigned connection; /* from 1 */
	unsigned message;    /* ASK, SEND: from 1 */
	struct server_address address;
	struct input_bytes bytes; /* ASK, SEND: what was overheard; owned */
};

/* Zeroed: nothing is said. */
struct conversation {
	VEC_OF(struct conversation_step) steps;
	unsigned connections;
};

/* What the server of a recording (--inputs socket) got.  Connections on which nothing came are left out. */
int conversation_overhear(struct conversation *talk, const char *recording, struct err *err);
void conversation_free(struct conversation *talk);

/* Into, and from, the file CONVERSATION_FILE of a directory. */
int conversation_write(const struct conversation *talk, const char *dir, struct err *err);
int conversation_read(struct conversation *talk, const char *dir, struct err *err);

/* The name of a message's source, which is that of its file, too. */
void conversation_source_name(const struct conversation_step *step, char name[INPUT_NAME_MAX]);

/* Add a source for each message, and its bytes to the seed. */
void conversation_add_sources(const struct conversation *talk, struct input_sources *sources, struct input *seed);

/* Can several servers of this conversation run at a time, if each has its own network?  NULL: yes; otherwise the path of a
 * socket that they would share. */
const char *conversation_shared_path(const struct conversation *talk, const struct start *start);

#endif
