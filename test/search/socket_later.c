/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket_later.c - a server does what its client asks for, but the client must have said more before than the seed does. */
// arguments: pool
// client: open
// trigger client: open lock put9
#include "server.h"

enum state { NEW, OPEN, LOCKED };

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

/* The client: sends requests, and waits for the answer to each. */
static int ask(const char *path, char **requests)
{
	int fd = server_connect(path);
	char reply[32];

	for (; *requests; requests++) {
		CHECK(send(fd, *requests, strlen(*requests), MSG_NOSIGNAL) == (ssize_t)strlen(*requests));
		CHECK(recv(fd, reply, sizeof(reply), 0) > 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 2 ? ask(argv[1], argv + 2) : server_run(argv[1], answer);
}
