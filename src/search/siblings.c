/* SPDX-License-Identifier: GPL-2.0-or-later */
/* siblings.c - see siblings.h. */
#include "search/siblings.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { DEPTH_MAX = 16, TEXT_BYTES = 4096 };

/* What is known of the processes that were looked at. */
struct look {
	bool is_busy;
	unsigned threads;
};

static const char *file_text(const char *path, char text[TEXT_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, TEXT_BYTES - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

/* "pid (name) state ...": the name may have any characters. */
static bool thread_waits(const char *dir, const char *thread)
{
	char path[128], text[TEXT_BYTES];

	snprintf(path, sizeof(path), "%s/%s/stat", dir, thread);
	const char *end = strrchr(file_text(path, text), ')');
	return !end || strlen(end) < 3 || strchr("SZXT", end[2]);
}

static void family_look(struct look *look, pid_t pid, int depth);

static void children_look(struct look *look, const char *dir, const char *thread, int depth)
{
	char path[128], text[TEXT_BYTES], *next;

	snprintf(path, sizeof(path), "%s/%s/children", dir, thread);
	for (const char *at = file_text(path, text);; at = next) {
		pid_t child = (pid_t)strtol(at, &next, 10);

		if (next == at)
			return;
		if (child != getpid())
			family_look(look, child, depth + 1);
	}
}

/* The threads of a process, unless it is our parent; and all below it. */
static void family_look(struct look *look, pid_t pid, int depth)
{
	char dir[64];
	struct dirent *entry;
	DIR *threads;

	snprintf(dir, sizeof(dir), "/proc/%d/task", (int)pid);
	threads = depth < DEPTH_MAX ? opendir(dir) : NULL;
	while (threads && !look->is_busy && (entry = readdir(threads))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		if (depth) {
			look->threads++;
			look->is_busy |= !thread_waits(dir, entry->d_name);
		}
		children_look(look, dir, entry->d_name, depth);
	}
	if (threads)
		closedir(threads);
}

bool siblings_wait(void)
{
	struct look look = {0};

	family_look(&look, getppid(), 0);
	return look.threads && !look.is_busy;
}
