/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start.c - see start.h. */
#include "search/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { PART_BYTES = 1 << 16 };

struct start {
	struct origin *origin;
	struct image *image; /* NULL: to be made of the origin */
	uint32_t files;      /* that existed */
};

struct start *start_new(void)
{
	struct start *start = mem_alloc(sizeof(*start));

	start->origin = origin_new();
	return start;
}

static void image_drop(struct start *start)
{
	if (start->image)
		image_free(start->image);
	start->image = NULL;
}

void start_free(struct start *start)
{
	if (!start)
		return;
	image_drop(start);
	origin_free(start->origin);
	free(start);
}

bool start_has(const struct start *start, const char *path)
{
	const char *name;

	return origin_place(start->origin, path, &name) >= 0;
}

/* The file's number in the content; 0: it did not exist before. */
static uint32_t content_find(const struct content *content, const char *path)
{
	for (uint32_t file = 1; file <= content_file_count(content); file++)
		if (content_path(content, file) && !strcmp(content_path(content, file), path))
			return file;
	return 0;
}

bool start_exists(const struct start *start, const char *path)
{
	return content_find(origin_content(start->origin), path);
}

void start_add_dir(struct start *start, const char *path)
{
	for (size_t i = 0; i < origin_dir_count(start->origin); i++)
		if (!strcmp(origin_dir(start->origin, i), path))
			return;
	image_drop(start);
	origin_add_dir(start->origin, path);
}

const struct origin *start_origin(const struct start *start)
{
	return start->origin;
}

struct image *start_image(struct start *start)
{
	if (!start->image)
		start->image = image_new(platform_find("adr"), start->origin);
	return start->image;
}

/* The origin gets a file as a recording would announce it. */
static struct event file_begin(struct start *start, const char *path, uint64_t size)
{
	struct event file = {.type = EVENT_FILE, .file = ++start->files, .path = path, .size = size};

	origin_apply(start->origin, &file);
	return (struct event){.type = EVENT_CONTENT, .file = file.file};
}

/* Bytes of the user's file, without its holes. */
static int file_take(struct start *start, int fd, const char *path, uint64_t size, struct err *err)
{
	struct event part = file_begin(start, path, size);
	uint8_t bytes[PART_BYTES];
	off_t at = 0;

	part.data = bytes;
	while ((at = lseek(fd, at, SEEK_DATA)) >= 0 && (uint64_t)at < size) {
		ssize_t n = pread(fd, bytes, sizeof(bytes), at);

		if (n < 0)
			return err_sys(err, "cannot read %s", path);
		if (n == 0)
			break;
		part.offset = (uint64_t)at;
		part.size = (uint64_t)n;
		origin_apply(start->origin, &part);
		at += n;
	}
	return 0;
}

int start_add_file(struct start *start, const char *path, struct err *err)
{
	struct stat st;
	int fd, result;

	if (start_has(start, path))
		return 0;
	image_drop(start);
	if (!origin_add_path(start->origin, path) || stat(path, &st) < 0)
		return 0; /* it is not there, and will not be there when an execution begins */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "cannot read %s", path);
	result = file_take(start, fd, path, (uint64_t)st.st_size, err);
	close(fd);
	return result;
}

/* ---- files that nobody expected ---- */

static struct origin *recording_origin(const char *dir, struct err *err)
{
	struct origin *origin = origin_new();
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, dir, err) < 0) {
		origin_free(origin);
		return NULL;
	}
	while ((more = trace_next(trace, &ev, err)) > 0)
		if (origin_wants(&ev))
			origin_apply(origin, &ev);
	trace_close(trace);
	if (more == 0)
		return origin;
	origin_free(origin);
	return NULL;
}

static int file_put_back(const struct content *content, uint32_t file, const char *path, struct err *err)
{
	int fd, result;

	if (!file)
		return unlink(path) < 0 && errno != ENOENT ? err_sys(err, "cannot remove %s again", path) : 0;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(err, "cannot put %s back", path);
	result = content_write(content, file, fd, err);
	close(fd);
	return result;
}

/* In a directory that the start knows, an execution sees private files, except those that were too large to copy.  Putting
 * the same content back does no harm; but what it created there is not the user's, and is gone already.  Returns whether the
 * file was put back. */
static int path_learn(struct start *start, const struct content *content, const char *path, struct err *err)
{
	uint32_t file = content_find(content, path);
	bool covered = false;

	for (size_t i = 0; !covered && i < origin_dir_count(start->origin); i++) {
		const char *dir = origin_dir(start->origin, i);

		covered = !strncmp(path, dir, strlen(dir)) && path[strlen(dir)] == '/' &&
			  !strchr(path + strlen(dir) + 1, '/');
	}
	if ((file || !covered) && file_put_back(content, file, path, err) < 0)
		return -1;
	return start_add_file(start, path, err) < 0 ? -1 : file || !covered;
}

int start_learn(struct start *start, const char *recording, struct err *err)
{
	struct origin *found = recording_origin(recording, err);
	int back = 0, learned = 0;

	for (size_t i = 0; found && learned >= 0 && i < origin_path_count(found); i++) {
		const char *path = origin_path(found, i);

		if (start_has(start, path))
			continue;
		learned = path_learn(start, origin_content(found), path, err);
		back += learned > 0;
	}
	if (found)
		origin_free(found);
	return found && learned >= 0 ? back : -1;
}
