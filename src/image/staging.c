/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place of all stages of a command: found, and left as it was.
 *
 * Its directory carries our process id, and we hold a lock on it.  One whose process is gone and whose lock is free was
 * left behind, by somebody who was killed: whoever comes next removes it.  The id alone would not do, for ids are used
 * again, nor would the lock, which is not held yet in the first moment. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "image/stage_in.h"
#include "image/tree.h"

#define MEMORY "/dev/shm"
#define PREFIX "blackout-"
#define ROOM_LEAST ((uint64_t)64 << 20) /* what one stage should find, however little the files hold at the start */

/* Places left behind */

/* The process id in a name of ours, or 0. */
static pid_t name_owner(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	pid = strtol(name + strlen(PREFIX), &end, 10);
	return *end == '-' && pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

static bool is_left_behind(int dir, const char *name)
{
	pid_t pid = name_owner(name);
	struct stat st;
	bool left;
	int fd;

	if (!pid || kill(pid, 0) == 0 || errno != ESRCH)
		return false;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return false;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	left = flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return left;
}

static bool sweep_entry(void *arg, int dir, const char *name)
{
	(void)arg;
	if (is_left_behind(dir, name))
		tree_remove_at(dir, name);
	return true;
}

static void sweep(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	tree_each(dir, sweep_entry, NULL);
	close(dir);
}

/* A place of our own */

static bool has_room(const char *path, uint64_t bytes)
{
	struct statvfs fs;

	return access(path, W_OK | X_OK) == 0 && statvfs(path, &fs) == 0 &&
	       (uint64_t)fs.f_bavail * fs.f_frsize >= bytes;
}

static int place_make(struct staging *s, const char *under, struct err *err)
{
	if (asprintf(&s->path, "%s/" PREFIX "%ld-XXXXXX", under, (long)getpid()) < 0)
		s->path = NULL;
	BUG_ON(!s->path);
	if (!mkdtemp(s->path))
		return err_sys(err, "cannot make a directory for crash states in %s", under);
	s->owner = getpid();
	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0 || flock(s->fd, LOCK_EX | LOCK_NB) < 0)
		return err_sys(err, "cannot lock %s", s->path);
	return 0;
}

int staging_open(struct staging **staging, const struct origin *origin, const char *fallback, unsigned stages,
		 struct err *err)
{
	uint64_t each = origin_bytes(origin) > ROOM_LEAST ? origin_bytes(origin) : ROOM_LEAST;
	struct staging *s = mem_alloc(sizeof(*s));
	const char *under = MEMORY;

	s->origin = origin;
	s->fd = -1;
	sweep(MEMORY);
	if (fallback)
		sweep(fallback);
	if (fallback && !has_room(MEMORY, stages * each))
		under = fallback;
	if (place_make(s, under, err) < 0) {
		err_hint(err, "crash states are kept in %s, or in the directory that --out names", MEMORY);
		staging_close(s);
		return -1;
	}
	*staging = s;
	return 0;
}

void staging_remove(const struct staging *staging)
{
	if (staging->path && staging->owner == getpid())
		tree_remove(staging->path);
}

void staging_close(struct staging *staging)
{
	if (!staging)
		return;
	while (staging->stages)
		stage_free(staging->stages);
	staging_remove(staging);
	if (staging->fd >= 0)
		close(staging->fd);
	free(staging->path);
	free(staging);
}

const char *staging_path(const struct staging *staging)
{
	return staging->path;
}
