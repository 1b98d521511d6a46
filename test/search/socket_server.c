/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket_server.c - a server for a single request gets one with a key. */
// arguments: pool
// client: ask get=1
// trigger client: ask set=9
#include "server.h"

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

int main(int argc, char **argv)
{
	return argc > 3 ? server_ask(argv[1], argv[3]) : server_run(argv[1], answer);
}
