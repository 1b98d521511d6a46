/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.c - see children.h. */
#include "run/children.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILL_ROUNDS_MAX = 5000, KILL_ROUND_US = 1000 };

/* The parent of a process, from the text of its /proc/PID/stat: "pid (name) state ppid ...", where a name may hold anything. */
static pid_t stat_parent(char *text)
{
	char *end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

static pid_t process_parent(const char *pid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return stat_parent(text);
}

void children_signal(int signal)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) && process_parent(entry->d_name) == getpid())
			kill((pid_t)strtol(entry->d_name, NULL, 10), signal);
	closedir(proc);
}

void children_kill(void)
{
	/* In rounds: a killed process hands its own children to us. */
	for (int round = 0; round < KILL_ROUNDS_MAX; round++) {
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return;
		children_signal(SIGKILL);
		usleep(KILL_ROUND_US);
	}
}
