/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_served.c - a server of numbers, which logs what it does, and its client.
 *
 *     ops_served serve POOL SOCKET [lost]    "add N" adds to the number in the pool; lost: it is not flushed
 *     ops_served ask SOCKET                  sends each line of standard input, and prints the answers */
#include "target.h"

#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void serve(const char *path, int lost)
{
	char text[64];
	int fd = open(path, O_RDWR | O_CREAT, 0644), listener = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(ftruncate(fd, 4096) == 0);
	volatile uint64_t *pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pool != MAP_FAILED);
	printf("server %d has %lu\n", (int)getpid(), pool[0]);
	fflush(stdout);
	unlink(address.sun_path);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 5) == 0);
	for (;;) {
		int peer = accept(listener, NULL, NULL);
		ssize_t n;

		while ((n = read(peer, text, sizeof(text) - 1)) > 0) {
			text[n] = 0;
			if (!strncmp(text, "add ", 4)) {
				pool[0] += strtoul(text + 4, NULL, 10);
				if (!lost)
					__asm__ volatile("clflush (%0)\n\tsfence" : : "r"(pool) : "memory");
			}
			printf("server %d: %s", (int)getpid(), text);
			fflush(stdout);
			n = snprintf(text, sizeof(text), "%lu\n", pool[0]);
			CHECK(write(peer, text, (size_t)n) == n);
		}
		close(peer);
	}
}

static void ask(void)
{
	char line[64];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	while (fgets(line, sizeof(line), stdin)) {
		CHECK(write(fd, line, strlen(line)) == (ssize_t)strlen(line));
		ssize_t n = read(fd, line, sizeof(line) - 1);
		CHECK(n > 0);
		line[n] = 0;
		fputs(line, stdout);
	}
}

int main(int argc, char **argv)
{
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[argc > 3 ? 3 : 2]);
	if (!strcmp(argv[1], "serve"))
		serve(argv[2], argc > 4);
	else
		ask();
	return 0;
}
