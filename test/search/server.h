/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - what the servers have in common; most have a Unix socket beside their pool. */
#ifndef SERVER_H
#define SERVER_H

#include "search.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

static inline int server_socket(const char *pool, struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(fd >= 0);
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), "%s.socket", pool);
	return fd;
}

/* The server is told to stop as soon as its client has ended.  What it has begun to answer it finishes: its client may have
 * ended before it could see that. */
static volatile sig_atomic_t server_is_answering;

static inline void server_stop(int sig)
{
	(void)sig;
	if (!server_is_answering)
		_exit(0);
}

static inline bool server_answer(char *pool, int fd, bool (*answer)(char *pool, int fd))
{
	server_is_answering = true;
	bool asked = answer(pool, fd);
	server_is_answering = false;
	return asked;
}

/* Answer connections to this bound socket until somebody has asked something.  `answer` closes the connection; false: it was
 * only tried whether the server is there. */
static inline int server_answer_one(char *pool, int listener, bool (*answer)(char *pool, int fd))
{
	struct sigaction stop = {.sa_handler = server_stop, .sa_flags = SA_RESTART};

	CHECK(sigaction(SIGTERM, &stop, NULL) == 0 && listen(listener, 4) == 0);
	while (!server_answer(pool, accept(listener, NULL, NULL), answer))
		;
	return 0;
}

static inline int server_serve(char *pool, const char *path, bool (*answer)(char *pool, int fd))
{
	struct sockaddr_un addr;
	int fd = server_socket(path, &addr);

	unlink(addr.sun_path);
	CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return server_answer_one(pool, fd, answer);
}

/* Make the pool first. */
static inline int server_run(const char *path, bool (*answer)(char *pool, int fd))
{
	char *pool = pool_create(path);

	SAVE(pool, 1);
	return server_serve(pool, path, answer);
}

static inline int server_connect(const char *path)
{
	struct sockaddr_un addr;
	int fd = server_socket(path, &addr);

	CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return fd;
}

/* The client: sends a request and prints the answer, which must not be "bad". */
static inline int server_ask(const char *path, const char *request)
{
	int fd = server_connect(path);
	char reply[32] = "";

	CHECK(send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request));
	CHECK(recv(fd, reply, sizeof(reply) - 1, 0) > 0);
	fputs(reply, stdout);
	return !strncmp(reply, "bad", 3);
}

#endif
