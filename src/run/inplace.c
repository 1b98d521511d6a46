/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace.c - see inplace.h. */
#include "run/inplace.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "run/dirlock.h"
#include "run/mend.h"
#include "run/swap.h"

enum { FOREIGN_FILES_MAX = 100 /* that are reported */ };

struct putting {
	struct scene *scene;
	struct err *err;
};

static void dir_list(struct scene_dir *dir)
{
	DIR *d = opendir(dir->original);
	struct dirent *entry;

	words_free(&dir->before);
	while (d && (entry = readdir(d)))
		words_add(&dir->before, "%s", entry->d_name);
	if (d)
		closedir(d);
	words_sort(&dir->before);
}

/* A file that another blackout moved aside is the user's. */
static bool is_note(const char *name)
{
	struct owner owner;
	size_t length;

	return swap_note_parse(name, &owner, &length);
}

static bool foreign_files_have(const struct words *foreign_files, const char *path)
{
	for (size_t i = 0; i < foreign_files->count; i++)
		if (!strcmp(foreign_files->items[i], path))
			return true;
	return false;
}

/* The entries that recovery created are already removed (witness.h).  Other new entries belong to somebody else, and
 * are only reported. */
static void foreign_files_find(struct scene *scene, const struct scene_dir *dir)
{
	DIR *d = dir->before.count ? opendir(dir->original) : NULL;
	char path[2 * PATH_MAX];
	struct dirent *entry;

	while (d && scene->foreign_files.count < FOREIGN_FILES_MAX && (entry = readdir(d))) {
		if (path_format(path, sizeof(path), "%s/%s", dir->original, entry->d_name) &&
		    !words_have(&dir->before, entry->d_name) && !is_note(entry->d_name) &&
		    !foreign_files_have(&scene->foreign_files, path))
			words_add(&scene->foreign_files, "%s", path);
	}
	if (d)
		closedir(d);
}

/* The directory may not be the same one as last time. */
static void dir_open(struct scene_dir *dir)
{
	struct stat held, there;

	if (dir->lock && (fstat(dir->lock, &held) < 0 || stat(dir->original, &there) < 0 ||
			  held.st_ino != there.st_ino || held.st_dev != there.st_dev)) {
		close(dir->lock);
		dir->lock = 0;
	}
	if (!dir->lock) {
		int fd = dirlock_open(dir->original);
		dir->lock = fd > 0 ? fd : 0;
	}
}

/* The next process that takes the lock must find the user's files there, not our links. */
static int dir_lock(struct scene_dir *dir, struct err *err)
{
	dir_open(dir);
	if (dir->lock && !dirlock_take(dir->lock, DIRLOCK_TURN_MS))
		return err_set(err, "another blackout process is testing crash states in %s", dir->original);
	return 0;
}

static void dir_unlock(const struct scene_dir *dir)
{
	if (dir->lock)
		dirlock_drop(dir->lock);
}

/* Our links go through this descriptor. */
static int dir_enter(struct scene_dir *dir, struct err *err)
{
	if (!dir->entry) {
		int fd = open(dir->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return err_sys(err, "cannot open %s", dir->path);
		dir->entry = fd;
	}
	return 0;
}

static int visit_note(void *arg, const char *path, const char *actual)
{
	struct putting *p = arg;

	(void)actual;
	return journal_add(&p->scene->journal, path, p->err);
}

static int journal_begin(struct putting *p)
{
	if (p->scene->journal.path)
		return 0;
	if (journal_open(&p->scene->journal, p->err) < 0)
		return -1;
	return scene_each(p->scene, visit_note, p);
}

int inplace_open(struct scene *scene, struct err *err)
{
	struct putting putting = {scene, err};

	scene->owner = owner_self();
	for (size_t i = 0; i < scene->count; i++) {
		dir_open(&scene->dirs[i]);
		if (dir_enter(&scene->dirs[i], err) < 0)
			return -1;
	}
	return journal_begin(&putting);
}

static int visit_put(void *arg, const char *path, const char *actual)
{
	const struct putting *p = arg;
	const struct scene_dir *dir = p->scene->dirs;
	const char *name = strrchr(actual, '/');
	struct stat st;

	while (strncmp(dir->path, actual, (size_t)(name - actual)) || dir->path[name - actual])
		dir++;
	return swap_out(path, dir->entry, lstat(actual, &st) == 0 ? name + 1 : NULL, p->err);
}

static int visit_restore(void *arg, const char *path, const char *actual)
{
	struct scene *scene = arg;

	(void)actual;
	scene->swapped |= swap_back(path, &scene->owner, NULL) == SWAP_FAILED;
	return 0;
}

void inplace_restore(struct scene *scene)
{
	scene->swapped = false;
	scene_each(scene, visit_restore, scene);
	for (size_t i = 0; i < scene->count; i++)
		foreign_files_find(scene, &scene->dirs[i]);
	for (size_t i = 0; i < scene->count; i++)
		dir_unlock(&scene->dirs[i]);
}

static int dirs_lock(struct scene *scene, struct err *err)
{
	for (size_t i = 0; i < scene->count; i++)
		if (dir_lock(&scene->dirs[i], err) < 0) {
			while (i-- > 0)
				dir_unlock(&scene->dirs[i]);
			return -1;
		}
	return 0;
}

int inplace_put(struct scene *scene, struct err *err)
{
	struct putting putting = {scene, err};

	if (inplace_open(scene, err) < 0 || dirs_lock(scene, err) < 0)
		return -1;
	for (size_t i = 0; i < scene->count; i++)
		dir_list(&scene->dirs[i]);
	journal_run(&scene->journal);
	scene->swapped = true;
	if (scene_each(scene, visit_put, &putting) == 0)
		return 0;
	inplace_restore(scene);
	return -1;
}

void inplace_mark(const struct scene *scene)
{
	char mark[64];

	snprintf(mark, sizeof(mark), "%d.%llu", (int)scene->owner.pid, scene->owner.start);
	setenv(MEND_MARK, mark, 1);
}
