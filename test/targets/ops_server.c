/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_server.c - a server and its two clients in one process: each message is a number to store.
 *
 *     ops_server POOL read|recv|nonblocking */
// link: -lpthread
#include "target.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

/* Two connections, one after the other; each message waits for the answer to the one before. */
static void *client(void *argument)
{
	char answer;

	for (int c = 0; c < 2; c++) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
		for (int n = 0; n < 2; n++) {
			CHECK(write(fd, &(char){(char)(10 * c + n + 1)}, 1) == 1);
			CHECK(read(fd, &answer, 1) == 1);
		}
		close(fd);
	}
	return argument;
}

static ssize_t receive(const char *how, int fd, char *message)
{
	if (!strcmp(how, "recv"))
		return recv(fd, message, 1, 0);
	return read(fd, message, 1);
}

int main(int argc, char **argv)
{
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t thread;
	char *pool, message;

	CHECK(argc == 3);
	pool = pool_create(argv[1]);
	strcpy(address.sun_path, "socket");
	unlink("socket");
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 2) == 0);
	CHECK(pthread_create(&thread, NULL, client, NULL) == 0);
	begin(pool);
	for (int c = 0; c < 2; c++) {
		int fd = accept(listener, NULL, NULL);
		ssize_t got;

		CHECK(fd >= 0);
		if (!strcmp(argv[2], "nonblocking"))
			CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
		while ((got = receive(argv[2], fd, &message))) {
			if (got < 0) {
				sched_yield();
				continue;
			}
			if (!strcmp(argv[2], "nonblocking")) /* ask for more before acting, in vain */
				CHECK(read(fd, &(char){0}, 1) < 0);
			ST8(pool + 8 * message, message);
			CHECK(write(fd, &message, 1) == 1);
		}
		close(fd);
	}
	end(pool);
	CHECK(pthread_join(thread, NULL) == 0);
	return 0;
}
