/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.c - see place.h.
 *
 * The process id alone cannot tell whether a place was left behind, because processes elsewhere (in another container)
 * have ids that are invisible here.  The lock alone cannot tell either, because it is not held yet right after
 * creation. */
#include "image/place.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "image/tree.h"

#define PREFIX "blackout-"
#define MARK ".blackout" /* a file in the place, because other directories may have similar names */

int place_make(const char *under, char **path, struct err *err)
{
	char *place;

	BUG_ON(asprintf(&place, "%s/" PREFIX "%ld-XXXXXX", under, (long)getpid()) < 0);
	if (!mkdtemp(place)) {
		err_sys(err, "cannot make a directory in %s", under);
		free(place);
		return -1;
	}
	*path = place;
	int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return err_sys(err, "cannot lock %s", place);
	int mark = openat(fd, MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (mark < 0) {
		err_sys(err, "cannot write to %s", place);
		close(fd);
		return -1;
	}
	close(mark);
	return fd;
}

/* The process id in the name of a place, or 0. */
static pid_t name_owner(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	pid = strtol(name + strlen(PREFIX), &end, 10);
	return *end == '-' && pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

static bool stop(void *arg, int dir, const char *name)
{
	(void)arg, (void)dir, (void)name;
	return false;
}

/* Its process was killed before it created the mark. */
static bool is_empty(int dir)
{
	return tree_each(dir, stop, NULL);
}

static bool is_left_behind(int dir, const char *name)
{
	pid_t pid = name_owner(name);
	struct stat st;
	bool left;
	int fd;

	if (!pid || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return false;
	if (owner_was_there(pid, st.st_mtime))
		return false;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	left = flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	       (faccessat(fd, MARK, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || is_empty(fd));
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

void place_sweep(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	tree_each(dir, sweep_entry, NULL);
	close(dir);
}
