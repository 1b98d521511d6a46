/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.c - see scene.h. */
#include "run/scene.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "image/tree.h"

/* An entry to mount the original on; a link is the same anywhere. */
static int other_create(const struct scene_dir *dir, const char *name, struct err *err)
{
	char from[2 * PATH_MAX], to[2 * PATH_MAX], link[PATH_MAX];
	struct stat st;
	int result;

	snprintf(from, sizeof(from), "%s/%s", dir->original, name);
	snprintf(to, sizeof(to), "%s/%s", dir->path, name);
	if (lstat(from, &st) < 0)
		return 0; /* gone meanwhile: it is not there for recovery either */
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlink(from, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = 0;
		result = symlink(link, to);
	} else if (S_ISDIR(st.st_mode)) {
		result = mkdir(to, 0755);
	} else {
		result = mknod(to, S_IFREG | 0644, 0);
	}
	return result < 0 && errno != EEXIST ? err_sys(err, "cannot create %s", to) : 0;
}

static int others_create(struct scene_dir *dir, struct err *err)
{
	DIR *d = opendir(dir->original);
	struct dirent *entry;
	int result = 0;

	dir->is_there = d;
	while (d && result == 0 && (entry = readdir(d))) {
		const char *name = entry->d_name;
		if (!strcmp(name, ".") || !strcmp(name, "..") || words_have(&dir->names, name))
			continue;
		words_add(&dir->others, "%s", name);
		result = other_create(dir, name, err);
	}
	if (d)
		closedir(d);
	words_sort(&dir->others);
	return result;
}

static void names_find(struct scene *scene)
{
	const char *name;

	for (size_t i = 0; i < origin_path_count(scene->origin); i++) {
		int dir = origin_place(scene->origin, origin_path(scene->origin, i), &name);
		if (dir >= 0)
			words_add(&scene->dirs[dir].names, "%s", name);
	}
}

static int dir_open(struct scene *scene, size_t index, const char *stage_root, struct err *err)
{
	struct scene_dir *dir = &scene->dirs[index];

	dir->original = origin_dir(scene->origin, index);
	BUG_ON(asprintf(&dir->path, "%s/%zu", scene->root, index) < 0);
	BUG_ON(asprintf(&dir->stage, "%s/%zu", stage_root, index) < 0);
	words_sort(&dir->names);
	if (mkdir(dir->path, 0755) < 0)
		return err_sys(err, "cannot create %s", dir->path);
	return others_create(dir, err);
}

int scene_open(struct scene *scene, const struct origin *origin, const char *stage_root, struct err *err)
{
	size_t count = origin_dir_count(origin);

	*scene = (struct scene){.count = count, .origin = origin};
	if (snprintf(scene->root, sizeof(scene->root), "%s.scene", stage_root) >= (int)sizeof(scene->root) - 32)
		return err_set(err, "%s is too long a path", stage_root);
	scene->dirs = mem_alloc((count + 1) * sizeof(*scene->dirs));
	names_find(scene);
	tree_remove(scene->root);
	if (mkdir(scene->root, 0700) < 0)
		return err_sys(err, "cannot create %s", scene->root);
	for (size_t i = 0; i < count; i++)
		if (dir_open(scene, i, stage_root, err) < 0)
			return -1;
	return 0;
}

void scene_close(struct scene *scene)
{
	if (*scene->root)
		tree_remove(scene->root);
	for (size_t i = 0; i < scene->count && scene->dirs; i++) {
		free(scene->dirs[i].path);
		free(scene->dirs[i].stage);
		words_free(&scene->dirs[i].names);
		words_free(&scene->dirs[i].others);
		words_free(&scene->dirs[i].before);
	}
	free(scene->dirs);
	*scene = (struct scene){0};
}

/* Recovery may have taken the permissions of files and directories away. */
static int name_refresh(const struct scene_dir *dir, const char *name, struct err *err)
{
	char from[2 * PATH_MAX], to[2 * PATH_MAX];
	struct stat stage, scene;

	snprintf(from, sizeof(from), "%s/%s", dir->stage, name);
	snprintf(to, sizeof(to), "%s/%s", dir->path, name);
	bool wanted = lstat(from, &stage) == 0, there = lstat(to, &scene) == 0;
	if (wanted && there && stage.st_ino == scene.st_ino && stage.st_dev == scene.st_dev)
		return 0;
	if (there)
		tree_remove(to);
	if (wanted && link(from, to) < 0)
		return err_sys(err, "cannot link %s to %s", to, from);
	return 0;
}

static void strangers_remove(const struct scene_dir *dir)
{
	char path[2 * PATH_MAX];
	DIR *d = opendir(dir->path);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;
		if (!strcmp(name, ".") || !strcmp(name, "..") || words_have(&dir->names, name) ||
		    words_have(&dir->others, name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir->path, name);
		tree_remove(path);
	}
	if (d)
		closedir(d);
}

int scene_refresh(struct scene *scene, bool sweep, struct err *err)
{
	for (size_t i = 0; i < scene->count; i++) {
		struct scene_dir *dir = &scene->dirs[i];
		if (sweep)
			strangers_remove(dir);
		for (size_t n = 0; n < dir->names.count; n++)
			if (name_refresh(dir, dir->names.items[n], err) < 0)
				return -1;
	}
	return 0;
}

void scene_path(const struct scene *scene, const char *path, char *buffer, size_t size)
{
	const char *name;
	int dir = origin_place(scene->origin, path, &name);

	snprintf(buffer, size, "%s/%s", dir >= 0 ? scene->dirs[dir].path : "", dir >= 0 ? name : "");
}
