/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.c - a server over persistent memory, and its client.
 *
 *     service serve POOL SOCKET [buggy]    make the pool if there is none; answer until SIGTERM
 *     service add SOCKET N                 a client: add N values
 *     service quit SOCKET                  a client: the server ends
 *     service check SOCKET                 a client: ask for the sum of all values; status 1 if it is wrong
 *
 * A value is a cell; the count says how many cells hold.  The buggy server counts a cell before it is on media. */
#include <sys/socket.h>
#include <sys/un.h>

#include "target.h"

#define CELLS 64
#define CELL(pool, n) ((pool) + PAGE + (n)*64)

static char *pool;
static int buggy;

static void add(uint64_t value)
{
	uint64_t n = load8(pool);

	CHECK(n < CELLS);
	ST8(CELL(pool, n), value);
	if (!buggy) {
		CLWB(CELL(pool, n));
		SFENCE();
	}
	ST8(pool, n + 1);
	CLWB(pool);
	SFENCE();
	CLWB(CELL(pool, n));
	SFENCE();
}

/* Cells hold 1, 2, 3...: anything else was lost. */
static const char *check(void)
{
	for (uint64_t n = 0; n < load8(pool); n++)
		if (load8(CELL(pool, n)) != n + 1)
			return "a cell was lost\n";
	return "all well\n";
}

static void answer(int fd)
{
	FILE *client = fdopen(fd, "r");
	char line[64];

	while (fgets(line, sizeof(line), client)) {
		uint64_t value = strtoul(line, NULL, 10);

		if (*line == 'q')
			exit(0);
		if (value)
			add(value);
		dprintf(fd, "%s", value ? "added\n" : check());
	}
	fclose(client);
}

static int socket_open(const char *path, int serve)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(fd >= 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (serve) {
		unlink(path);
		CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(fd, 4) == 0);
	} else
		CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return fd;
}

static void stop(int number)
{
	(void)number;
	_exit(0);
}

static void serve(const char *path, const char *socket_path)
{
	int fd = open(path, O_RDWR), listener;

	pool = fd < 0 ? pool_create(path) : file_map(fd, POOL_ADDR, POOL_BYTES);
	signal(SIGTERM, stop);
	listener = socket_open(socket_path, 1);
	for (;;) {
		int client = accept(listener, NULL, NULL);

		CHECK(client >= 0);
		answer(client);
	}
}

/* Send a line and return whether the answer is the one wanted. */
static int ask(FILE *server, uint64_t value, const char *wanted)
{
	char line[64] = "";

	dprintf(fileno(server), "%lu\n", (unsigned long)value);
	return fgets(line, sizeof(line), server) && !strcmp(line, wanted);
}

int main(int argc, char **argv)
{
	FILE *server;

	CHECK(argc > 2);
	if (!strcmp(argv[1], "serve")) {
		buggy = argc > 4;
		serve(argv[2], argv[3]);
	}
	server = fdopen(socket_open(argv[2], 0), "r");
	if (!strcmp(argv[1], "quit")) {
		dprintf(fileno(server), "q\n");
		return 0;
	}
	if (!strcmp(argv[1], "check"))
		return !ask(server, 0, "all well\n");
	for (uint64_t i = 1; i <= strtoul(argv[3], NULL, 10); i++)
		CHECK(ask(server, i, "added\n"));
	return 0;
}
