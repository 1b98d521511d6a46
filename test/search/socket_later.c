/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket_later.c - a server does what its client asks for, but the client must have said more before than the seed does. */
// arguments: pool
// client: open
// trigger client: open lock put9
#include "search.h"

#include <sys/socket.h>
#include <sys/un.h>

enum state { NEW, OPEN, LOCKED };

static int socket_of(const char *pool, struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(fd >= 0);
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), "%s.socket", pool);
	return fd;
}

static enum state request_do(char *pool, enum state state, const char *request, ssize_t size)
{
	if (state == NEW && size == 4 && !memcmp(request, "open", 4))
		return OPEN;
	if (state == OPEN && size == 4 && !memcmp(request, "lock", 4))
		return LOCKED;
	if (state == LOCKED && size > 3 && !memcmp(request, "put", 3)) {
		if (request[3] == '9')
			ST8(pool, 2); //! missing-flush error
		else
			SAVE(pool + LINE, 1);
	}
	return state;
}

/* False: it was only tried whether the server is there. */
static bool answer(char *pool, int fd)
{
	enum state state = NEW;
	char request[32];
	bool asked = false;
	ssize_t got;

	while ((got = recv(fd, request, sizeof(request), 0)) > 0) {
		asked = true;
		state = request_do(pool, state, request, got);
		send(fd, "done\n", 5, MSG_NOSIGNAL);
	}
	close(fd);
	return asked;
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

/* The client: sends requests, and waits for the answer to each. */
static int ask(const char *path, char **requests)
{
	struct sockaddr_un addr;
	int fd = socket_of(path, &addr);
	char reply[32];

	CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	for (; *requests; requests++) {
		CHECK(send(fd, *requests, strlen(*requests), MSG_NOSIGNAL) == (ssize_t)strlen(*requests));
		CHECK(recv(fd, reply, sizeof(reply), 0) > 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 2 ? ask(argv[1], argv + 2) : serve(argv[1]);
}
