/* SPDX-License-Identifier: GPL-2.0-or-later */
/* identity.c - print what a program can see of itself and of its surroundings; recorded or not, it must be the same. */
#include "target.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

extern char **environ;

static void print_link(const char *path)
{
	char target[4096];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	printf("%s -> %.*s\n", path, n < 0 ? 0 : (int)n, target);
}

static void print_cmdline(void)
{
	char line[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY);
	ssize_t n = read(fd, line, sizeof(line));

	for (ssize_t i = 0; i < n; i++)
		if (!line[i])
			line[i] = '|';
	printf("cmdline %.*s\n", (int)n, line);
	close(fd);
}

static void print_name(void)
{
	char name[17] = "";
	int death_signal = -1;

	CHECK(prctl(PR_GET_NAME, name) == 0);
	printf("name %s\n", name);
	CHECK(prctl(PR_GET_PDEATHSIG, &death_signal) == 0);
	printf("death signal %d\n", death_signal);
	CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	CHECK(prctl(PR_GET_PDEATHSIG, &death_signal) == 0);
	printf("death signal %d\n", death_signal);
}

static void print_descriptors(void)
{
	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("descriptor %d\n", fd);
}

static void print_signals(void)
{
	sigset_t mask;
	struct sigaction action;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int s = 1; s < 32; s++) {
		sigaction(s, NULL, &action);
		if (sigismember(&mask, s) || action.sa_handler != SIG_DFL)
			printf("signal %d%s%s\n", s, sigismember(&mask, s) ? " blocked" : "",
			       action.sa_handler == SIG_IGN ? " ignored" : "");
	}
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	for (int i = 0; i < argc; i++)
		printf("argument %s\n", argv[i]);
	for (char **e = environ; *e; e++)
		printf("environment %s\n", *e);
	print_link("/proc/self/exe");
	print_link("/proc/self/cwd");
	print_cmdline();
	print_name();
	print_descriptors();
	print_signals();
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	printf("files %lu of %lu\n", limit.rlim_cur, limit.rlim_max);
	CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
	printf("stack %lu of %lu\n", limit.rlim_cur, limit.rlim_max);
	printf("umask %o\n", (unsigned)umask(0));
	printf("group leader %d, session leader %d\n", getpgrp() == getpid(), getsid(0) == getpid());
	return 0;
}
