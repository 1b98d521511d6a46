/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.c - see service.h. */
#include "run/service.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT_MAX = 65535, WAIT_FIRST_US = 1000, WAIT_LAST_US = 100000 };

int service_port(const char *ready)
{
	char *end;
	unsigned long port;

	if (!ready || !isdigit((unsigned char)*ready))
		return -1;
	port = strtoul(ready, &end, 10);
	return *end ? -1 : port > 0 && port <= PORT_MAX ? (int)port : 0;
}

int service_check(const struct service *service, struct err *err)
{
	if (service->ready && service_port(service->ready) == 0)
		err_set(err, "--ready %.20s: the port number is out of range", service->ready);
	else if (service->ready && !*service->ready)
		err_set(err, "--ready needs a port, the path of a socket, or a command");
	else if (!*service->client)
		err_set(err, "--client needs a command");
	else
		return 0;
	return err_status(err, ERR_USAGE);
}

static bool address_answers(const void *address, socklen_t size)
{
	int fd = socket(((const struct sockaddr *)address)->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = fd >= 0 && connect(fd, address, size) == 0;

	if (fd >= 0)
		close(fd);
	return yes;
}

static bool port_answers(int port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_port = htons((uint16_t)port),
				  .sin6_addr = in6addr_loopback};

	v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address_answers(&v4, sizeof(v4)) || address_answers(&v6, sizeof(v6));
}

/* A path has no space and is not executable; a program is a command.  A word without a slash is a path as soon as a
 * socket has that name: no command of the shell is meant then. */
static bool ready_is_path(const char *ready)
{
	struct stat st;
	bool exists = stat(ready, &st) == 0;

	if (strpbrk(ready, " \t\n;|&<>()$`\"'"))
		return false;
	if (exists && S_ISSOCK(st.st_mode))
		return true;
	return strchr(ready, '/') && (!exists || !S_ISREG(st.st_mode) || access(ready, X_OK) < 0);
}

/* A socket must accept a connection; anything else only has to exist. */
static bool path_answers(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	if (!S_ISSOCK(st.st_mode) || strlen(path) >= sizeof(address.sun_path))
		return true;
	strcpy(address.sun_path, path);
	return address_answers(&address, sizeof(address));
}

static bool command_answers(const char *command)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(null, STDIN_FILENO); /* the client's input may be operations */
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0;
}

static bool service_is_ready(const char *ready)
{
	int port = service_port(ready);

	if (port > 0)
		return port_answers(port);
	return ready_is_path(ready) ? path_answers(ready) : command_answers(ready);
}

void service_drive(const struct service *service)
{
	unsigned wait = WAIT_FIRST_US;

	while (service->ready && !service_is_ready(service->ready)) {
		usleep(wait);
		wait = wait * 3 / 2 < WAIT_LAST_US ? wait * 3 / 2 : WAIT_LAST_US;
	}
	execl("/bin/sh", "sh", "-c", service->client, (char *)NULL);
	_exit(127);
}
