/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fd.c - descriptors of PM files in a child of the fork server: which ones there are, and what may be done with them.
 *
 * The table is empty in every other process; there these calls just go to the C library. */
#include "preload/stub.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { FDS_MAX = 1 << 16 };

static struct {
	uint32_t entry; /* plus one; 0: not a PM file */
	int flags;
} fds[FDS_MAX];

bool fd_is_pm(int fd)
{
	return fd >= 0 && fd < FDS_MAX && fds[fd].entry;
}

uint32_t fd_entry(int fd)
{
	return fds[fd].entry - 1;
}

int fd_flags(int fd)
{
	return fds[fd].flags;
}

void fd_track(int fd, uint32_t entry, int flags)
{
	if (fd >= FDS_MAX)
		stub_refuse("recovery opens too many files");
	fds[fd].entry = entry + 1;
	fds[fd].flags = flags;
}

void fd_clear(int fd)
{
	if (fd_is_pm(fd))
		fds[fd].entry = 0;
}

void fd_clear_from(unsigned first, unsigned last)
{
	for (unsigned fd = first; stub_is_child && fd <= last && fd < FDS_MAX; fd++)
		fds[fd].entry = 0;
}

static int fd_copied(int from, int to)
{
	if (to < 0 || from == to)
		return to;
	if (fd_is_pm(from))
		fd_track(to, fd_entry(from), fd_flags(from));
	else
		fd_clear(to);
	return to;
}

PUBLIC int close(int fd)
{
	fd_clear(fd);
	return NEXT(close)(fd);
}

PUBLIC int close_range(unsigned first, unsigned last, int flags)
{
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		fd_clear_from(first, last);
	return NEXT(close_range)(first, last, flags);
}

PUBLIC void closefrom(int first)
{
	fd_clear_from(first < 0 ? 0 : (unsigned)first, FDS_MAX);
	NEXT(closefrom)(first);
}

PUBLIC int dup(int fd)
{
	return fd_copied(fd, NEXT(dup)(fd));
}

PUBLIC int dup2(int from, int to)
{
	return fd_copied(from, NEXT(dup2)(from, to));
}

PUBLIC int dup3(int from, int to, int flags)
{
	return fd_copied(from, NEXT(dup3)(from, to, flags));
}

/* A write lock needs a writable descriptor, which we do not have.  There is nobody to lock out either: each state has
 * its own files. */
static int lock_pretend(int command, struct flock *lock)
{
	if (command == F_GETLK || command == F_OFD_GETLK)
		lock->l_type = F_UNLCK;
	return 0;
}

static int fcntl_any(int fd, int command, void *argument)
{
	switch (fd_is_pm(fd) ? command : -1) {
	case F_GETFL: return fd_flags(fd);
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW: return lock_pretend(command, argument);
	case F_SETFL:
	case F_ADD_SEALS:
	case F_SETLEASE: stub_refuse("recovery changes flags of a PM file");
	}
	int result = NEXT(fcntl)(fd, command, argument);
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? fd_copied(fd, result) : result;
}

#define ARGUMENT_OF(command)                             \
	({                                               \
		va_list args_;                           \
		va_start(args_, command);                \
		void *argument_ = va_arg(args_, void *); \
		va_end(args_);                           \
		argument_;                               \
	})

PUBLIC int fcntl(int fd, int command, ...)
{
	return fcntl_any(fd, command, ARGUMENT_OF(command));
}

PUBLIC int fcntl64(int fd, int command, ...)
{
	return fcntl_any(fd, command, ARGUMENT_OF(command));
}

/* A retained mapping (mapping.c) would keep a lock that the program believes it has released. */
PUBLIC int flock(int fd, int operation)
{
	return fd_is_pm(fd) ? 0 : NEXT(flock)(fd, operation);
}

PUBLIC int lockf(int fd, int command, off_t size)
{
	return fd_is_pm(fd) ? 0 : NEXT(lockf)(fd, command, size);
}

PUBLIC int lockf64(int fd, int command, off64_t size)
{
	return fd_is_pm(fd) ? 0 : NEXT(lockf64)(fd, command, size);
}

/* Does this call leave size and contents unchanged? */
static bool size_stays(int fd, off_t size)
{
	struct stat st;
	return fstat(fd, &st) == 0 && st.st_size == size;
}

static bool size_covers(int fd, int mode, off_t offset, off_t size)
{
	struct stat st;
	return (mode & ~FALLOC_FL_KEEP_SIZE) == 0 && offset >= 0 && size > 0 && fstat(fd, &st) == 0 &&
	       st.st_size - offset >= size;
}

#define RESIZES(name, type)                                                    \
	PUBLIC int name(int fd, type size)                                     \
	{                                                                      \
		if (fd_is_pm(fd) && size_stays(fd, size))                      \
			return 0;                                              \
		if (fd_is_pm(fd))                                              \
			stub_refuse("recovery changes the size of a PM file"); \
		return NEXT(name)(fd, size);                                   \
	}
RESIZES(ftruncate, off_t)
RESIZES(ftruncate64, off64_t)

#define ALLOCATES(name, type, mode, parameters, ...)                          \
	PUBLIC int name parameters                                            \
	{                                                                     \
		if (fd_is_pm(fd) && size_covers(fd, mode, offset, size))      \
			return 0;                                             \
		if (fd_is_pm(fd))                                             \
			stub_refuse("recovery allocates space in a PM file"); \
		return NEXT(name)(__VA_ARGS__);                               \
	}
ALLOCATES(fallocate, off_t, mode, (int fd, int mode, off_t offset, off_t size), fd, mode, offset, size)
ALLOCATES(fallocate64, off64_t, mode, (int fd, int mode, off64_t offset, off64_t size), fd, mode, offset, size)
ALLOCATES(posix_fallocate, off_t, 0, (int fd, off_t offset, off_t size), fd, offset, size)
ALLOCATES(posix_fallocate64, off64_t, 0, (int fd, off64_t offset, off64_t size), fd, offset, size)

/* A call that writes to the file, or changes it in another way. */
#define WRITES(type, name, what, parameters, ...)      \
	PUBLIC type name parameters                    \
	{                                              \
		if (fd_is_pm(fd))                      \
			stub_refuse("recovery " what); \
		return NEXT(name)(__VA_ARGS__);        \
	}

/* clang-format off */
#define CALLS "writes to a PM file with system calls"
WRITES(ssize_t, write, CALLS, (int fd, const void *buffer, size_t size), fd, buffer, size)
WRITES(ssize_t, pwrite, CALLS, (int fd, const void *buffer, size_t size, off_t at), fd, buffer, size, at)
WRITES(ssize_t, pwrite64, CALLS, (int fd, const void *buffer, size_t size, off64_t at), fd, buffer, size, at)
WRITES(ssize_t, writev, CALLS, (int fd, const struct iovec *parts, int count), fd, parts, count)
WRITES(ssize_t, pwritev, CALLS, (int fd, const struct iovec *parts, int count, off_t at), fd, parts, count, at)
WRITES(ssize_t, pwritev64, CALLS, (int fd, const struct iovec *parts, int count, off64_t at), fd, parts, count, at)
WRITES(ssize_t, pwritev2, CALLS, (int fd, const struct iovec *parts, int count, off_t at, int flags), fd, parts, count, at, flags)
WRITES(int, fchmod, "changes the owner, mode or times of a PM file", (int fd, mode_t mode), fd, mode)
WRITES(int, fchown, "changes the owner, mode or times of a PM file", (int fd, uid_t uid, gid_t gid), fd, uid, gid)
WRITES(int, futimens, "changes the owner, mode or times of a PM file", (int fd, const struct timespec times[2]), fd, times)
WRITES(int, futimes, "changes the owner, mode or times of a PM file", (int fd, const struct timeval times[2]), fd, times)
WRITES(int, fsetxattr, "changes the attributes of a PM file", (int fd, const char *name, const void *value, size_t size, int flags), fd, name, value, size, flags)
WRITES(int, fremovexattr, "changes the attributes of a PM file", (int fd, const char *name), fd, name)

/* A call that reads from the file; private mappings may have newer data. */
#define READS_AT(name, at, parameters, ...)                       \
	PUBLIC ssize_t name parameters                            \
	{                                                         \
		off_t from = fd_is_pm(fd) ? (at) : 0;             \
		ssize_t n = NEXT(name)(__VA_ARGS__);              \
		if (fd_is_pm(fd))                                 \
			mapping_overlay(fd, buffer, n, from);     \
		return n;                                         \
	}
#define HERE lseek(fd, 0, SEEK_CUR)
READS_AT(read, HERE, (int fd, void *buffer, size_t size), fd, buffer, size)
READS_AT(pread, at, (int fd, void *buffer, size_t size, off_t at), fd, buffer, size, at)
READS_AT(pread64, at, (int fd, void *buffer, size_t size, off64_t at), fd, buffer, size, at)

/* Called by programs that were built with _FORTIFY_SOURCE. */
PUBLIC ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
PUBLIC ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t at, size_t room);
PUBLIC ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t at, size_t room);
READS_AT(__read_chk, HERE, (int fd, void *buffer, size_t size, size_t room), fd, buffer, size, room)
READS_AT(__pread_chk, at, (int fd, void *buffer, size_t size, off_t at, size_t room), fd, buffer, size, at, room)
READS_AT(__pread64_chk, at, (int fd, void *buffer, size_t size, off64_t at, size_t room), fd, buffer, size, at, room)

/* A call that reads from the file, and cannot be corrected from private mappings. */
#define READS(name, parameters, ...)                              \
	PUBLIC ssize_t name parameters                            \
	{                                                         \
		if (fd_is_pm(fd))                                 \
			mapping_read(fd);                         \
		return NEXT(name)(__VA_ARGS__);                   \
	}
READS(readv, (int fd, const struct iovec *parts, int count), fd, parts, count)
READS(preadv, (int fd, const struct iovec *parts, int count, off_t at), fd, parts, count, at)
READS(preadv64, (int fd, const struct iovec *parts, int count, off64_t at), fd, parts, count, at)
READS(preadv2, (int fd, const struct iovec *parts, int count, off_t at, int flags), fd, parts, count, at, flags)

/* clang-format on */

static void copy_check(int in, int out)
{
	if (fd_is_pm(in))
		mapping_read(in);
	if (fd_is_pm(out))
		stub_refuse("recovery " CALLS);
}

PUBLIC ssize_t sendfile(int out, int in, off_t *at, size_t size)
{
	copy_check(in, out);
	return NEXT(sendfile)(out, in, at, size);
}

PUBLIC ssize_t sendfile64(int out, int in, off64_t *at, size_t size)
{
	copy_check(in, out);
	return NEXT(sendfile64)(out, in, at, size);
}

PUBLIC ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned flags)
{
	copy_check(in, out);
	return NEXT(copy_file_range)(in, in_at, out, out_at, size, flags);
}

PUBLIC ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned flags)
{
	copy_check(in, out);
	return NEXT(splice)(in, in_at, out, out_at, size, flags);
}
