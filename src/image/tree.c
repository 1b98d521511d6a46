/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tree_each(int dir, bool (*entry)(void *arg, int dir, const char *name), void *arg)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = own < 0 ? NULL : fdopendir(own);
	const struct dirent *e;
	bool more = true;

	if (!stream) {
		if (own >= 0)
			close(own);
		return false;
	}
	while (more && (e = readdir(stream))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			more = entry(arg, dir, e->d_name);
	}
	closedir(stream);
	return more;
}

static bool remove_entry(void *arg, int dir, const char *name)
{
	bool *all = arg;

	*all &= tree_remove_at(dir, name);
	return true;
}

static int directory_open(int dir, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, fd = openat(dir, name, flags);

	if (fd < 0 && errno == EACCES && fchmodat(dir, name, 0700, 0) == 0)
		fd = openat(dir, name, flags);
	return fd;
}

bool tree_remove_at(int dir, const char *name)
{
	bool all = true;
	int fd;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return true;
	if (errno != EISDIR && errno != EPERM)
		return false;
	fd = directory_open(dir, name);
	if (fd < 0)
		return false;
	fchmod(fd, 0700);
	tree_each(fd, remove_entry, &all);
	close(fd);
	return all && (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT);
}

bool tree_remove(const char *path)
{
	return tree_remove_at(AT_FDCWD, path);
}
