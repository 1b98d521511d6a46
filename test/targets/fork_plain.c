/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fork_plain.c - children that are not followed: the fork is in the trace, what they do is not. */
// events: store,fork,exec,exit
#include "target.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static void reap(pid_t pid, int expected)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

int main(int argc, char **argv)
{
	char *p, *shell[] = {"sh", "-c", "exit 9", NULL};
	pid_t pid;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);
	ST8(p, 1);    //! store pool+0x0 8 0x1
	pid = fork(); //! fork pid=N not-followed
	if (pid == 0)
		_exit(7);
	reap(pid, 7);
	ST8(p, 2);     //! store pool+0x0 8 0x2
	pid = vfork(); //! fork pid=N not-followed
	if (pid == 0) {
		execv("/bin/sh", shell);
		_exit(98);
	}
	reap(pid, 9);
	ST8(p, 3);                                                            //! store pool+0x0 8 0x3
	CHECK(posix_spawn(&pid, "/bin/sh", NULL, NULL, shell, environ) == 0); //! fork pid=N not-followed
	reap(pid, 9);
	ST8(p, 4); //! store pool+0x0 8 0x4
	end(p);
	return 0;
}
