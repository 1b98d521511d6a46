/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opfiles.c - see opfiles.h. */
#include "ops/opfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/vec.h"

struct opfile {
	struct opfiles_part part;
	char *path;
	unsigned users;
};

struct opfiles {
	const struct oplist *list;
	const char *folder;
	VEC_OF(struct opfile) files; /* those in use: a few, so searching them one by one is fast */
	uint64_t made;               /* so many, to give each another name */
};

struct opfiles *opfiles_new(const struct oplist *list, const char *folder)
{
	struct opfiles *files = mem_alloc(sizeof(*files));

	files->list = list;
	files->folder = folder;
	return files;
}

static void file_remove(struct opfiles *files, size_t index)
{
	unlink(files->files.at[index].path);
	free(files->files.at[index].path);
	files->files.at[index] = files->files.at[--files->files.count];
}

void opfiles_free(struct opfiles *files)
{
	while (files->files.count)
		file_remove(files, files->files.count - 1);
	vec_free(&files->files);
	free(files);
}

static bool part_same(const struct opfiles_part *a, const struct opfiles_part *b)
{
	return a->first == b->first && a->max == b->max && a->before_count == b->before_count &&
	       !memcmp(a->before, b->before, a->before_count * sizeof(*a->before));
}

/* Write operations.  A line that had no newline at the end of the list gets one if others follow. */
static int bytes_write(int fd, struct oplist_bytes bytes, bool others_follow)
{
	size_t done = 0;

	while (done < bytes.size) {
		ssize_t n = write(fd, bytes.at + done, bytes.size - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return -1;
	}
	if (others_follow && bytes.size && bytes.at[bytes.size - 1] != '\n')
		return bytes_write(fd, (struct oplist_bytes){"\n", 1}, false);
	return 0;
}

static int part_write(const struct oplist *list, const struct opfiles_part *part, int fd)
{
	struct oplist_bytes left = oplist_bytes(list, part->first, part->max);

	for (unsigned i = 0; i < part->before_count; i++)
		if (bytes_write(fd, oplist_bytes(list, part->before[i], 1), left.size || i + 1 < part->before_count) <
		    0)
			return -1;
	return bytes_write(fd, left, false);
}

static int file_write(struct opfiles *files, const struct opfiles_part *part, const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_sys(err, "cannot create %s", path);
	int result = part_write(files->list, part, fd);
	if (result < 0) {
		err_sys(err, "cannot write the operations to %s", path);
		unlink(path);
	}
	close(fd);
	return result;
}

const char *opfiles_get(struct opfiles *files, const struct opfiles_part *part, struct err *err)
{
	char path[PATH_MAX];

	BUG_ON(part->before_count > OPFILES_BEFORE_MAX);
	for (size_t i = 0; i < files->files.count; i++)
		if (part_same(&files->files.at[i].part, part)) {
			files->files.at[i].users++;
			return files->files.at[i].path;
		}
	if (path_make(path, sizeof(path), err, "%s/ops-%llu", files->folder, (unsigned long long)files->made) < 0 ||
	    file_write(files, part, path, err) < 0)
		return NULL;
	files->made++;
	struct opfile file = {.part = *part, .path = strdup(path), .users = 1};
	BUG_ON(!file.path);
	vec_push(&files->files, file);
	return file.path;
}

void opfiles_drop(struct opfiles *files, const char *path)
{
	size_t i = 0;

	while (i < files->files.count && files->files.at[i].path != path)
		i++;
	BUG_ON(i == files->files.count);
	if (!--files->files.at[i].users)
		file_remove(files, i);
}
