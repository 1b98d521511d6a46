/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-server-fixed.c - a server counts an entry when the entry is on media. */
// client: ask {ops}
// run: --detect inject
// op: add 5; sum; add 6; add 7; sum; add 8; sum; add 9; add 10; sum
#include "ops.h"

#include <sys/socket.h>
#include <sys/un.h>

struct entry {
	_Alignas(LINE) uint64_t value;
};

struct pool {
	_Alignas(LINE) uint64_t count;
	struct entry entries[64];
};

static void add(struct pool *pool, uint64_t value)
{
	struct entry *entry = &pool->entries[pool->count];

	ST8(&entry->value, value);
	PERSIST(entry);
	ST8(&pool->count, pool->count + 1);
	PERSIST(&pool->count);
}

static void answer(struct pool *pool, FILE *requests)
{
	uint64_t sum = 0;
	struct operation op;

	while (operation_next(requests, &op)) {
		sum = 0;
		if (is(&op, "add"))
			add(pool, op.a);
		for (uint64_t i = 0; i < pool->count; i++)
			sum += pool->entries[i].value;
		dprintf(fileno(requests), "%lu entries, %lu\n", pool->count, sum);
	}
	fclose(requests);
}

static int socket_of(const char *pool, struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(fd >= 0);
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), "%s.socket", pool);
	return fd;
}

static void serve(const char *path)
{
	struct pool *pool = pool_attach(path, POOL_ADDR, POOL_BYTES);
	struct sockaddr_un addr;
	int fd = socket_of(path, &addr);

	unlink(addr.sun_path);
	CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(fd, 4) == 0);
	for (;;)
		answer(pool, fdopen(accept(fd, NULL, NULL), "r"));
}

/* The client: sends each operation and prints the answer. */
static int ask(const char *path, FILE *list)
{
	struct sockaddr_un addr;
	int fd = socket_of(path, &addr);
	char line[256];
	FILE *answers;

	CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	answers = fdopen(fd, "r");
	while (fgets(line, sizeof(line), list)) {
		dprintf(fd, "%s", line);
		CHECK(fgets(line, sizeof(line), answers));
		fputs(line, stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return ask(argv[1], list_open(argv[3]));
	serve(argv[1]);
}
