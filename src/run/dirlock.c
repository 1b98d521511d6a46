/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/dirlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

enum { TRY_MS = 10 };

int dirlock_open(const char *dir)
{
	return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool dirlock_take(int fd, int wait_ms)
{
	const struct timespec pause = {.tv_nsec = TRY_MS * 1000000L};

	/* Any other error: the file system has no locks, so go on without. */
	while (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		if (wait_ms <= 0)
			return false;
		nanosleep(&pause, NULL);
		wait_ms -= TRY_MS;
	}
	return true;
}

void dirlock_drop(int fd)
{
	flock(fd, LOCK_UN);
}
