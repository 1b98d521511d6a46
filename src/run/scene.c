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
#include "base/path.h"
#include "image/tree.h"
#include "run/swap.h"

/* Limits for copies: the size of one file, and the total size and number in a directory. */
enum { COPY_BYTES_MAX = 1 << 20, COPIES_BYTES_MAX = 16 << 20, COPIES_MAX = 256 };

/* Should it be copied, so that recovery may change and remove it?  Programs have to stay where they are. */
static bool entry_is_copied(const char *path, const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return true;
	return S_ISREG(st->st_mode) && st->st_size <= COPY_BYTES_MAX &&
	       !(st->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) && access(path, R_OK) == 0;
}

static int file_copy(const char *from, const char *to, const struct stat *st)
{
	static char bytes[COPY_BYTES_MAX];
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	ssize_t n = in < 0 ? -1 : read(in, bytes, sizeof(bytes));

	if (n >= 0)
		out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st->st_mode & 07777);
	bool done = out >= 0 && write(out, bytes, (size_t)n) == n;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return done ? 0 : -1;
}

static int link_copy(const char *from, const char *to)
{
	char target[PATH_MAX];
	ssize_t n = readlink(from, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = 0;
	return symlink(target, to);
}

/* Make a private copy, and record its stat for later comparison. */
static int copy_make(const struct scene_dir *dir, struct scene_copy *copy, struct err *err)
{
	char from[2 * PATH_MAX], to[2 * PATH_MAX];
	struct stat st;

	if (path_make(from, sizeof(from), err, "%s/%s", dir->original, copy->name) < 0 ||
	    path_make(to, sizeof(to), err, "%s/%s", dir->path, copy->name) < 0)
		return -1;
	if (lstat(from, &st) < 0)
		return 0; /* it is gone: recovery would not find it either */
	if ((S_ISLNK(st.st_mode) ? link_copy(from, to) : file_copy(from, to, &st)) < 0 || lstat(to, &copy->stat) < 0)
		return err_sys(err, "cannot copy %s to %s", from, to);
	return 0;
}

static int copy_refresh(const struct scene_dir *dir, struct scene_copy *copy, struct err *err)
{
	char path[2 * PATH_MAX];
	struct stat st;

	if (path_make(path, sizeof(path), err, "%s/%s", dir->path, copy->name) < 0)
		return -1;
	bool there = lstat(path, &st) == 0;
	if (there && st.st_ino == copy->stat.st_ino && st.st_ctim.tv_sec == copy->stat.st_ctim.tv_sec &&
	    st.st_ctim.tv_nsec == copy->stat.st_ctim.tv_nsec)
		return 0;
	if (there)
		tree_remove(path);
	return copy_make(dir, copy, err);
}

/* Create an empty entry to mount the original on. */
static int mount_make(const struct scene_dir *dir, const char *name, bool is_dir, struct err *err)
{
	char path[2 * PATH_MAX];

	if (path_make(path, sizeof(path), err, "%s/%s", dir->path, name) < 0)
		return -1;
	if ((is_dir ? mkdir(path, 0755) : mknod(path, S_IFREG | 0644, 0)) < 0 && errno != EEXIST)
		return err_sys(err, "cannot create %s", path);
	return 0;
}

/* Aliases */

static void identities_find(struct scene *scene)
{
	size_t count = origin_path_count(scene->origin);
	struct stat st;

	scene->identities = mem_alloc((count + 1) * sizeof(*scene->identities));
	for (size_t i = 0; i < count; i++)
		if (lstat(origin_path(scene->origin, i), &st) == 0 && S_ISREG(st.st_mode))
			scene->identities[i] = (struct scene_identity){st.st_dev, st.st_ino};
}

/* If it is a PM file under another name, add it. */
static bool alias_make(const struct scene *scene, struct scene_dir *dir, const char *name, const struct stat *st)
{
	struct scene_alias alias = {0};

	if (!S_ISREG(st->st_mode) || st->st_nlink < 2)
		return false;
	while (alias.path < origin_path_count(scene->origin) && (scene->identities[alias.path].inode != st->st_ino ||
								 scene->identities[alias.path].device != st->st_dev))
		alias.path++;
	if (alias.path == origin_path_count(scene->origin))
		return false;
	alias.name = strdup(name);
	BUG_ON(!alias.name);
	dir->aliases = mem_resize(dir->aliases, dir->alias_count + 1, sizeof(*dir->aliases));
	dir->aliases[dir->alias_count++] = alias;
	return true;
}

/* Other entries */

static int other_make(const struct scene *scene, struct scene_dir *dir, const char *name, struct err *err)
{
	char path[2 * PATH_MAX];
	struct owner owner;
	struct stat st;
	size_t length;

	if (path_make(path, sizeof(path), err, "%s/%s", dir->original, name) < 0)
		return -1;
	/* A socket that a recorded or dead server left is in the way of the next server.  A note is ours, and is
	 * removed soon. */
	if (lstat(path, &st) < 0 || S_ISSOCK(st.st_mode) || swap_note_parse(name, &owner, &length))
		return 0;
	words_add(&dir->others, "%s", name);
	if (alias_make(scene, dir, name, &st))
		return 0;
	if (!entry_is_copied(path, &st) || dir->copy_count >= COPIES_MAX ||
	    dir->copy_bytes + (uint64_t)st.st_size > COPIES_BYTES_MAX) {
		words_add(&dir->mounts, "%s", name);
		return mount_make(dir, name, S_ISDIR(st.st_mode), err);
	}
	dir->copy_bytes += (uint64_t)st.st_size;
	dir->copies = mem_resize(dir->copies, dir->copy_count + 1, sizeof(*dir->copies));
	struct scene_copy *copy = &dir->copies[dir->copy_count++];
	*copy = (struct scene_copy){.name = strdup(name)};
	return copy_make(dir, copy, err);
}

static int others_make(const struct scene *scene, struct scene_dir *dir, struct err *err)
{
	DIR *d = opendir(dir->original);
	struct dirent *entry;
	int result = 0;

	dir->is_there = d;
	while (d && result == 0 && (entry = readdir(d))) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") && strcmp(name, "..") && !words_have(&dir->names, name))
			result = other_make(scene, dir, name, err);
	}
	if (d)
		closedir(d);
	words_sort(&dir->others);
	words_sort(&dir->mounts);
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

static int dir_open(struct scene *scene, size_t index, const char *stage_dir, struct err *err)
{
	struct scene_dir *dir = &scene->dirs[index];

	dir->original = origin_dir(scene->origin, index);
	if (strlen(dir->original) >= PATH_MAX)
		return err_set(err, "the path %.200s... is too long", dir->original);
	BUG_ON(asprintf(&dir->path, "%s/%zu", scene->path, index) < 0);
	BUG_ON(asprintf(&dir->stage, "%s/%zu", stage_dir, index) < 0);
	words_sort(&dir->names);
	if (mkdir(dir->path, 0755) < 0)
		return err_sys(err, "cannot create %s", dir->path);
	return others_make(scene, dir, err);
}

/* Check that every PM file has a place in the scene. */
static int paths_check(const struct scene *scene, struct err *err)
{
	char actual[2 * PATH_MAX];

	for (size_t i = 0; i < origin_path_count(scene->origin); i++)
		if (!scene_path(scene, origin_path(scene->origin, i), actual, sizeof(actual)))
			return err_set(err, "there is no place for the PM file %.200s", origin_path(scene->origin, i));
	return 0;
}

int scene_open(struct scene *scene, const struct origin *origin, const char *stage_dir, struct err *err)
{
	size_t count = origin_dir_count(origin);

	*scene = (struct scene){.count = count, .origin = origin};
	/* Leave space for the names that we append. */
	if (path_make(scene->path, sizeof(scene->path) - 32, err, "%s.scene", stage_dir) < 0)
		return -1;
	scene->dirs = mem_alloc((count + 1) * sizeof(*scene->dirs));
	names_find(scene);
	identities_find(scene);
	tree_remove(scene->path);
	if (mkdir(scene->path, 0700) < 0)
		return err_sys(err, "cannot create %s", scene->path);
	for (size_t i = 0; i < count; i++)
		if (dir_open(scene, i, stage_dir, err) < 0)
			return -1;
	return paths_check(scene, err);
}

static void copies_free(struct scene_dir *dir)
{
	for (size_t i = 0; i < dir->alias_count; i++)
		free(dir->aliases[i].name);
	free(dir->aliases);
	for (size_t i = 0; i < dir->copy_count; i++)
		free(dir->copies[i].name);
	free(dir->copies);
}

void scene_close(struct scene *scene)
{
	if (*scene->path)
		tree_remove(scene->path);
	journal_close(&scene->journal, !scene->swapped);
	for (size_t i = 0; i < scene->count && scene->dirs; i++) {
		free(scene->dirs[i].path);
		free(scene->dirs[i].stage);
		words_free(&scene->dirs[i].names);
		words_free(&scene->dirs[i].others);
		words_free(&scene->dirs[i].mounts);
		copies_free(&scene->dirs[i]);
		words_free(&scene->dirs[i].before);
		if (scene->dirs[i].lock)
			close(scene->dirs[i].lock);
		if (scene->dirs[i].entry)
			close(scene->dirs[i].entry);
	}
	free(scene->dirs);
	free(scene->identities);
	words_free(&scene->foreign_files);
	*scene = (struct scene){0};
}

/* tree_remove, because recovery may have removed the permissions of files and directories. */
static int link_refresh(const char *from, const char *to, struct err *err)
{
	struct stat stage, scene;
	bool wanted = lstat(from, &stage) == 0, there = lstat(to, &scene) == 0;

	if (wanted && there && stage.st_ino == scene.st_ino && stage.st_dev == scene.st_dev)
		return 0;
	if (there)
		tree_remove(to);
	if (wanted && link(from, to) < 0)
		return err_sys(err, "cannot link %s to %s", to, from);
	return 0;
}

static int name_refresh(const struct scene_dir *dir, const char *name, struct err *err)
{
	char from[2 * PATH_MAX], to[2 * PATH_MAX];

	if (path_make(from, sizeof(from), err, "%s/%s", dir->stage, name) < 0 ||
	    path_make(to, sizeof(to), err, "%s/%s", dir->path, name) < 0)
		return -1;
	return link_refresh(from, to, err);
}

static int alias_refresh(const struct scene *scene, const struct scene_dir *dir, const struct scene_alias *alias,
			 struct err *err)
{
	char from[2 * PATH_MAX], to[2 * PATH_MAX];
	const char *name;
	int place = origin_place(scene->origin, origin_path(scene->origin, alias->path), &name);

	BUG_ON(place < 0);
	if (path_make(from, sizeof(from), err, "%s/%s", scene->dirs[place].stage, name) < 0 ||
	    path_make(to, sizeof(to), err, "%s/%s", dir->path, alias->name) < 0)
		return -1;
	return link_refresh(from, to, err);
}

/* Remove what recovery created, and make the copies anew that it changed. */
static int dir_sweep(const struct scene_dir *dir, struct err *err)
{
	char path[2 * PATH_MAX];
	DIR *d = opendir(dir->path);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;
		if (!strcmp(name, ".") || !strcmp(name, "..") || words_have(&dir->names, name) ||
		    words_have(&dir->others, name))
			continue;
		if (path_format(path, sizeof(path), "%s/%s", dir->path, name))
			tree_remove(path);
	}
	if (d)
		closedir(d);
	for (size_t i = 0; i < dir->copy_count; i++)
		if (copy_refresh(dir, &dir->copies[i], err) < 0)
			return -1;
	return 0;
}

int scene_refresh(struct scene *scene, bool sweep, struct err *err)
{
	for (size_t i = 0; i < scene->count; i++) {
		struct scene_dir *dir = &scene->dirs[i];
		if (sweep && dir_sweep(dir, err) < 0)
			return -1;
		for (size_t n = 0; n < dir->names.count; n++)
			if (name_refresh(dir, dir->names.items[n], err) < 0)
				return -1;
		for (size_t n = 0; n < dir->alias_count; n++)
			if (alias_refresh(scene, dir, &dir->aliases[n], err) < 0)
				return -1;
	}
	return 0;
}

bool scene_path(const struct scene *scene, const char *path, char *buffer, size_t size)
{
	const char *name;
	int dir = origin_place(scene->origin, path, &name);

	return dir >= 0 && path_format(buffer, size, "%s/%s", scene->dirs[dir].path, name);
}

static int aliases_each(const struct scene_dir *dir, scene_visit *visit, void *arg)
{
	char path[2 * PATH_MAX], actual[2 * PATH_MAX];

	for (size_t i = 0; i < dir->alias_count; i++) {
		const char *before = strcmp(dir->original, "/") ? dir->original : "";

		BUG_ON(!path_format(path, sizeof(path), "%s/%s", before, dir->aliases[i].name) ||
		       !path_format(actual, sizeof(actual), "%s/%s", dir->path, dir->aliases[i].name));
		if (visit(arg, path, actual) < 0)
			return -1;
	}
	return 0;
}

int scene_each(const struct scene *scene, scene_visit *visit, void *arg)
{
	char actual[2 * PATH_MAX];

	for (size_t i = 0; i < origin_path_count(scene->origin); i++) {
		BUG_ON(!scene_path(scene, origin_path(scene->origin, i), actual, sizeof(actual)));
		if (visit(arg, origin_path(scene->origin, i), actual) < 0)
			return -1;
	}
	for (size_t i = 0; i < scene->count; i++)
		if (aliases_each(&scene->dirs[i], visit, arg) < 0)
			return -1;
	return 0;
}

bool scene_can_be_mounted(const struct scene *scene)
{
	for (size_t i = 0; i < scene->count; i++)
		if (!scene->dirs[i].is_there || !strcmp(scene->dirs[i].original, "/"))
			return false;
	return true;
}
