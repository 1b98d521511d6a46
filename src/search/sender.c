/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sender.c - see sender.h. */
#include "search/sender.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "search/conversation.h"
#include "search/siblings.h"

/* Seconds. */
#define TRY_FIRST 0.001
#define TRY_LAST 0.05
#define QUIET_LEAST 0.03 /* so long a server that does not answer must be quiet */
#define QUIET_MOST 0.5
#define ANSWER_LEAST 0.5 /* so long an answer may take */
#define ANSWER_MOST 5.0
#define REST_MOST 0.02 /* between two parts of an answer */
#define LOOK_EVERY 0.002

enum { IDLE_LOOKS = 3 };

struct link {
	int fd;         /* -1: closed */
	bool has_ended; /* nothing more is sent */
	bool is_over;   /* the server has closed it */
};

struct sender {
	const char *dir;
	struct conversation talk;
	struct link *links;   /* by connection */
	double listen;        /* seconds until the server listens, at most */
	double begin;         /* monotonic clock */
	double quiet, answer; /* seconds; 0: not known yet */
};

static double between(double least, double value, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* ---- answers ---- */

/* Drop what has come.  Returns whether that was something. */
static bool link_drain(struct link *link)
{
	char bytes[1 << 14];
	bool got = false;
	ssize_t n;

	while ((n = recv(link->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		got = true;
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		link->is_over = true;
	return got;
}

/* Wait until something comes on any connection.  Returns whether it was on this one. */
static bool links_wait(struct sender *s, const struct link *link, double seconds)
{
	struct pollfd *polls = mem_alloc((s->talk.connections + 1) * sizeof(*polls));
	bool got = false;

	for (unsigned i = 0; i < s->talk.connections; i++)
		polls[i] = (struct pollfd){.fd = s->links[i].is_over ? -1 : s->links[i].fd, .events = POLLIN};
	if (poll(polls, s->talk.connections, (int)(1000 * seconds)) > 0)
		for (unsigned i = 0; i < s->talk.connections; i++)
			if (polls[i].revents && link_drain(&s->links[i]))
				got |= &s->links[i] == link;
	free(polls);
	return got;
}

/* A server that waits for something has done all that it was asked for.  One look is not enough: it may just be about to go
 * on. */
static bool is_idle(unsigned *looks)
{
	*looks = siblings_wait() ? *looks + 1 : 0;
	return *looks == IDLE_LOOKS;
}

static void answer_await(struct sender *s, const struct link *link, double seconds)
{
	double end = clock_seconds() + seconds;
	bool is_answered = false;
	unsigned looks = 0;

	while (!link->is_over && clock_seconds() < end && !is_idle(&looks)) {
		if (!links_wait(s, link, LOOK_EVERY) || is_answered)
			continue;
		is_answered = true;
		end = clock_seconds() + between(0, s->quiet / 4, REST_MOST);
	}
}

static void end_await(struct sender *s, const struct link *link)
{
	double end = clock_seconds() + s->answer;
	unsigned looks = 0;

	while (!link->is_over && clock_seconds() < end && !is_idle(&looks))
		links_wait(s, link, LOOK_EVERY);
}

/* ---- steps ---- */

static int link_try(const struct server_address *address)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd >= 0 && connect(fd, &address->any, address->size) < 0) {
		close(fd);
		return -1;
	}
	if (fd >= 0 && address->any.sa_family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static int link_open(struct sender *s, const struct conversation_step *step, struct err *err)
{
	struct link *link = &s->links[step->connection - 1];
	double wait = TRY_FIRST, end = clock_seconds() + (s->answer > 0 ? s->answer : s->listen);
	char text[SERVER_ADDRESS_TEXT];

	while ((link->fd = link_try(&step->address)) < 0 && clock_seconds() < end) {
		usleep((useconds_t)(1e6 * wait));
		wait = wait * 3 / 2 < TRY_LAST ? wait * 3 / 2 : TRY_LAST;
	}
	if (link->fd < 0) {
		server_address_text(&step->address, text);
		return err_sys(err, "no server answers at %s", text);
	}
	if (s->answer == 0) {
		double start = clock_seconds() - s->begin;

		s->quiet = between(QUIET_LEAST, start / 4, QUIET_MOST);
		s->answer = between(ANSWER_LEAST, 2 * start, ANSWER_MOST);
	}
	return 0;
}

/* The server gets the end of its input, and has time to do what it then does. */
static void link_end(struct sender *s, struct link *link)
{
	if (link->fd < 0 || link->has_ended)
		return;
	link->has_ended = true;
	shutdown(link->fd, SHUT_WR);
	end_await(s, link);
}

static void bytes_send(struct sender *s, struct link *link, const struct input_bytes *bytes)
{
	double end = clock_seconds() + s->answer;
	size_t done = 0;

	while (done < bytes->size && !link->is_over && clock_seconds() < end) {
		ssize_t n = send(link->fd, bytes->at + done, bytes->size - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			link->is_over = true;
		else if (n < 0)
			links_wait(s, link, TRY_LAST);
		done += n > 0 ? (size_t)n : 0;
	}
}

/* A message that has no file has no bytes. */
static int message_read(const struct sender *s, const struct conversation_step *step, struct input *message,
			struct err *err)
{
	char path[PATH_MAX], name[INPUT_NAME_MAX];

	conversation_source_name(step, name);
	if (path_make(path, sizeof(path), err, "%s/%s", s->dir, name) < 0)
		return -1;
	return access(path, F_OK) < 0 ? 0 : input_read_file(message, 0, path, INPUT_BYTES_MAX, err);
}

static int message_send(struct sender *s, const struct conversation_step *step, struct err *err)
{
	struct link *link = &s->links[step->connection - 1];
	struct input message = {0};
	int result;

	if (link->fd < 0 || link->has_ended || link->is_over)
		return 0;
	result = message_read(s, step, &message, err);
	if (result == 0 && !message.of[0].size) {
		link_end(s, link);
	} else if (result == 0) {
		bytes_send(s, link, &message.of[0]);
		answer_await(s, link, step->kind == TALK_ASK ? s->answer : s->quiet);
	}
	input_free(&message);
	return result;
}

static void link_close(struct sender *s, struct link *link)
{
	link_end(s, link);
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

static int step_do(struct sender *s, const struct conversation_step *step, struct err *err)
{
	switch (step->kind) {
	case TALK_CONNECT: return link_open(s, step, err);
	case TALK_CLOSE: link_close(s, &s->links[step->connection - 1]); return 0;
	default: return message_send(s, step, err);
	}
}

int sender_run(const char *dir, double seconds_to_listen, struct err *err)
{
	struct sender s = {.dir = dir, .listen = seconds_to_listen, .begin = clock_seconds()};
	int result = conversation_read(&s.talk, dir, err);

	if (result < 0)
		err_status(err, ERR_USAGE);
	s.links = mem_alloc((s.talk.connections + 1) * sizeof(*s.links));
	for (unsigned i = 0; i < s.talk.connections; i++)
		s.links[i].fd = -1;
	for (size_t i = 0; result == 0 && i < s.talk.steps.count; i++)
		result = step_do(&s, &s.talk.steps.at[i], err);
	for (unsigned i = 0; i < s.talk.connections; i++)
		if (s.links[i].fd >= 0)
			close(s.links[i].fd);
	free(s.links);
	conversation_free(&s.talk);
	return result;
}
