/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path.c - calls that name a file but do not open it: queries and changes. */
#include "preload/stub.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static const char *path_asked(int dirfd, const char *path, bool follow)
{
	struct place place = place_ask(dirfd, path, follow);
	return place.kind == PLACE_PM ? place.actual : path;
}

static const char *path_changed(int dirfd, const char *path, const char *what)
{
	struct place place = place_change(dirfd, path, what);
	return place.kind == PLACE_PM ? place.actual : path;
}

/* A query: `to` is the path to pass on. */
#define ASKS(type, name, dirfd, follow, parameters, ...)          \
	PUBLIC type name parameters                               \
	{                                                         \
		const char *to = path_asked(dirfd, path, follow); \
		return NEXT(name)(__VA_ARGS__);                   \
	}

/* A change; `what` says what recovery does, for the reason. */
#define CHANGES(type, name, dirfd, what, parameters, ...)         \
	PUBLIC type name parameters                               \
	{                                                         \
		const char *to = path_changed(dirfd, path, what); \
		return NEXT(name)(__VA_ARGS__);                   \
	}

#define FOLLOWS(flags) (!((flags)&AT_SYMLINK_NOFOLLOW))

/* clang-format off */
ASKS(int, stat, AT_FDCWD, true, (const char *path, struct stat *st), to, st)
ASKS(int, stat64, AT_FDCWD, true, (const char *path, struct stat64 *st), to, st)
ASKS(int, lstat, AT_FDCWD, false, (const char *path, struct stat *st), to, st)
ASKS(int, lstat64, AT_FDCWD, false, (const char *path, struct stat64 *st), to, st)
ASKS(int, fstatat, dirfd, FOLLOWS(flags), (int dirfd, const char *path, struct stat *st, int flags), dirfd, to, st, flags)
ASKS(int, fstatat64, dirfd, FOLLOWS(flags), (int dirfd, const char *path, struct stat64 *st, int flags), dirfd, to, st, flags)
ASKS(int, statx, dirfd, FOLLOWS(flags), (int dirfd, const char *path, int flags, unsigned mask, struct statx *st), dirfd, to, flags, mask, st)
ASKS(int, statfs, AT_FDCWD, true, (const char *path, struct statfs *st), to, st)
ASKS(int, statvfs, AT_FDCWD, true, (const char *path, struct statvfs *st), to, st)
ASKS(ssize_t, getxattr, AT_FDCWD, true, (const char *path, const char *name, void *value, size_t size), to, name, value, size)
ASKS(ssize_t, lgetxattr, AT_FDCWD, false, (const char *path, const char *name, void *value, size_t size), to, name, value, size)
ASKS(ssize_t, listxattr, AT_FDCWD, true, (const char *path, char *list, size_t size), to, list, size)
ASKS(long, pathconf, AT_FDCWD, true, (const char *path, int name), to, name)

/* For programs that were built before glibc 2.33. */
PUBLIC int __xstat(int version, const char *path, struct stat *st);
PUBLIC int __xstat64(int version, const char *path, struct stat64 *st);
PUBLIC int __lxstat(int version, const char *path, struct stat *st);
PUBLIC int __lxstat64(int version, const char *path, struct stat64 *st);
PUBLIC int __fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags);
PUBLIC int __fxstatat64(int version, int dirfd, const char *path, struct stat64 *st, int flags);
ASKS(int, __xstat, AT_FDCWD, true, (int version, const char *path, struct stat *st), version, to, st)
ASKS(int, __xstat64, AT_FDCWD, true, (int version, const char *path, struct stat64 *st), version, to, st)
ASKS(int, __lxstat, AT_FDCWD, false, (int version, const char *path, struct stat *st), version, to, st)
ASKS(int, __lxstat64, AT_FDCWD, false, (int version, const char *path, struct stat64 *st), version, to, st)
ASKS(int, __fxstatat, dirfd, FOLLOWS(flags), (int version, int dirfd, const char *path, struct stat *st, int flags), version, dirfd, to, st, flags)
ASKS(int, __fxstatat64, dirfd, FOLLOWS(flags), (int version, int dirfd, const char *path, struct stat64 *st, int flags), version, dirfd, to, st, flags)

#define MODES "changes the owner, mode or times of a PM file"
CHANGES(int, chmod, AT_FDCWD, MODES, (const char *path, mode_t mode), to, mode)
CHANGES(int, fchmodat, dirfd, MODES, (int dirfd, const char *path, mode_t mode, int flags), dirfd, to, mode, flags)
CHANGES(int, chown, AT_FDCWD, MODES, (const char *path, uid_t uid, gid_t gid), to, uid, gid)
CHANGES(int, lchown, AT_FDCWD, MODES, (const char *path, uid_t uid, gid_t gid), to, uid, gid)
CHANGES(int, fchownat, dirfd, MODES, (int dirfd, const char *path, uid_t uid, gid_t gid, int flags), dirfd, to, uid, gid, flags)
CHANGES(int, utime, AT_FDCWD, MODES, (const char *path, const struct utimbuf *times), to, times)
CHANGES(int, utimes, AT_FDCWD, MODES, (const char *path, const struct timeval times[2]), to, times)
CHANGES(int, utimensat, dirfd, MODES, (int dirfd, const char *path, const struct timespec times[2], int flags), dirfd, to, times, flags)
CHANGES(int, setxattr, AT_FDCWD, MODES, (const char *path, const char *name, const void *value, size_t size, int flags), to, name, value, size, flags)
CHANGES(int, removexattr, AT_FDCWD, MODES, (const char *path, const char *name), to, name)

#define MAKES "creates something in the directory of the pool"
CHANGES(int, mkdir, AT_FDCWD, MAKES, (const char *path, mode_t mode), to, mode)
CHANGES(int, mkdirat, dirfd, MAKES, (int dirfd, const char *path, mode_t mode), dirfd, to, mode)
CHANGES(int, mknod, AT_FDCWD, MAKES, (const char *path, mode_t mode, dev_t dev), to, mode, dev)
CHANGES(int, mknodat, dirfd, MAKES, (int dirfd, const char *path, mode_t mode, dev_t dev), dirfd, to, mode, dev)
CHANGES(int, mkfifo, AT_FDCWD, MAKES, (const char *path, mode_t mode), to, mode)
CHANGES(int, symlink, AT_FDCWD, MAKES, (const char *target, const char *path), target, to)
CHANGES(int, symlinkat, dirfd, MAKES, (const char *target, int dirfd, const char *path), target, dirfd, to)
/* clang-format on */

/* The call makes up the last component of the name, so only the directory matters. */
#define INVENTS(type, name, parameters, ...)                  \
	PUBLIC type name parameters                           \
	{                                                     \
		if (place_change(AT_FDCWD, path, MAKES).kind) \
			stub_refuse("recovery " MAKES);       \
		return NEXT(name)(__VA_ARGS__);               \
	}
INVENTS(int, mkstemp, (char *path), path)
INVENTS(int, mkstemp64, (char *path), path)
INVENTS(int, mkstemps, (char *path, int suffix), path, suffix)
INVENTS(int, mkostemp, (char *path, int flags), path, flags)
INVENTS(int, mkostemp64, (char *path, int flags), path, flags)
INVENTS(char *, mkdtemp, (char *path), path)

/* Removing a file that does not exist changes nothing. */
static const char *path_removed(int dirfd, const char *path)
{
	struct place place = place_of(dirfd, path, false);
	const char *to = place.kind == PLACE_PM ? place.actual : path;
	struct stat st;

	if (place.alias)
		stub_refuse("recovery removes a name of a PM file");
	if (place.kind == PLACE_NONE || !stub_page->serve)
		return to;
	place_ask(dirfd, path, false);
	if (syscall(SYS_newfstatat, dirfd, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
		stub_refuse(place.kind == PLACE_PM ? "recovery removes a PM file"
						   : "recovery removes files in the directory of the pool");
	return to;
}

PUBLIC int unlink(const char *path)
{
	return NEXT(unlink)(path_removed(AT_FDCWD, path));
}

PUBLIC int unlinkat(int dirfd, const char *path, int flags)
{
	return NEXT(unlinkat)(dirfd, path_removed(dirfd, path), flags);
}

PUBLIC int remove(const char *path)
{
	return NEXT(remove)(path_removed(AT_FDCWD, path));
}

PUBLIC int rmdir(const char *path)
{
	return NEXT(rmdir)(path_removed(AT_FDCWD, path));
}

PUBLIC int shm_unlink(const char *name)
{
	char path[4096];

	if (!path_format(path, sizeof(path), "/dev/shm/%s", name + strspn(name, "/")))
		return -1;
	return NEXT(unlink)(path_removed(AT_FDCWD, path));
}

/* The other file, which gets the name {out}, may have been written by several children, or by the server. */
static void outfile_spare(const char *to)
{
	char path[4096];

	if (stub_page && stub_page->serve && stub_beside(path, sizeof(path), STUB_OUTFILE) && !strcmp(path, to))
		stub_refuse("recovery replaces {out} by another file");
}

/* Two names.  In redirect mode they may be on different file systems. */
struct pair {
	const char *from, *to;
};

static struct pair pair_changed(int from_dir, const char *from, int to_dir, const char *to, const char *what)
{
	struct place a = place_change(from_dir, from, what), b = place_change(to_dir, to, what);

	if ((a.kind == PLACE_PM) != (b.kind == PLACE_PM))
		stub_refuse("recovery %s and another file", what);
	outfile_spare(to);
	return (struct pair){a.kind == PLACE_PM ? a.actual : from, b.kind == PLACE_PM ? b.actual : to};
}

PUBLIC int rename(const char *from, const char *to)
{
	struct pair pair = pair_changed(AT_FDCWD, from, AT_FDCWD, to, "renames a PM file");
	return NEXT(rename)(pair.from, pair.to);
}

PUBLIC int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	struct pair pair = pair_changed(from_dir, from, to_dir, to, "renames a PM file");
	return NEXT(renameat)(from_dir, pair.from, to_dir, pair.to);
}

PUBLIC int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	struct pair pair = pair_changed(from_dir, from, to_dir, to, "renames a PM file");
	return NEXT(renameat2)(from_dir, pair.from, to_dir, pair.to, flags);
}

PUBLIC int link(const char *from, const char *to)
{
	struct pair pair = pair_changed(AT_FDCWD, from, AT_FDCWD, to, "links a PM file");
	return NEXT(link)(pair.from, pair.to);
}

PUBLIC int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	struct pair pair = pair_changed(from_dir, from, to_dir, to, "links a PM file");
	return NEXT(linkat)(from_dir, pair.from, to_dir, pair.to, flags);
}

static const char *path_truncated(const char *path, off_t size)
{
	struct place place = place_ask(AT_FDCWD, path, true);
	struct stat st;

	if (place.kind != PLACE_PM)
		return path;
	if (stub_page->serve && syscall(SYS_newfstatat, AT_FDCWD, place.actual, &st, 0) == 0 && st.st_size == size)
		return NULL;
	if (stub_page->serve)
		stub_refuse("recovery changes the size of a PM file");
	return place.actual;
}

PUBLIC int truncate(const char *path, off_t size)
{
	const char *to = path_truncated(path, size);
	return to ? NEXT(truncate)(to, size) : 0;
}

PUBLIC int truncate64(const char *path, off64_t size)
{
	const char *to = path_truncated(path, size);
	return to ? NEXT(truncate64)(to, size) : 0;
}

/* A query of permissions.  The directory may be read-only for a child; the program must not notice. */
static const char *path_accessed(int dirfd, const char *path, bool follow, int *mode)
{
	struct place place = place_ask(dirfd, path, follow);

	if (place.kind != PLACE_PM)
		return path;
	if (stub_page->serve)
		*mode &= ~W_OK;
	return place.actual;
}

PUBLIC int access(const char *path, int mode)
{
	const char *to = path_accessed(AT_FDCWD, path, true, &mode);
	return NEXT(access)(to, mode);
}

PUBLIC int eaccess(const char *path, int mode)
{
	const char *to = path_accessed(AT_FDCWD, path, true, &mode);
	return NEXT(eaccess)(to, mode);
}

PUBLIC int euidaccess(const char *path, int mode)
{
	const char *to = path_accessed(AT_FDCWD, path, true, &mode);
	return NEXT(euidaccess)(to, mode);
}

PUBLIC int faccessat(int dirfd, const char *path, int mode, int flags)
{
	const char *to = path_accessed(dirfd, path, FOLLOWS(flags), &mode);
	return NEXT(faccessat)(dirfd, to, mode, flags);
}

/* If the link leads to the actual place of a PM file, the program must not see that path. */
PUBLIC ssize_t readlinkat(int dirfd, const char *path, char *buffer, size_t size)
{
	const char *to = path_asked(dirfd, path, false);
	ssize_t n = NEXT(readlinkat)(dirfd, to, buffer, size), whole;
	char target[PATH_MAX];
	int saved = errno;

	if (n <= 0 || !stub_page || stub_page->covered)
		return n;
	whole = NEXT(readlinkat)(dirfd, to, target, sizeof(target) - 1);
	target[whole > 0 ? whole : 0] = 0;
	if (whole > 0 && place_original(target, sizeof(target))) {
		whole = (ssize_t)strlen(target);
		n = whole > (ssize_t)size ? (ssize_t)size : whole;
		memcpy(buffer, target, (size_t)n);
	}
	errno = saved;
	return n;
}

PUBLIC ssize_t readlink(const char *path, char *buffer, size_t size)
{
	return readlinkat(AT_FDCWD, path, buffer, size);
}

/* For programs that were built with _FORTIFY_SOURCE. */
PUBLIC ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t room);
PUBLIC ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t room)
{
	return readlinkat(AT_FDCWD, path, buffer, size < room ? size : room);
}

PUBLIC ssize_t __readlinkat_chk(int dirfd, const char *path, char *buffer, size_t size, size_t room);
PUBLIC ssize_t __readlinkat_chk(int dirfd, const char *path, char *buffer, size_t size, size_t room)
{
	return readlinkat(dirfd, path, buffer, size < room ? size : room);
}

/* realpath(3) of a redirected file: the file exists there, and the original name is the canonical one. */
static char *pm_realpath(const struct place *place, char *resolved)
{
	struct stat st;

	if (place->entry == PLACE_NEW)
		return NEXT(realpath)(place->actual, resolved);
	if (syscall(SYS_newfstatat, AT_FDCWD, place->actual, &st, 0) < 0)
		return NULL;
	const char *original = stub_page_text(stub_page, stub_page_paths(stub_page)[place->entry].original);
	return resolved ? strcpy(resolved, original) : strdup(original);
}

PUBLIC char *realpath(const char *path, char *resolved)
{
	struct place place = place_ask(AT_FDCWD, path, true);
	return place.kind == PLACE_PM ? pm_realpath(&place, resolved) : NEXT(realpath)(path, resolved);
}

PUBLIC char *__realpath_chk(const char *path, char *resolved, size_t size);
PUBLIC char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	(void)size;
	return realpath(path, resolved);
}

PUBLIC char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

/* A directory listing shows the state only if a namespace puts the state there. */
static void dir_listed(int dirfd, const char *path)
{
	struct place place = place_of(dirfd, path, true);

	if (place.kind == PLACE_DIR && stub_page->serve)
		server_start();
	if (place.kind == PLACE_DIR && !stub_page->covered)
		stub_refuse("recovery lists the directory of the pool");
}

/* clang-format off */
#define LISTS(type, name, dirfd, parameters, ...)                  \
	PUBLIC type name parameters                                \
	{                                                          \
		dir_listed(dirfd, path);                           \
		return NEXT(name)(__VA_ARGS__);                    \
	}
typedef int (*filter_fn)(const struct dirent *);
typedef int (*order_fn)(const struct dirent **, const struct dirent **);
typedef int (*filter64_fn)(const struct dirent64 *);
typedef int (*order64_fn)(const struct dirent64 **, const struct dirent64 **);
LISTS(DIR *, opendir, AT_FDCWD, (const char *path), path)
LISTS(int, scandir, AT_FDCWD, (const char *path, struct dirent ***list, filter_fn filter, order_fn order), path, list, filter, order)
LISTS(int, scandir64, AT_FDCWD, (const char *path, struct dirent64 ***list, filter64_fn filter, order64_fn order), path, list, filter, order)
LISTS(int, scandirat, dirfd, (int dirfd, const char *path, struct dirent ***list, filter_fn filter, order_fn order), dirfd, path, list, filter, order)
LISTS(int, ftw, AT_FDCWD, (const char *path, __ftw_func_t each, int fds), path, each, fds)
LISTS(int, nftw, AT_FDCWD, (const char *path, __nftw_func_t each, int fds, int flags), path, each, fds, flags)
LISTS(int, nftw64, AT_FDCWD, (const char *path, __nftw64_func_t each, int fds, int flags), path, each, fds, flags)
/* clang-format on */

PUBLIC DIR *fdopendir(int fd)
{
	char link[64], path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = NEXT(readlink)(link, path, sizeof(path) - 1);
	if (n > 0) {
		path[n] = 0;
		dir_listed(AT_FDCWD, path);
	}
	return NEXT(fdopendir)(fd);
}

PUBLIC FTS *fts_open(char *const *paths, int options, int (*order)(const FTSENT **, const FTSENT **))
{
	for (char *const *path = paths; *path; path++)
		dir_listed(AT_FDCWD, *path);
	return NEXT(fts_open)(paths, options, order);
}

/* The directory before the first component with a wildcard. */
static void pattern_listed(const char *pattern)
{
	char dir[PATH_MAX];
	size_t plain = strcspn(pattern, "*?[{\\");

	if (!path_format(dir, sizeof(dir), "%.*s", (int)plain, pattern))
		return; /* there is nothing to find */
	char *slash = strrchr(dir, '/');
	if (slash)
		slash[1] = 0;
	else
		strcpy(dir, ".");
	dir_listed(AT_FDCWD, dir);
}

PUBLIC int glob(const char *pattern, int flags, int (*error)(const char *, int), glob_t *list)
{
	pattern_listed(pattern);
	return NEXT(glob)(pattern, flags, error, list);
}

PUBLIC int glob64(const char *pattern, int flags, int (*error)(const char *, int), glob64_t *list)
{
	pattern_listed(pattern);
	return NEXT(glob64)(pattern, flags, error, list);
}

PUBLIC int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_un *local = (const void *)address;
	char path[sizeof(local->sun_path) + 1];

	if (stub_page && address->sa_family == AF_UNIX && size > offsetof(struct sockaddr_un, sun_path) &&
	    *local->sun_path) {
		snprintf(path, sizeof(path), "%.*s", (int)(size - offsetof(struct sockaddr_un, sun_path)),
			 local->sun_path);
		/* The redirected path might be too long for a socket, and the process that connects to it may not have
		 * the stub. */
		if (place_change(AT_FDCWD, path, MAKES).kind)
			stub_refuse("recovery " MAKES);
	}
	return NEXT(bind)(fd, address, size);
}
