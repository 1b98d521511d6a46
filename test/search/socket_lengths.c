/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket_lengths.c - a server on a TCP port with two connections, and binary messages that begin with their length. */
// arguments: pool
// ready: 23417
// client: 02 55 01 / 02 52 00
// trigger client: 02 55 5a / 04 57 00 ef be
#include "server.h"

#include <arpa/inet.h>
#include <netinet/in.h>

enum { PORT = 23417, MESSAGE_MAX = 16 };

static int listener;

static struct sockaddr_in address(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(PORT)};

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return addr;
}

/* The bytes after the length; 0: there is no whole message. */
static size_t message_read(int fd, uint8_t message[MESSAGE_MAX])
{
	uint8_t length;

	if (input_read(fd, &length, 1) != 1 || !length || length > MESSAGE_MAX)
		return 0;
	return input_read(fd, message, length) == length ? length : 0;
}

static void data_write(char *pool, uint8_t user, const uint8_t *message, size_t size)
{
	if (size != 4 || message[0] != 'W')
		return;
	if (user == 0x5a && message[2] == 0xef && message[3] == 0xbe)
		ST8(pool, 2); //! missing-flush error
	else
		SAVE(pool + LINE, message[1]);
}

/* The first connection says who the user is, the second one what is to be done.  False: nobody said anything. */
static bool pair_answer(char *pool, int user)
{
	int data;
	uint8_t who[MESSAGE_MAX], what[MESSAGE_MAX];
	size_t size = message_read(user, who);

	if (size == 2 && who[0] == 'U') {
		send(user, "+", 1, MSG_NOSIGNAL);
		data = accept(listener, NULL, NULL);
		size = message_read(data, what);
		data_write(pool, who[1], what, size);
		send(data, "+", 1, MSG_NOSIGNAL);
		close(data);
	}
	close(user);
	return size;
}

static int serve(const char *path)
{
	char *pool = pool_create(path);
	struct sockaddr_in addr = address();
	int on = 1;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	SAVE(pool, 1);
	CHECK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
	CHECK(bind(listener, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return server_answer_one(pool, listener, pair_answer);
}

static void message_send(char **bytes)
{
	struct sockaddr_in addr = address();
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	uint8_t message[MESSAGE_MAX];
	size_t size = 0;

	CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	for (; *bytes && **bytes != '/'; bytes++)
		message[size++] = (uint8_t)strtoul(*bytes, NULL, 16);
	CHECK(send(fd, message, size, MSG_NOSIGNAL) == (ssize_t)size);
	CHECK(recv(fd, message, 1, 0) == 1);
}

/* The client: two messages in hexadecimal, with a slash between them. */
static int ask(char **bytes)
{
	message_send(bytes);
	while (**bytes != '/')
		bytes++;
	message_send(bytes + 1);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 2 ? ask(argv + 2) : serve(argv[1]);
}
