/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open.c - opening files.
 *
 * In a child of the fork server, PM files are always opened read-only, so that nothing can change the stage.  A write
 * through the descriptor is refused when it is tried, and mappings are private. fcntl(F_GETFL) still returns the flags
 * that the program asked for. */
#include "preload/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In redirect mode, a program that never calls this has seen the user's own files. */
static struct place place_open(int dirfd, const char *path, bool follow)
{
	struct place place = place_ask(dirfd, path, follow);

	if (place.kind == PLACE_PM)
		atomic_store(&stub_page->opened, 1);
	return place;
}

static bool path_exists(int dirfd, const char *path, struct stat *st)
{
	int saved = errno;
	bool exists = syscall(SYS_newfstatat, dirfd, path, st, AT_SYMLINK_NOFOLLOW) == 0;

	errno = saved;
	return exists;
}

/* A file beside the pool that is created or changed would be visible to the recoveries of other states. */
static void beside_open(int dirfd, const char *path, int flags)
{
	struct stat st;

	if (!stub_page->serve || (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY)
		return;
	if (path_exists(dirfd, path, &st) ? !S_ISREG(st.st_mode) : !(flags & O_CREAT))
		return;
	stub_refuse("recovery writes other files in the directory of the pool");
}

static int pm_open(const struct place *place, int flags)
{
	const int unwanted = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_DIRECT;
	struct stat st;

	if (!path_exists(AT_FDCWD, place->actual, &st)) {
		if (flags & O_CREAT)
			stub_refuse("recovery creates a PM file");
		errno = ENOENT;
		return -1;
	}
	if ((flags & O_CREAT) && (flags & O_EXCL)) {
		errno = EEXIST;
		return -1;
	}
	if ((flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY && st.st_size > 0)
		stub_refuse("recovery truncates a PM file");
	int fd = NEXT(openat)(AT_FDCWD, place->actual, (flags & ~unwanted) | O_RDONLY);
	if (fd >= 0)
		fd_track(fd, place->entry, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC));
	return fd;
}

static int any_open(int dirfd, const char *path, int flags, mode_t mode)
{
	struct place place = place_open(dirfd, path, !(flags & O_NOFOLLOW));
	int fd;

	if (place.kind == PLACE_PM && stub_page->serve)
		return pm_open(&place, flags);
	if (place.kind == PLACE_PM)
		return NEXT(openat)(AT_FDCWD, place.actual, flags, mode);
	if (place.kind == PLACE_DIR && (flags & O_TMPFILE) == O_TMPFILE && stub_page->serve)
		stub_refuse("recovery creates files in the directory of the pool");
	/* The directory may be listed later. */
	if (place.kind == PLACE_DIR && stub_page->serve)
		server_start();
	if (place.kind == PLACE_BESIDE)
		beside_open(dirfd, path, flags);
	fd = NEXT(openat)(dirfd, path, flags, mode);
	if (fd >= 0)
		fd_clear(fd);
	return fd;
}

#define MODE_OF(flags)                                                                        \
	({                                                                                    \
		va_list args_;                                                                \
		va_start(args_, flags);                                                       \
		mode_t mode_ = (flags) & (O_CREAT | __O_TMPFILE) ? va_arg(args_, mode_t) : 0; \
		va_end(args_);                                                                \
		mode_;                                                                        \
	})

PUBLIC int open(const char *path, int flags, ...)
{
	return any_open(AT_FDCWD, path, flags, MODE_OF(flags));
}

PUBLIC int open64(const char *path, int flags, ...)
{
	return any_open(AT_FDCWD, path, flags, MODE_OF(flags));
}

PUBLIC int openat(int dirfd, const char *path, int flags, ...)
{
	return any_open(dirfd, path, flags, MODE_OF(flags));
}

PUBLIC int openat64(int dirfd, const char *path, int flags, ...)
{
	return any_open(dirfd, path, flags, MODE_OF(flags));
}

PUBLIC int creat(const char *path, mode_t mode)
{
	return any_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

PUBLIC int creat64(const char *path, mode_t mode)
{
	return any_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* Called by programs that were built with _FORTIFY_SOURCE. */
PUBLIC int __open_2(const char *path, int flags);
PUBLIC int __open64_2(const char *path, int flags);
PUBLIC int __openat_2(int dirfd, const char *path, int flags);
PUBLIC int __openat64_2(int dirfd, const char *path, int flags);

PUBLIC int __open_2(const char *path, int flags)
{
	return any_open(AT_FDCWD, path, flags, 0);
}

PUBLIC int __open64_2(const char *path, int flags)
{
	return any_open(AT_FDCWD, path, flags, 0);
}

PUBLIC int __openat_2(int dirfd, const char *path, int flags)
{
	return any_open(dirfd, path, flags, 0);
}

PUBLIC int __openat64_2(int dirfd, const char *path, int flags)
{
	return any_open(dirfd, path, flags, 0);
}

/* shm_open(3) opens /dev/shm/NAME without a call that we could intercept. */
PUBLIC int shm_open(const char *name, int flags, mode_t mode)
{
	char path[4096];

	if (!path_format(path, sizeof(path), "/dev/shm/%s", name + strspn(name, "/")))
		return -1;
	return any_open(AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
}

static bool mode_writes(const char *mode)
{
	return *mode != 'r' || strchr(mode, '+');
}

/* A stream reads and writes without calls that we could intercept.  So it may only read, and only while the file has no
 * mappings. */
static const char *stream_path(const char *path, const char *mode)
{
	struct place place = place_open(AT_FDCWD, path, true);
	struct stat st;

	if (place.kind == PLACE_BESIDE)
		beside_open(AT_FDCWD, path, *mode != 'r' ? O_RDWR | O_CREAT : mode_writes(mode) ? O_RDWR : O_RDONLY);
	if (place.kind != PLACE_PM)
		return path;
	if (stub_page->serve) {
		if (mode_writes(mode) && (*mode != 'r' || path_exists(AT_FDCWD, place.actual, &st)))
			stub_refuse("recovery opens a PM file as a stream for writing");
		mapping_stream(place.entry);
	}
	return place.actual;
}

PUBLIC FILE *fopen(const char *path, const char *mode)
{
	return NEXT(fopen)(stream_path(path, mode), mode);
}

PUBLIC FILE *fopen64(const char *path, const char *mode)
{
	return NEXT(fopen64)(stream_path(path, mode), mode);
}

static const char *stream_path_or_none(const char *path, const char *mode)
{
	return path ? stream_path(path, mode) : NULL;
}

PUBLIC FILE *freopen(const char *path, const char *mode, FILE *stream)
{
	return NEXT(freopen)(stream_path_or_none(path, mode), mode, stream);
}

PUBLIC FILE *freopen64(const char *path, const char *mode, FILE *stream)
{
	return NEXT(freopen64)(stream_path_or_none(path, mode), mode, stream);
}

PUBLIC FILE *fdopen(int fd, const char *mode)
{
	if (fd_is_pm(fd)) {
		if (mode_writes(mode))
			stub_refuse("recovery opens a PM file as a stream for writing");
		mapping_read(fd);
		mapping_stream(fd_entry(fd));
	}
	return NEXT(fdopen)(fd, mode);
}
