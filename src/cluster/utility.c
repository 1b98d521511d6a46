/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utility.c - see utility.h.  Both streams go to files without a name: no pipe can fill up. */
#include "cluster/utility.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { PAUSE_US = 2000 };

static void utility_exec(const struct utility *u, const int streams[2])
{
	int in = open(u->input ? u->input : "/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(streams[0], STDOUT_FILENO) >= 0 &&
	    dup2(streams[1], STDERR_FILENO) >= 0)
		execvp(u->argv[0], u->argv);
	_exit(127);
}

static int utility_wait(const struct utility *u, pid_t pid, int *status, struct err *err)
{
	int64_t end = clock_ms() + UTILITY_MS;
	pid_t done;

	while (!(done = waitpid(pid, status, WNOHANG))) {
		if (clock_ms() > end) {
			kill(-pid, SIGKILL);
			waitpid(pid, status, 0);
			return err_set(err, "%s does not answer", u->argv[0]);
		}
		usleep(PAUSE_US);
	}
	return done < 0 ? err_sys(err, "cannot wait for %s", u->argv[0]) : 0;
}

static char *stream_read(int fd)
{
	struct stat st;
	size_t size = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
	char *text = mem_alloc(size + 1);
	ssize_t n = pread(fd, text, size, 0);

	text[n > 0 ? n : 0] = 0;
	return text;
}

int utility_run(struct utility *u, struct err *err)
{
	int streams[2] = {memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)}, status = 0, r = -1;
	pid_t pid = streams[0] < 0 || streams[1] < 0 ? -1 : fork();

	u->printed = NULL;
	if (pid == 0)
		utility_exec(u, streams);
	if (pid < 0)
		err_sys(err, "cannot start %s", u->argv[0]);
	else
		r = utility_wait(u, pid, &status, err);
	if (r == 0) {
		u->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		u->printed = stream_read(streams[u->status ? 1 : 0]);
	}
	for (int i = 0; i < 2; i++)
		if (streams[i] >= 0)
			close(streams[i]);
	return r;
}

void utility_free(struct utility *u)
{
	free(u->printed);
	u->printed = NULL;
}
