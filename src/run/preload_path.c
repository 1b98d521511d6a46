/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preload_path.c - see preload_path.h. */
#include "run/preload_path.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "image/place.h"

static char *links; /* our own directory for links */
static pid_t owner;

static void links_remove(void)
{
	DIR *dir = getpid() == owner ? opendir(links) : NULL;
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(links);
}

static int links_make(struct err *err)
{
	if (owner)
		return 0;
	if (place_make("/tmp", &links, err) < 0)
		return -1;
	owner = getpid();
	atexit(links_remove);
	return 0;
}

int preload_path_replace(char path[PATH_MAX], struct err *err)
{
	char name[PATH_MAX];

	if (!strpbrk(path, " :"))
		return 0;
	if (links_make(err) < 0)
		return -1;
	if (path_make(name, sizeof(name), err, "%s%s", links, strrchr(path, '/')) < 0)
		return -1;
	if (symlink(path, name) < 0 && errno != EEXIST)
		return err_sys(err, "cannot create %s", name);
	memcpy(path, name, sizeof(name));
	return 0;
}
