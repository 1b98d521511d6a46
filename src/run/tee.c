/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tee.c - see tee.h. */
#include "run/tee.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

struct tee {
	int input[2]; /* a pipe; reads do not block */
	int stop;     /* an eventfd: the command has ended */
	int file, show;
	int failed; /* errno of the first write to the file that failed; 0: none */
	char *path;
	pthread_t thread;
};

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* Pass on what is in the pipe.  False: nobody can write to it any more. */
static bool tee_pump(struct tee *t)
{
	char bytes[1 << 16];
	ssize_t n;

	while ((n = read(t->input[0], bytes, sizeof(bytes))) > 0) {
		if (!t->failed && !write_all(t->file, bytes, (size_t)n))
			t->failed = errno;
		/* If nobody looks any more, the copy is still worth having. */
		if (t->show != TEE_HIDDEN)
			write_all(t->show, bytes, (size_t)n);
	}
	return n < 0;
}

/* What the command has printed before it ended is in the pipe when `stop` is set. */
static void *tee_run(void *arg)
{
	struct tee *t = arg;
	struct pollfd fds[] = {{.fd = t->input[0], .events = POLLIN}, {.fd = t->stop, .events = POLLIN}};

	do
		poll(fds, 2, -1);
	while (tee_pump(t) && !fds[1].revents);
	return NULL;
}

static void tee_free(struct tee *t)
{
	const int fds[] = {t->input[0], t->input[1], t->stop, t->file};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(t->path);
	free(t);
}

/* Signals are for the thread that watches the command. */
static int thread_start(struct tee *t)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int r = pthread_create(&t->thread, NULL, tee_run, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

int tee_start(struct tee **tee, const char *path, int show, struct err *err)
{
	struct tee *t = mem_alloc(sizeof(*t));

	*t = (struct tee){.input = {-1, -1}, .stop = -1, .show = show, .path = strdup(path)};
	BUG_ON(!t->path);
	t->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (t->file < 0) {
		err_sys(err, "cannot write %s", path);
	} else if (pipe2(t->input, O_CLOEXEC) < 0 || (t->stop = eventfd(0, EFD_CLOEXEC)) < 0 ||
		   fcntl(t->input[0], F_SETFL, O_NONBLOCK) < 0 || (errno = thread_start(t)) != 0) {
		err_sys(err, "cannot watch the output of the program");
	} else {
		*tee = t;
		return 0;
	}
	tee_free(t);
	return -1;
}

int tee_input(const struct tee *t)
{
	return t->input[1];
}

int tee_stop(struct tee *t, struct err *err)
{
	const uint64_t one = 1;
	int result = 0;

	BUG_ON(write(t->stop, &one, sizeof(one)) < 0);
	pthread_join(t->thread, NULL);
	if (t->failed) {
		errno = t->failed;
		result = err_sys(err, "cannot write the output of the program to %s", t->path);
	}
	tee_free(t);
	return result;
}
