/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace.c - see inplace.h. */
#include "run/inplace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "image/tree.h"

#define ASIDE ".blackout-aside-"
#define ABSENT ".blackout-absent-"
#define KEPT ".blackout-kept-"

enum { TRIES = 3000, TRY_MS = 10, STRANGERS_MAX = 100 /* that are told of */ };

static void note_path(char *note, size_t size, const char *path, const char *kind, pid_t owner)
{
	snprintf(note, size, "%s%s%d", path, kind, (int)owner);
}

static bool is_there(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

struct putting {
	pid_t owner;
	struct err *err;
};

static int path_put(void *arg, const char *path, const char *actual)
{
	const struct putting *p = arg;
	char note[PATH_MAX + 64];

	if (is_there(path)) {
		note_path(note, sizeof(note), path, ASIDE, p->owner);
		if (rename(path, note) < 0)
			return err_sys(p->err, "cannot move %s aside", path);
	} else {
		note_path(note, sizeof(note), path, ABSENT, p->owner);
		int fd = open(note, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			return err_sys(p->err, "cannot create %s", note);
		close(fd);
	}
	if (is_there(actual) && symlink(actual, path) < 0)
		return err_sys(p->err, "cannot put a link at %s", path);
	return 0;
}

/* Not every file system can be told not to replace. */
static int path_move(const char *path, const char *to)
{
	int result = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE);

	if (result == 0 || (errno != EINVAL && errno != ENOSYS))
		return result;
	if (!is_there(to))
		return rename(path, to);
	errno = EEXIST;
	return -1;
}

/* What is at the path is our link, or nothing; or somebody has put a file of his own there, which is worth as much as
 * the one that comes back.  -1: it cannot be moved. */
static int path_free(const char *path)
{
	char kept[PATH_MAX + 64];
	struct stat st;
	int result;

	if (lstat(path, &st) < 0)
		return 0;
	if (S_ISLNK(st.st_mode))
		return unlink(path);
	for (unsigned i = 1;; i++) {
		snprintf(kept, sizeof(kept), "%s" KEPT "%u", path, i);
		result = path_move(path, kept);
		if (result == 0 || errno != EEXIST)
			return result;
	}
}

/* Only what we moved is touched. */
static void path_restore(const char *path, pid_t owner)
{
	char note[PATH_MAX + 64];
	struct stat st;

	note_path(note, sizeof(note), path, ASIDE, owner);
	if (is_there(note)) {
		/* Else it stays aside, and the next start tries again. */
		if (path_free(path) == 0)
			rename(note, path);
		return;
	}
	note_path(note, sizeof(note), path, ABSENT, owner);
	if (is_there(note)) {
		if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
			unlink(path);
		unlink(note);
	}
}

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

/* What another blackout moved aside is the user's. */
static bool is_note(const char *name)
{
	return strstr(name, ASIDE) || strstr(name, ABSENT);
}

static bool strangers_know(const struct words *strangers, const char *path)
{
	for (size_t i = 0; i < strangers->count; i++)
		if (!strcmp(strangers->items[i], path))
			return true;
	return false;
}

/* What recovery made is gone already (witness.h): what is new is somebody else's, and only told of. */
static void strangers_find(struct scene *scene, const struct scene_dir *dir)
{
	DIR *d = dir->before.count ? opendir(dir->original) : NULL;
	char path[2 * PATH_MAX];
	struct dirent *entry;

	while (d && scene->strangers.count < STRANGERS_MAX && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir->original, entry->d_name);
		if (!words_have(&dir->before, entry->d_name) && !is_note(entry->d_name) &&
		    !strangers_know(&scene->strangers, path))
			words_add(&scene->strangers, "%s", path);
	}
	if (d)
		closedir(d);
}

/* One blackout at a time in a directory: what the next one finds there must be the user's, not our links.  A directory
 * that cannot be read stays unlocked. */
static int dir_lock(struct scene_dir *dir, struct err *err)
{
	const struct timespec pause = {.tv_nsec = TRY_MS * 1000000L};
	int fd = open(dir->original, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK; i++) {
		if (i == TRIES) {
			close(fd);
			return err_set(err, "another blackout has its crash states in %s", dir->original);
		}
		nanosleep(&pause, NULL);
	}
	dir->lock = fd > 0 ? fd : 0;
	return 0;
}

/* A keeper that was started meanwhile has the descriptor too, so closing it is not enough. */
static void dir_unlock(struct scene_dir *dir)
{
	if (dir->lock) {
		flock(dir->lock, LOCK_UN);
		close(dir->lock);
	}
	dir->lock = 0;
}

static int visit_restore(void *arg, const char *path, const char *actual)
{
	(void)actual;
	path_restore(path, *(const pid_t *)arg);
	return 0;
}

void inplace_restore(struct scene *scene, pid_t owner)
{
	scene_each(scene, visit_restore, &owner);
	for (size_t i = 0; i < scene->count; i++)
		strangers_find(scene, &scene->dirs[i]);
	for (size_t i = 0; i < scene->count; i++)
		dir_unlock(&scene->dirs[i]);
}

int inplace_put(struct scene *scene, pid_t owner, struct err *err)
{
	struct putting putting = {owner, err};

	for (size_t i = 0; i < scene->count; i++)
		if (dir_lock(&scene->dirs[i], err) < 0) {
			while (i-- > 0)
				dir_unlock(&scene->dirs[i]);
			return -1;
		}
	for (size_t i = 0; i < scene->count; i++)
		dir_list(&scene->dirs[i]);
	if (scene_each(scene, path_put, &putting) < 0) {
		inplace_restore(scene, owner);
		return -1;
	}
	return 0;
}

/* The path and the process that a note is about, or 0. */
static pid_t note_parse(char *path)
{
	char *kind = strstr(path, ASIDE), *end;
	size_t length = sizeof(ASIDE) - 1;

	if (!kind) {
		kind = strstr(path, ABSENT);
		length = sizeof(ABSENT) - 1;
	}
	if (!kind)
		return 0;
	long owner = strtol(kind + length, &end, 10);
	if (*end || owner <= 0)
		return 0;
	*kind = 0;
	return (pid_t)owner;
}

void inplace_mend(const struct origin *origin)
{
	char path[2 * PATH_MAX];
	struct dirent *entry;

	for (size_t i = 0; i < origin_dir_count(origin); i++) {
		const char *dir = origin_dir(origin, i);
		DIR *d = opendir(dir);
		while (d && (entry = readdir(d))) {
			snprintf(path, sizeof(path), "%s/%s", strcmp(dir, "/") ? dir : "", entry->d_name);
			pid_t owner = note_parse(path);
			if (owner && kill(owner, 0) < 0 && errno == ESRCH)
				path_restore(path, owner);
		}
		if (d)
			closedir(d);
	}
}
