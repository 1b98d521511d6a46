/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.c - see server.h. */
#include "solve/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "solve/mirror.h"
#include "solve/reply.h"

enum {
	READ_BYTES = 16 << 10,
	STOP_MS = 50,      /* so often `stop` is asked while we wait */
	ADDRESS_SPACE = 4, /* times the memory that Z3 may use: for the process itself, and what Z3 does not count */
	CANNOT_RUN = 127,  /* exit status, also of the dynamic linker if a library is missing */
};

struct server {
	char *path;
	struct server_limits limits;
	pid_t pid; /* 0: none */
	int fd;
	uint64_t serial;
	struct mirror mirror;
	struct message_bytes message, received;
};

struct server *server_new(const char *path, const struct server_limits *limits)
{
	struct server *server = mem_alloc(sizeof(*server));

	server->path = strdup(path);
	server->limits = *limits;
	server->fd = -1;
	return server;
}

/* End the process; return its status as of waitpid. */
static int server_end(struct server *server)
{
	int status = 0;

	if (!server->pid)
		return 0;
	close(server->fd);
	server->fd = -1;
	kill(server->pid, SIGKILL);
	while (waitpid(server->pid, &status, 0) < 0 && errno == EINTR)
		;
	server->pid = 0;
	mirror_forget(&server->mirror);
	return status;
}

void server_free(struct server *server)
{
	if (!server)
		return;
	server_end(server);
	mirror_free(&server->mirror);
	vec_free(&server->message);
	vec_free(&server->received);
	free(server->path);
	free(server);
}

/* ---- the process ---- */

/* In the child; the parent may have threads, so only system calls are safe. */
static _Noreturn void child_exec(const struct server *server, const char *memory, int fd, pid_t parent)
{
	rlim_t bytes = (rlim_t)server->limits.memory_mb * ADDRESS_SPACE << 20;
	char *const argv[] = {server->path, (char *)memory, NULL};
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(CANNOT_RUN);
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
	int null = open("/dev/null", O_WRONLY);
	if (dup2(fd, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(CANNOT_RUN);
	execv(server->path, argv);
	_exit(CANNOT_RUN);
}

static int server_start(struct server *server, struct err *err)
{
	pid_t parent = getpid();
	char memory[16];
	int pair[2];

	if (server->pid)
		return 0;
	if (access(server->path, X_OK) < 0)
		return err_sys(err, "cannot run the solver %s", server->path);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, "cannot talk to the solver");
	snprintf(memory, sizeof(memory), "%u", server->limits.memory_mb);
	server->pid = fork();
	if (!server->pid)
		child_exec(server, memory, pair[1], parent);
	close(pair[1]);
	if (server->pid < 0) {
		close(pair[0]);
		server->pid = 0;
		return err_sys(err, "cannot start the solver");
	}
	server->fd = pair[0];
	return 0;
}

/* ---- talking ---- */

enum wait { WAIT_READY, WAIT_LATE, WAIT_STOPPED };

static enum wait server_wait(struct server *server, short events, int64_t deadline)
{
	struct pollfd ready = {.fd = server->fd, .events = events};

	for (;;) {
		int64_t left = deadline - clock_ms();

		if (stop_asked(&server->limits.stop))
			return WAIT_STOPPED;
		if (left <= 0)
			return WAIT_LATE;
		if (poll(&ready, 1, left < STOP_MS ? (int)left : STOP_MS) > 0)
			return WAIT_READY;
	}
}

static enum server_answer failure_of(enum wait wait)
{
	return wait == WAIT_STOPPED ? SERVER_STOPPED : SERVER_LATE;
}

/* Return SERVER_SAT if all was sent. */
static enum server_answer message_send(struct server *server, int64_t deadline)
{
	size_t sent = 0;

	while (sent < server->message.count) {
		ssize_t n = send(server->fd, server->message.at + sent, server->message.count - sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			sent += (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return SERVER_DEAD;
		enum wait wait = server_wait(server, POLLOUT, deadline);
		if (wait != WAIT_READY)
			return failure_of(wait);
	}
	return SERVER_SAT;
}

static enum server_answer answer_of(const struct reply *reply, const struct slice *slice, struct server_values *values)
{
	static const enum server_answer answers[] = {
		[MESSAGE_SAT] = SERVER_SAT, [MESSAGE_UNSAT] = SERVER_UNSAT, [MESSAGE_UNKNOWN] = SERVER_UNKNOWN};

	for (size_t i = 0; i < reply->values.count; i++)
		vec_push(&values->values, ((struct server_value){slice->variables.at[reply->values.at[i].variable],
								 reply->values.at[i].value}));
	return answers[reply->verdict];
}

/* Receive until the reply is complete.  Return SERVER_SAT if it is. */
static enum server_answer reply_receive(struct server *server, const struct slice *slice, int64_t deadline,
					struct reply *reply)
{
	uint8_t block[READ_BYTES];
	enum message_state state;

	server->received.count = 0;
	while ((state = reply_read(reply, server->received.at, server->received.count, server->serial,
				   slice->variables.count)) == MESSAGE_PARTIAL) {
		enum wait wait = server_wait(server, POLLIN, deadline);

		if (wait != WAIT_READY)
			return failure_of(wait);
		ssize_t n = recv(server->fd, block, sizeof(block), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return SERVER_DEAD;
		vec_append(&server->received, block, n > 0 ? (size_t)n : 0);
	}
	return state == MESSAGE_COMPLETE ? SERVER_SAT : SERVER_DEAD;
}

static enum server_answer server_talk(struct server *server, const struct trail *trail, const struct slice *slice,
				      uint32_t effort, struct server_values *values)
{
	struct message_ask ask = {.serial = ++server->serial, .ms = server->limits.ms, .effort = effort};
	int64_t over = clock_ms() + server->limits.ms, deadline = over + server->limits.grace_ms;

	server->message.count = 0;
	mirror_tell(&server->mirror, trail, slice, &ask, &server->message);
	struct reply reply = {0};
	enum server_answer answer = message_send(server, deadline);
	if (answer == SERVER_SAT)
		answer = reply_receive(server, slice, deadline, &reply);
	if (answer == SERVER_SAT)
		answer = answer_of(&reply, slice, values);
	if (answer == SERVER_UNKNOWN && clock_ms() >= over)
		answer = SERVER_SLOW;
	vec_free(&reply.values);
	return answer;
}

int server_ask(struct server *server, const struct trail *trail, const struct slice *slice, uint32_t effort,
	       enum server_answer *answer, struct server_values *values, struct err *err)
{
	if (server_start(server, err) < 0)
		return -1;
	*answer = server_talk(server, trail, slice, effort, values);
	if (*answer <= SERVER_SLOW)
		return 0;
	int status = server_end(server);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_RUN) {
		err_set(err, "the solver %s does not start", server->path);
		return err_hint(err, "is the library of Z3 installed? apt-get install libz3-4");
	}
	return 0;
}
