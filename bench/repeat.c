/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeat N COMMAND... - runs a command N times in sequence and prints the microseconds of one run.
 *
 * This is the cost of testing without a fork server: fork, exec, dynamic linking, and the command itself. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	posix_spawn_file_actions_t actions;
	double begin;

	if (n <= 0) {
		fprintf(stderr, "usage: repeat N COMMAND...\n");
		return 2;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	begin = now_us();
	for (long i = 0; i < n; i++) {
		int status = 0;
		pid_t pid;

		if (posix_spawnp(&pid, argv[2], &actions, NULL, argv + 2, environ) || waitpid(pid, &status, 0) < 0 ||
		    status) {
			fprintf(stderr, "repeat: %s failed\n", argv[2]);
			return 3;
		}
	}
	printf("%.1f\n", (now_us() - begin) / (double)n);
	return 0;
}
