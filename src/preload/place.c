/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.c - does this path name a PM file?  Paths are compared in canonical form: links in the directory part are
 * followed, and "." and ".." are removed.  The name may also be a link to a PM file.  A symbolic link is followed; a
 * hard link is recognized by its inode. */
#include "preload/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LINKS_MAX = 16,
	BUFFERS = 4, /* at least as many as the paths that one call can name */
	KNOWN = 4,   /* directories whose canonical paths are kept */
	KNOWN_PATH = 256,
};

/* The index in a sorted table, or -1. */
static int table_find(const struct stub_entry *entries, uint32_t count, const char *path)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(stub_page_text(stub_page, entries[middle].original), path);
		if (order == 0)
			return (int)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* Make the path absolute, without resolving anything. */
static bool path_absolute(char *out, int dirfd, const char *path)
{
	char dir[PATH_MAX] = "", link[64];

	if (*path == '/')
		return path_format(out, PATH_MAX, "%s", path);
	if (dirfd == AT_FDCWD) {
		if (!getcwd(dir, sizeof(dir)))
			return false;
	} else {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
		ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, link, dir, sizeof(dir) - 1);
		if (n <= 0)
			return false;
		dir[n] = 0;
	}
	return path_format(out, PATH_MAX, "%s/%s", dir, path);
}

/* For a directory that does not exist: remove empty and "." components, and resolve "..", without looking at the file
 * system. */
static void path_tidy(char *path)
{
	char from[PATH_MAX], *rest = NULL;
	size_t used = 0;

	strcpy(from, path);
	for (char *part = strtok_r(from, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (!strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			while (used && path[--used] != '/')
				;
			continue;
		}
		path[used++] = '/';
		memmove(path + used, part, strlen(part) + 1);
		used += strlen(part);
	}
	if (!used)
		path[used++] = '/';
	path[used] = 0;
}

/* The part before the last component of a path that fits into PATH_MAX bytes. */
static void dir_of(const char *path, char dir[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash == path ? 1 : (size_t)(slash - path);

	memcpy(dir, path, length);
	dir[length] = 0;
}

static bool file_is(const struct stat *st, uint64_t device, uint64_t inode)
{
	return st->st_ino == inode && st->st_dev == device;
}

/* The canonical path of what was at `path`.  It is still right if the same directory is there. */
struct known {
	char path[KNOWN_PATH], real[KNOWN_PATH];
	dev_t device;
	ino_t inode;
};

static const struct known *known_find(const struct known *known, const char *path, const struct stat *st)
{
	for (unsigned i = 0; i < KNOWN; i++)
		if (!strcmp(known[i].path, path) && file_is(st, known[i].device, known[i].inode))
			return &known[i];
	return NULL;
}

static bool known_set(struct known *known, const char *path, const char *real, const struct stat *st)
{
	if (strlen(path) >= KNOWN_PATH || strlen(real) >= KNOWN_PATH)
		return false;
	strcpy(known->path, path);
	strcpy(known->real, real);
	known->device = st->st_dev;
	known->inode = st->st_ino;
	return true;
}

/* realpath(3) of a directory.  That asks the kernel about each component, and recoveries name few directories many times. */
static bool dir_real(const char *dir, char real[PATH_MAX])
{
	static struct known known[KNOWN];
	static unsigned next;
	static atomic_flag busy = ATOMIC_FLAG_INIT;
	const struct known *found;
	struct stat st;
	bool there = true;

	if (syscall(SYS_newfstatat, AT_FDCWD, dir, &st, 0) < 0)
		return false;
	if (atomic_flag_test_and_set(&busy))
		return NEXT(realpath)(dir, real);
	if ((found = known_find(known, dir, &st)))
		strcpy(real, found->real);
	else if ((there = NEXT(realpath)(dir, real)) && known_set(&known[next], dir, real, &st))
		next = (next + 1) % KNOWN;
	atomic_flag_clear(&busy);
	return there;
}

/* Make the part before the last component canonical; the last component stays.  A path that ends with "/", "." or ".."
 * is a directory as a whole.  False: the canonical path is too long to name a file. */
static bool path_canonical(char *path)
{
	char dir[PATH_MAX], real[PATH_MAX], name[NAME_MAX + 1];
	char *slash = strrchr(path, '/');

	if (!slash[1] || !strcmp(slash, "/.") || !strcmp(slash, "/..") || strlen(slash + 1) > NAME_MAX) {
		if (NEXT(realpath)(path, real))
			strcpy(path, real);
		else
			path_tidy(path);
		return true;
	}
	dir_of(path, dir);
	strcpy(name, slash + 1);
	if (!dir_real(dir, real)) {
		path_tidy(path);
		return true;
	}
	return path_format(path, PATH_MAX, "%s/%s", strcmp(real, "/") ? real : "", name);
}

/* The rest of a path after this directory; NULL: the path is not below it. */
static const char *path_below(const char *path, const char *dir)
{
	size_t length = strlen(dir);
	return strncmp(path, dir, length) == 0 && path[length] == '/' ? path + length : NULL;
}

bool place_original(char *path, size_t size)
{
	char found[2 * PATH_MAX];
	const char *rest;

	if (!stub_page || stub_page->covered)
		return false;
	for (uint32_t i = 0; i < stub_page->dir_count; i++) {
		const struct stub_entry *entry = &stub_page_dirs(stub_page)[i];
		const char *dir = stub_page_text(stub_page, entry->original);

		rest = path_below(path, stub_page_text(stub_page, entry->actual));
		if (!rest)
			continue;
		return path_format(found, sizeof(found), "%s%s", strcmp(dir, "/") ? dir : "", rest) &&
		       path_format(path, size, "%s", found);
	}
	return false;
}

/* Replace a path by the target of its link; false if it is not a link, or if its target cannot be named. */
static bool path_follow(char *path)
{
	char target[PATH_MAX], dir[PATH_MAX];
	ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = 0;
	place_original(target, sizeof(target));
	if (!*target)
		return false;
	if (*target == '/')
		return path_format(path, PATH_MAX, "%s", target);
	dir_of(path, dir);
	return path_format(path, PATH_MAX, "%s/%s", dir, target);
}

/* A PM file or directory that is in the table. */
static struct place place_found(enum place_kind kind, uint32_t index)
{
	const struct stub_entry *entries = kind == PLACE_PM ? stub_page_paths(stub_page) : stub_page_dirs(stub_page);

	return (struct place){.kind = kind, .entry = index, .actual = stub_page_text(stub_page, entries[index].actual)};
}

/* Another entry in a directory of PM files.  In redirect mode a file that does not exist may be created: in the stage,
 * like a PM file. */
static struct place place_beside(uint32_t dir, const char *path, const char *name)
{
	static __thread char buffers[BUFFERS][PATH_MAX];
	static __thread unsigned used;
	struct stat st;

	if (stub_page->serve || syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return (struct place){.kind = PLACE_BESIDE};
	char *actual = buffers[used++ % BUFFERS];
	if (!path_format(actual, PATH_MAX, "%s/%s", place_found(PLACE_DIR, dir).actual, name))
		stub_refuse("recovery creates a file whose path is too long");
	return (struct place){.kind = PLACE_PM, .entry = PLACE_NEW, .actual = actual};
}

static struct place place_find(const char *path)
{
	char dir[PATH_MAX];
	int index = table_find(stub_page_paths(stub_page), stub_page->path_count, path);

	if (index >= 0)
		return place_found(PLACE_PM, (uint32_t)index);
	index = table_find(stub_page_dirs(stub_page), stub_page->dir_count, path);
	if (index >= 0)
		return place_found(PLACE_DIR, (uint32_t)index);
	const char *slash = strrchr(path, '/');
	dir_of(path, dir);
	index = table_find(stub_page_dirs(stub_page), stub_page->dir_count, dir);
	if (index < 0)
		return (struct place){.kind = PLACE_NONE};
	return place_beside((uint32_t)index, path, slash + 1);
}

/* Is it the user's PM file under another name or, in a namespace, the state's? */
static bool entry_is(const struct stub_entry *entry, const struct stat *st)
{
	struct stat actual;

	return file_is(st, entry->device, entry->inode) ||
	       (stub_page->covered &&
		syscall(SYS_newfstatat, AT_FDCWD, stub_page_text(stub_page, entry->actual), &actual,
			AT_SYMLINK_NOFOLLOW) == 0 &&
		file_is(st, actual.st_dev, actual.st_ino));
}

/* Is this file, whose path is not in our tables, a PM file under another name? */
static struct place place_alias(const struct stat *st, struct place place)
{
	const struct stub_entry *entries = stub_page_paths(stub_page);

	if (!S_ISREG(st->st_mode) || st->st_nlink < 2)
		return place;
	for (uint32_t i = 0; i < stub_page->path_count; i++) {
		if (!entry_is(&entries[i], st))
			continue;
		place = place_found(PLACE_PM, i);
		place.alias = true;
		break;
	}
	return place;
}

/* Whoever looks at the operations before there is a server has seen those of one setting. */
static void ops_note(const char *path)
{
	char ops[PATH_MAX];

	if (stub_page->serve && !stub_is_child && !atomic_load(&stub_page->ops_used) &&
	    stub_beside(ops, sizeof(ops), STUB_OPS) && !strcmp(path, ops))
		atomic_store(&stub_page->ops_used, 1);
}

struct place place_of(int dirfd, const char *path, bool follow)
{
	struct place place = {.kind = PLACE_NONE};
	char canonical[PATH_MAX];
	struct stat st;
	bool there = false;
	int saved = errno;

	if (stub_page && path && *path && path_absolute(canonical, dirfd, path)) {
		ops_note(canonical);
		for (int links = 0; links < LINKS_MAX; links++) {
			there = false;
			if (!path_canonical(canonical))
				break;
			place = place_find(canonical);
			if (place.kind == PLACE_PM || place.kind == PLACE_DIR)
				break;
			there = syscall(SYS_newfstatat, AT_FDCWD, canonical, &st, AT_SYMLINK_NOFOLLOW) == 0;
			if (!there || !S_ISLNK(st.st_mode) || !follow || !path_follow(canonical))
				break;
		}
		if (there)
			place = place_alias(&st, place);
	}
	errno = saved;
	return place;
}

struct place place_ask(int dirfd, const char *path, bool follow)
{
	struct place place = place_of(dirfd, path, follow);

	if (stub_page && stub_page->serve && place.kind == PLACE_PM)
		server_start();
	return place;
}

struct place place_change(int dirfd, const char *path, const char *what)
{
	struct place place = place_of(dirfd, path, false);

	if (place.kind != PLACE_NONE && stub_page->serve)
		stub_refuse("recovery %s", what);
	if (place.alias)
		stub_refuse("recovery %s, under another name", what);
	return place;
}
