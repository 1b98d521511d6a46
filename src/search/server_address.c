/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server_address.c - see server_address.h. */
#include "search/server_address.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TCP_WORD "tcp:"
#define UNIX_WORD "unix:"
#define PATH_AT offsetof(struct sockaddr_un, sun_path)

enum { PORT_MAX = 65535 };

/* A path ends with a zero byte, or fills the address; an abstract name begins with one. */
static bool local_take(struct server_address *address, size_t size)
{
	char *name = address->local.sun_path;
	bool is_abstract = size > PATH_AT && !*name;
	size_t length = size <= PATH_AT ? 0 : is_abstract ? size - PATH_AT - 1 : strnlen(name, size - PATH_AT);

	address->size = (socklen_t)(PATH_AT + length + 1);
	if (!length || address->size > sizeof(address->local))
		return false;
	if (!is_abstract)
		name[length] = 0;
	return !memchr(name + is_abstract, 0, length) && !memchr(name + is_abstract, '\n', length);
}

bool server_address_take(struct server_address *address, const void *bytes, size_t size)
{
	*address = (struct server_address){0};
	if (size > sizeof(address->local) || size < sizeof(address->any.sa_family))
		return false;
	memcpy(&address->any, bytes, size);
	switch (address->any.sa_family) {
	case AF_INET: address->size = sizeof(address->v4); return size >= address->size;
	case AF_INET6: address->size = sizeof(address->v6); return size >= address->size;
	case AF_UNIX: return local_take(address, size);
	default: return false;
	}
}

void server_address_text(const struct server_address *address, char text[SERVER_ADDRESS_TEXT])
{
	char host[INET6_ADDRSTRLEN] = "";
	bool is_abstract = !*address->local.sun_path;

	switch (address->any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof(host));
		snprintf(text, SERVER_ADDRESS_TEXT, TCP_WORD "%s:%u", host, ntohs(address->v4.sin_port));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof(host));
		snprintf(text, SERVER_ADDRESS_TEXT, TCP_WORD "[%s]:%u", host, ntohs(address->v6.sin6_port));
		break;
	default:
		snprintf(text, SERVER_ADDRESS_TEXT, UNIX_WORD "%s%.*s", is_abstract ? "@" : "",
			 (int)(address->size - PATH_AT - 1), address->local.sun_path + is_abstract);
	}
}

/* Host and port of "127.0.0.1:80" or "[::1]:80".  False: it has another form. */
static bool tcp_split(const char *text, char host[INET6_ADDRSTRLEN], in_port_t *port)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	bool is_v6 = length > 2 && *text == '[' && text[length - 1] == ']';
	char *end;
	unsigned long number;

	length -= is_v6 ? 2 : 0;
	if (!length || length >= INET6_ADDRSTRLEN || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return false;
	memcpy(host, text + is_v6, length);
	host[length] = 0;
	number = strtoul(colon + 1, &end, 10);
	*port = htons((in_port_t)number);
	return number > 0 && number <= PORT_MAX;
}

static bool tcp_parse(struct server_address *address, const char *text)
{
	char host[INET6_ADDRSTRLEN];
	in_port_t port;

	if (!tcp_split(text, host, &port))
		return false;
	if (*text == '[') {
		address->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
		address->size = sizeof(address->v6);
		return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
	}
	address->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
	address->size = sizeof(address->v4);
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

static bool local_parse(struct server_address *address, const char *name)
{
	bool is_abstract = *name == '@';
	size_t length = strlen(name) - is_abstract;

	if (!length || length + 1 > sizeof(address->local.sun_path))
		return false;
	address->local.sun_family = AF_UNIX;
	memcpy(address->local.sun_path + is_abstract, name + is_abstract, length);
	address->size = (socklen_t)(PATH_AT + length + 1);
	return true;
}

bool server_address_parse(struct server_address *address, const char *text)
{
	*address = (struct server_address){0};
	if (!strncmp(text, TCP_WORD, strlen(TCP_WORD)))
		return tcp_parse(address, text + strlen(TCP_WORD));
	return !strncmp(text, UNIX_WORD, strlen(UNIX_WORD)) && local_parse(address, text + strlen(UNIX_WORD));
}

const char *server_address_path(const struct server_address *address)
{
	bool is_path = address->any.sa_family == AF_UNIX && *address->local.sun_path;

	return is_path ? address->local.sun_path : NULL;
}
