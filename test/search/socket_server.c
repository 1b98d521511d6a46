/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket_server.c - a server for a single request gets one with a key. */
// arguments: pool
// client: ask get=1
// trigger client: ask set=9
#include "search.h"

#include <sys/socket.h>
#include <sys/un.h>

static int socket_of(const char *pool, struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(fd >= 0);
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), "%s.socket", pool);
	return fd;
}

/* False: it was only tried whether the server is there. */
static bool answer(char *pool, int fd)
{
	char request[32] = "";
	ssize_t got = recv(fd, request, sizeof(request) - 1, 0);

	if (got >= 5 && !memcmp(request, "set=", 4)) {
		if (request[4] == '9')
			ST8(pool, 2); //! missing-flush error
		else
			SAVE(pool + LINE, 1);
	}
	send(fd, "done\n", 5, MSG_NOSIGNAL);
	close(fd);
	return got > 0;
}

static int serve(const char *path)
{
	char *pool = pool_create(path);
	struct sockaddr_un addr;
	int fd = socket_of(path, &addr);

	SAVE(pool, 1);
	unlink(addr.sun_path);
	CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(fd, 4) == 0);
	while (!answer(pool, accept(fd, NULL, NULL)))
		;
	return 0;
}

/* The client: sends a request and prints the answer. */
static int ask(const char *path, const char *request)
{
	struct sockaddr_un addr;
	int fd = socket_of(path, &addr);
	char reply[32] = "";

	CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	CHECK(send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request));
	CHECK(recv(fd, reply, sizeof(reply) - 1, 0) > 0);
	fputs(reply, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 3 ? ask(argv[1], argv[3]) : serve(argv[1]);
}
