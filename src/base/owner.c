/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLOCK_SLACK_S = 2 };
enum { STATE_FIELD = 3, START_FIELD = 22 }; /* fields of /proc/PID/stat, counted from 1 */

struct life {
	char state;
	unsigned long long start;
};

/* The text is "PID (NAME) STATE ...", and NAME may contain any characters. */
static bool life_read(pid_t pid, struct life *life)
{
	char path[64], text[1024];
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	end = strrchr(text, ')');
	if (!end || !end[1])
		return false;
	life->state = end[2];
	for (int field = STATE_FIELD; end && field < START_FIELD; field++)
		end = strchr(end + (field == STATE_FIELD ? 2 : 1), ' ');
	life->start = end ? strtoull(end, NULL, 10) : 0;
	return life->start > 0;
}

struct owner owner_self(void)
{
	struct owner owner = {.pid = getpid()};
	struct life life;

	if (life_read(owner.pid, &life))
		owner.start = life.start;
	return owner;
}

/* False if no process has this id.  `life` is all zero if one has it but we may not inspect it. */
static bool pid_runs(pid_t pid, struct life *life)
{
	*life = (struct life){0};
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return false;
	if (!life_read(pid, life)) {
		*life = (struct life){0};
		return kill(pid, 0) == 0 || errno != ESRCH;
	}
	return life->state != 'Z' && life->state != 'X';
}

bool owner_is_alive(const struct owner *owner)
{
	struct life life;

	return pid_runs(owner->pid, &life) && (!owner->start || !life.start || life.start == owner->start);
}

bool owner_was_there(pid_t pid, time_t made)
{
	struct timespec now, up;
	struct life life;

	if (!pid_runs(pid, &life))
		return false;
	if (!life.start || clock_gettime(CLOCK_REALTIME, &now) < 0 || clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return true;
	time_t started = now.tv_sec - up.tv_sec + (time_t)(life.start / (unsigned long long)sysconf(_SC_CLK_TCK));
	return started <= made + CLOCK_SLACK_S;
}
