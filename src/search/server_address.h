/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server_address.h - where a server waits for its clients: a TCP port or a Unix socket.
 *
 *     struct server_address address;
 *     if (server_address_parse(&address, "tcp:127.0.0.1:8000"))        // or tcp:[::1]:8000, unix:/run/kv, unix:@kv
 *             connect(fd, &address.any, address.size);
 *
 * A name after `unix:@` is in the abstract namespace of Linux. */
#ifndef BLACKOUT_SEARCH_SERVER_ADDRESS_H
#define BLACKOUT_SEARCH_SERVER_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

struct server_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un local;
	};
	socklen_t size;
};

enum { SERVER_ADDRESS_TEXT = 160 };

/* Of the bytes of a struct sockaddr, as a system call gave them.  False: no client can connect to it, or it cannot be
 * written as a line of text. */
bool server_address_take(struct server_address *address, const void *bytes, size_t size);

void server_address_text(const struct server_address *address, char text[SERVER_ADDRESS_TEXT]);
bool server_address_parse(struct server_address *address, const char *text);

/* The path of a Unix socket that is a file; NULL: it is none. */
const char *server_address_path(const struct server_address *address);

#endif
