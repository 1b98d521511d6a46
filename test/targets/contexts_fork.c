/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts_fork.c - a child is as deep in calls as its parent was, and both go on from there. */
// cflags: -fno-omit-frame-pointer
#include "contexts.h"

#include <sys/wait.h>

static NOINLINE void leaf(void)
{
	SAMPLE();
}

static NOINLINE void forker(int n)
{
	pid_t pid;
	int status;

	SAMPLE();
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		samples += 1000u << n; /* numbers of its own */
	SAMPLE();
	leaf();
	if (pid == 0) {
		if (n > 0)
			forker(n - 1);
		fflush(stdout);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	SAMPLE();
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	contexts_start(argv[1]);
	forker(2);
	leaf();
	SAMPLE();
	return 0;
}
