/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_messages.c - connections whose messages are known before: each message is a source of its own.
 *
 * Whoever sends them waits for an answer, or until the target is quiet, before it sends the next one.  So a call gets the
 * rest of a message at most, and how many bytes that are depends on the length of the message.  A message of no bytes is
 * the end of the connection: it may be longer. */
#include "bo_input_source.h"

#define MESSAGES_MAX 256

struct connection {
	ULong dev, ino;
	Bool is_open; /* dev and ino are known */
	UInt first;   /* the source of its first message */
	UInt count;
	ULong sizes[MESSAGES_MAX];
	UInt message; /* the one that is being read, */
	ULong at;     /* from here on */
};

static struct connection *connections;
static UInt connection_count, accepted;

Bool bo_messages_are_known(void)
{
	return connection_count != 0;
}

/* The source has the numbers of the connection and of the message as its name. */
static void add_message(struct connection *c, ULong size)
{
	HChar name[32];
	UInt source;

	VG_(sprintf)(name, "%u.%u", connection_count, c->count + 1);
	source = bo_source_add(BO_SOURCE_SOCKET, VG_(strdup)("bo.message", name));
	if (!c->count)
		c->first = source;
	c->sizes[c->count++] = size;
}

Bool bo_messages_choose(const HChar *sizes)
{
	struct connection *c;

	connections = VG_(realloc)("bo.connections", connections, (connection_count + 1) * sizeof(*connections));
	c = &connections[connection_count++];
	VG_(memset)(c, 0, sizeof(*c));
	for (const HChar *p = sizes;; p++) {
		HChar *end;
		Long size = VG_(strtoll10)(p, &end);

		if (end == p || size < 0 || c->count == MESSAGES_MAX || (*end && *end != ','))
			return False;
		add_message(c, (ULong)size);
		if (!*end)
			return True;
		p = end;
	}
}

void bo_messages_accept(Int fd)
{
	struct vg_stat st;
	struct connection *c;

	if (accepted == connection_count || VG_(fstat)(fd, &st) != 0)
		return;
	c = &connections[accepted++];
	c->is_open = True;
	c->dev = st.dev;
	c->ino = st.ino;
}

static struct connection *connection_of(Int fd)
{
	struct vg_stat st;

	if (VG_(fstat)(fd, &st) != 0)
		return NULL;
	for (UInt i = accepted; i-- > 0;) /* numbers of inodes are used again, so the last one counts */
		if (connections[i].dev == st.dev && connections[i].ino == st.ino)
			return &connections[i];
	return NULL;
}

/* The rest of the message that is being read; that of the next one, if it was read whole. */
static ULong rest_of_message(struct connection *c)
{
	while (c->message < c->count && c->sizes[c->message] && c->at == c->sizes[c->message]) {
		c->message++;
		c->at = 0;
	}
	return c->message < c->count ? c->sizes[c->message] - c->at : 0;
}

/* Nothing is known of a call that got bytes of several messages, or less than a message had. */
static void read_count(const struct connection *c, const struct bo_reading *r, ULong rest)
{
	if (c->message < c->count && r->got == (r->asked < rest ? r->asked : rest))
		bo_source_label_count(r, c->first + c->message, c->sizes[c->message], c->at);
}

Bool bo_messages_read(Int fd, const struct bo_reading *r)
{
	struct connection *c = connection_of(fd);
	UInt context = bo_context_of_syscall(r->tid);
	ULong done = 0, at;
	UInt message;

	if (!c)
		return False;
	message = c->message;
	at = c->at;
	if (r->asked)
		read_count(c, r, rest_of_message(c));
	do {
		ULong rest = rest_of_message(c), part = r->got - done < rest ? r->got - done : rest;

		if (c->message == c->count)
			break;
		bo_source_label(r, done, part, c->first + c->message, c->at);
		done += part;
		bo_tell_input(context, c->first + c->message, c->at, done < r->got ? part : part + r->asked - r->got,
			      part);
		c->at += part;
	} while (done < r->got);
	if (r->peeks) {
		c->message = message;
		c->at = at;
	}
	return True;
}
