/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket_recovery.c - a request after which a restarted server is refused by its client. */
// arguments: pool
// client: ask get
// trigger client: ask put
// run: --detect inject --recover '@ pool'
#include "server.h"

#include "ops.h"

struct pool {
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) uint64_t valid;
};

static bool answer(char *base, int fd)
{
	struct pool *pool = (struct pool *)base;
	char request[32] = "";
	ssize_t got = recv(fd, request, sizeof(request) - 1, 0);
	bool bad = pool->valid && pool->value != 7;

	if (got >= 3 && !memcmp(request, "put", 3)) {
		SAVE(&pool->valid, 1); //! recovery-error error
		SAVE(&pool->value, 7);
	}
	send(fd, bad ? "bad\n" : "done\n", bad ? 4 : 5, MSG_NOSIGNAL);
	close(fd);
	return got > 0;
}

int main(int argc, char **argv)
{
	if (argc > 3)
		return server_ask(argv[1], argv[3]);
	return server_serve(pool_attach(argv[1], POOL_ADDR, POOL_BYTES), argv[1], answer);
}
