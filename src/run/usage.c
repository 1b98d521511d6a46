/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.c - see usage.h. */
#include "run/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 64, ENTRY_BYTES = 1024 /* the cost of an empty file */, PAGE = 4096 };

/* A walk through the scene. */
struct walk {
	struct map *allow;         /* not NULL: record sizes here */
	const struct map *allowed; /* otherwise compare with these */
	struct map seen;           /* a file with several names counts once */
	uint64_t total, limit;
};

static void file_count(struct walk *w, const struct stat *st)
{
	uint64_t bytes = (uint64_t)st->st_blocks * 512 + ENTRY_BYTES;
	uint64_t size = S_ISREG(st->st_mode) ? ((uint64_t)st->st_size + PAGE - 1) / PAGE * PAGE : 0;

	if (w->allow) {
		*map_put(w->allow, st->st_dev, st->st_ino) = bytes > size + ENTRY_BYTES ? bytes : size + ENTRY_BYTES;
		return;
	}
	uint64_t *seen = map_put(&w->seen, st->st_dev, st->st_ino);
	const uint64_t *allowed = map_get(w->allowed, st->st_dev, st->st_ino);
	if (!*seen)
		w->total += !allowed ? bytes : bytes > *allowed ? bytes - *allowed : 0;
	*seen = 1;
}

/* Entries that cannot be examined are not counted, nor are the empty entries on which the user's own files are
 * mounted. */
static void dir_count(struct walk *w, int at, const char *name, const struct words *mounts, unsigned depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	while (d && w->total <= w->limit && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    (mounts && words_have(mounts, entry->d_name)) ||
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		file_count(w, &st);
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			dir_count(w, fd, entry->d_name, NULL, depth + 1);
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

static void scene_count(struct walk *w, const struct scene *scene)
{
	for (size_t i = 0; i < scene->count; i++)
		dir_count(w, AT_FDCWD, scene->dirs[i].path, &scene->dirs[i].mounts, 0);
	map_free(&w->seen);
}

void usage_begin(struct usage *usage, const struct scene *scene)
{
	struct walk w = {.allow = &usage->allowed};

	map_free(&usage->allowed);
	scene_count(&w, scene);
}

bool usage_exceeds(const struct usage *usage, const struct scene *scene, uint64_t limit)
{
	struct walk w = {.allowed = &usage->allowed, .limit = limit};

	scene_count(&w, scene);
	return w.total > limit;
}

void usage_free(struct usage *usage)
{
	map_free(&usage->allowed);
}
