// SPDX-License-Identifier: GPL-2.0-or-later
/* Get input in one way, which the first argument names, and look at some bytes of it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "look.h"
#include "target.h"

static uint8_t buffer[64];

static int open_file(char **argv)
{
	int fd = open(argv[2], O_RDONLY);

	CHECK(fd >= 0);
	return fd;
}

static void by_read(char **argv)
{
	(void)argv;
	CHECK(read(0, buffer, 3) == 3);
	look(buffer);
	CHECK(read(0, buffer, 2) == 2);
	look(buffer);
	look(buffer + 2); /* of the first read */
}

static void by_pread(char **argv)
{
	CHECK(pread(open_file(argv), buffer, 4, 2) == 4);
	look(buffer);
}

static void by_readv(char **argv)
{
	struct iovec parts[] = {{buffer, 2}, {buffer + 32, 3}};

	(void)argv;
	CHECK(readv(0, parts, 2) == 5);
	look(buffer + 1);
	look(buffer + 32);
}

static void by_preadv(char **argv)
{
	struct iovec parts[] = {{buffer, 1}, {buffer + 32, 2}};

	CHECK(preadv(open_file(argv), parts, 2, 3) == 3);
	look(buffer);
	look(buffer + 33);
}

/* Descriptors that lead to the same file, and share its position or not. */
static void by_dup(char **argv)
{
	int fd = open_file(argv), same = dup(fd), other = open_file(argv);

	CHECK(read(fd, buffer, 1) == 1 && read(same, buffer + 1, 1) == 1 && read(other, buffer + 2, 1) == 1);
	look(buffer + 1);
	look(buffer + 2);
	CHECK(dup2(same, 9) == 9 && lseek(9, 5, SEEK_SET) == 5 && read(fd, buffer, 1) == 1);
	look(buffer);
}

static void by_stdio(char **argv)
{
	FILE *file = fopen(argv[2], "r");

	CHECK(file && getc(file) != EOF);
	buffer[0] = (uint8_t)getc(file);
	look(buffer);
}

static void by_map(char **argv)
{
	const uint8_t *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open_file(argv), 0);

	CHECK(page != MAP_FAILED);
	look(page + 4);
	look(page + 100); /* behind the end */
}

static void by_argument(char **argv)
{
	look(argv[2] + 1);
	look(argv[3]);     /* not chosen */
	look(argv[2] + 3); /* the end */
}

static void by_length(char **argv)
{
	struct stat st;

	look_number((uint64_t)read(0, buffer, 64));
	look_number((uint64_t)lseek(0, 0, SEEK_END));
	CHECK(fstat(0, &st) == 0 && stat(argv[2], &st) == 0);
	look_number((uint64_t)st.st_size);
}

static void by_end(char **argv)
{
	(void)argv;
	while (read(0, buffer, 3) == 3)
		;
	look_number((uint64_t)read(0, buffer, 64));
}

/* What the kernel or the program writes over input is none. */
static void by_overwriting(char **argv)
{
	int other = open(argv[3], O_RDONLY);

	CHECK(read(0, buffer, 4) == 4);
	CHECK(pread(other, buffer, 1, 0) == 1);
	look(buffer);
	buffer[1] = 'a';
	look(buffer + 1);
	look(buffer + 2);
	memcpy(buffer + 2, argv[3], 1);
	look(buffer + 2);
}

/* ---- connections ---- */

static int listening(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink("socket");
	CHECK(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0);
	return fd;
}

/* A connection on which a child sends some bytes. */
static int accepted(int listener, const char *bytes)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd;

	if (fork() == 0) {
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		    write(fd, bytes, strlen(bytes)) != (ssize_t)strlen(bytes))
			_exit(1);
		_exit(0);
	}
	fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0);
	wait(NULL); /* all bytes are there */
	return fd;
}

static void by_connections(char **argv)
{
	int listener = listening(), first = accepted(listener, "banana"), second = accepted(listener, "cat");
	struct iovec part = {buffer + 8, 2};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	(void)argv;
	CHECK(recv(first, buffer, 2, MSG_PEEK) == 2);
	look(buffer + 1);
	CHECK(recv(first, buffer + 4, 3, 0) == 3);
	look(buffer + 5);
	CHECK(recvmsg(first, &message, 0) == 2);
	look(buffer + 9);
	CHECK(read(second, buffer + 12, 2) == 2);
	look(buffer + 13);
	CHECK(recvfrom(dup(first), buffer + 16, 9, 0, NULL, NULL) == 1);
	look(buffer + 16);
}

static const struct way {
	const char *name;
	void (*get)(char **argv);
} ways[] = {
	{"read", by_read},
	{"pread", by_pread},
	{"readv", by_readv},
	{"preadv", by_preadv},
	{"dup", by_dup},
	{"stdio", by_stdio},
	{"map", by_map},
	{"argument", by_argument},
	{"length", by_length},
	{"end", by_end},
	{"overwriting", by_overwriting},
	{"connections", by_connections},
};

/* strcmp may look at more than the strings: at the next argument. */
static int is_same(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	return *a == *b;
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (is_same(ways[i].name, argv[1]))
			ways[i].get(argv);
	return 0;
}
