/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exec_self.c - a child executes this program again, by fork, vfork and posix_spawn; then the program replaces
 * itself. */
#include "target.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static char *again(const char *path)
{
	int fd = open(path, O_RDWR);

	CHECK(fd >= 0);
	return file_map(fd, POOL_ADDR, POOL_BYTES);
}

static void reap(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
	char *p, *args[] = {argv[0], argv[1], "2", NULL};
	pid_t pid;

	if (argc == 3) {
		p = again(argv[1]);
		ST8(p + 8 * atoi(argv[2]), strtoul(argv[2], NULL, 10));
		return 0;
	}
	CHECK(argc == 2);
	p = pool_create(argv[1]);
	ST8(p, 1);
	pid = fork();
	if (pid == 0) {
		execv(argv[0], args);
		_exit(98);
	}
	reap(pid);
	args[2] = "3";
	pid = vfork();
	if (pid == 0) {
		execve(argv[0], args, environ);
		_exit(98);
	}
	reap(pid);
	args[2] = "4";
	CHECK(posix_spawn(&pid, argv[0], NULL, NULL, args, environ) == 0);
	reap(pid);
	ST8(p, 5);
	args[2] = "6";
	execv(argv[0], args);
	return 98;
}
