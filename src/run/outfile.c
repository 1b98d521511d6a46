/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outfile.c - see outfile.h. */
#include "run/outfile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "protocol/stub.h"

enum { KEPT_MAX = 16 << 20, CHUNK = 1 << 16 };

int outfile_place(struct outfile *file, const char *dir, struct err *err)
{
	if (path_make(file->path, sizeof(file->path), err, "%s/" STUB_OUTFILE, dir) < 0)
		return -1;
	return path_make(file->second, sizeof(file->second), err, "%s/" STUB_OUTFILE_SECOND, dir);
}

int outfile_open(struct outfile *file, struct err *err)
{
	if (file->fd >= 0)
		return 0;
	file->fd = open(file->second, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return file->fd < 0 ? err_sys(err, "cannot create %s", file->second) : 0;
}

void outfile_close(struct outfile *file)
{
	if (file->fd >= 0) {
		close(file->fd);
		unlink(file->path);
		unlink(file->second);
	}
	free(file->kept);
	*file = OUTFILE_CLOSED;
}

/* Recovery may have removed the file, or put another one in its place. */
static int name_restore(const struct outfile *file)
{
	struct stat ours, there;

	if (fstat(file->fd, &ours) < 0)
		return -1;
	if (lstat(file->path, &there) == 0) {
		if (there.st_ino == ours.st_ino && there.st_dev == ours.st_dev)
			return 0;
		if (remove(file->path) < 0)
			return -1;
	}
	return link(file->second, file->path);
}

int outfile_reset(struct outfile *file, bool as_kept, struct err *err)
{
	size_t size = as_kept ? file->kept_size : 0;

	if (name_restore(file) < 0 || ftruncate(file->fd, (off_t)size) < 0 ||
	    (size && pwrite(file->fd, file->kept, size, 0) != (ssize_t)size))
		return err_sys(err, "cannot empty %s", file->path);
	return 0;
}

int outfile_keep(struct outfile *file, struct err *err)
{
	uint64_t size = outfile_size(file);

	free(file->kept);
	file->kept = NULL;
	file->kept_size = 0;
	if (size > KEPT_MAX)
		return err_set(err, "recovery writes much to {out} before it opens a PM file");
	if (!size)
		return 0;
	file->kept = mem_alloc(size);
	file->kept_size = (size_t)size;
	return pread(file->fd, file->kept, size, 0) == (ssize_t)size ? 0 : err_sys(err, "cannot read %s", file->path);
}

uint64_t outfile_size(const struct outfile *file)
{
	struct stat st;

	return stat(file->path, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

void outfile_read(const struct outfile *file, struct output *output)
{
	static char chunk[CHUNK];
	struct stat st;
	/* Recovery may have put anything there.  To open a FIFO must not block. */
	int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		while ((n = read(fd, chunk, sizeof(chunk))) > 0 && output_feed(output, chunk, (size_t)n))
			;
	close(fd);
}
