/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.c - see children.h. */
#include "run/children.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

enum { KILL_ROUNDS_MAX = 5000, KILL_ROUND_US = 1000, TREE_ROUNDS_MAX = 500, FAMILY_MAX = 1 << 16, DEPTH_MAX = 1000 };

/* Get the parent of a process from the text of its /proc/PID/stat: "pid (name) state ppid ...".  The name may contain
 * any characters. */
static pid_t stat_parent(char *text)
{
	char *end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

static char *process_stat(pid_t pid, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static pid_t process_parent(const char *name)
{
	char text[512];
	return stat_parent(process_stat((pid_t)strtol(name, NULL, 10), text, sizeof(text)));
}

/* Is it dead, and waiting for its parent to reap it? */
static bool process_is_zombie(pid_t pid)
{
	char text[512];
	char *end = strrchr(process_stat(pid, text, sizeof(text)), ')');
	return !end || strlen(end) < 3 || end[2] == 'Z';
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

/* All processes with their parents. */
struct family {
	pid_t pid, parent;
};

static size_t family_list(struct family *all, size_t room)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	while (proc && count < room && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			all[count++] =
				(struct family){(pid_t)strtol(entry->d_name, NULL, 10), process_parent(entry->d_name)};
	if (proc)
		closedir(proc);
	return count;
}

static bool family_descends(const struct family *all, size_t count, pid_t pid, pid_t from)
{
	for (int depth = 0; pid > 1 && depth < DEPTH_MAX; depth++) {
		size_t i = 0;
		while (i < count && all[i].pid != pid)
			i++;
		if (i == count)
			return false;
		if (all[i].parent == from)
			return true;
		pid = all[i].parent;
	}
	return false;
}

/* Signal the descendants.  Returns how many of them still exist and are not zombies. */
static size_t family_signal(struct family *all, pid_t root, int signal)
{
	size_t count = family_list(all, FAMILY_MAX), found = 0;

	for (size_t i = 0; i < count; i++)
		if (family_descends(all, count, all[i].pid, root)) {
			kill(all[i].pid, signal);
			found += !process_is_zombie(all[i].pid);
		}
	return found;
}

void children_signal_tree(pid_t root, int signal)
{
	struct family *all = mem_alloc(FAMILY_MAX * sizeof(*all));

	family_signal(all, root, signal);
	free(all);
}

void children_kill_tree(pid_t root)
{
	struct family *all = mem_alloc(FAMILY_MAX * sizeof(*all));
	size_t found = 1;

	/* It must not start other processes meanwhile. */
	kill(root, SIGSTOP);
	for (int round = 0; found && round < TREE_ROUNDS_MAX; round++) {
		found = family_signal(all, root, SIGKILL);
		if (found)
			usleep(KILL_ROUND_US);
	}
	kill(root, SIGKILL);
	waitpid(root, NULL, 0);
	free(all);
}

void children_kill(void)
{
	/* Several rounds, because the children of a killed process become our children. */
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

/* Does its initial environment contain this text? */
static bool process_is_marked(const char *name, const char *mark, size_t length)
{
	static char environment[1 << 18];
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/environ", name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t n = fd < 0 ? 0 : 1;
	while (n > 0 && size < sizeof(environment)) {
		n = read(fd, environment + size, sizeof(environment) - size);
		size += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	return memmem(environment, size, mark, length);
}

static size_t marked_kill(const char *mark)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t found = 0;

	while (proc && (entry = readdir(proc))) {
		const char *name = entry->d_name;
		if (!isdigit((unsigned char)*name) || process_parent(name) != getpid() ||
		    !process_is_marked(name, mark, strlen(mark)))
			continue;
		kill((pid_t)strtol(name, NULL, 10), SIGKILL);
		waitpid((pid_t)strtol(name, NULL, 10), NULL, 0);
		found++;
	}
	if (proc)
		closedir(proc);
	return found;
}

void children_kill_marked(const char *mark)
{
	for (int round = 0; round < TREE_ROUNDS_MAX && marked_kill(mark); round++)
		;
}

static size_t lost_kill(const char *entry)
{
	DIR *proc = opendir("/proc");
	struct dirent *item;
	size_t found = 0;

	while (proc && (item = readdir(proc))) {
		pid_t pid = isdigit((unsigned char)*item->d_name) ? (pid_t)strtol(item->d_name, NULL, 10) : 0;
		/* The length includes the entry's terminating zero. */
		if (pid > 1 && pid != getpid() && process_is_marked(item->d_name, entry, strlen(entry) + 1))
			found += kill(pid, SIGKILL) == 0;
	}
	if (proc)
		closedir(proc);
	return found;
}

void children_kill_lost(const char *entry)
{
	for (int round = 0; round < TREE_ROUNDS_MAX && lost_kill(entry); round++)
		usleep(KILL_ROUND_US);
}
