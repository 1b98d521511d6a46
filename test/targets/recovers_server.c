/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovers_server.c - a server that opens a pool, and its client.
 *
 *     recovers_server serve POOL PORT|SOCKET     answers each connection with the number at the start of the pool; 100: SIGSEGV; 400: exit 4
 *     recovers_server ask PORT|SOCKET            exits with the answer
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static union {
	struct sockaddr any;
	struct sockaddr_in port;
	struct sockaddr_un path;
} address;

static int address_parse(const char *text)
{
	if (strchr(text, '/')) {
		address.path.sun_family = AF_UNIX;
		strcpy(address.path.sun_path, text);
		return sizeof(address.path);
	}
	address.port.sin_family = AF_INET;
	address.port.sin_port = htons((uint16_t)atoi(text));
	address.port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sizeof(address.port);
}

static void answer(int fd, const uint64_t *pool)
{
	char question[8];

	/* Who only looks whether we are there asks nothing. */
	if (read(fd, question, sizeof(question)) > 0) {
		if (*pool == 100)
			*(volatile int *)(*pool - 100) = 1;
		if (*pool == 400)
			exit(4);
		if (write(fd, pool, sizeof(*pool)) < 0)
			perror("write");
	}
	close(fd);
}

static int serve(const char *path, const char *where)
{
	int size = address_parse(where), yes = 1;
	int fd = open(path, O_RDWR);
	uint64_t *pool = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (pool == MAP_FAILED) {
		perror(path);
		return 5;
	}
	int listener = socket(address.any.sa_family, SOCK_STREAM, 0);
	usleep(50000); /* servers take their time */
	if (address.any.sa_family == AF_UNIX)
		unlink(where);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(listener, &address.any, (socklen_t)size) < 0 || listen(listener, 8) < 0) {
		perror(where);
		return 6;
	}
	for (;;)
		answer(accept(listener, NULL, NULL), pool);
}

static int ask(const char *where)
{
	int size = address_parse(where);
	int fd = socket(address.any.sa_family, SOCK_STREAM, 0);
	uint64_t value;

	if (connect(fd, &address.any, (socklen_t)size) < 0 || write(fd, "?", 1) < 0)
		return 70;
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return 71;
	printf("the answer is %lu\n", (unsigned long)value);
	return (int)value;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3]);
	return argc == 3 && !strcmp(argv[1], "ask") ? ask(argv[2]) : 2;
}
