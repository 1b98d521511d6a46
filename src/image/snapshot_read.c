/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading: the body is unpacked part by part and turned into events, the same that a trace has for files that existed.
 * Nothing is trusted before it has been checked.  Memory is allocated for bytes that are present, never because a
 * number claims that they are. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/err.h"
#include "image/snapshot.h"
#include "image/snapshot_in.h"

#define PART_BYTES (64u * 1024)
#define DIRS_MOST 4096u

struct snapshot {
	struct origin *origin;
	struct image *image;
};

struct reader {
	struct snapshot *s;
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer in;
	XXH3_state_t *sum;
	uint64_t body_left; /* bytes that the header promises and that were not consumed yet */
	uint32_t files;
	uint8_t part[PART_BYTES]; /* unpacked; [used, size) is not consumed yet */
	size_t used, size;
	uint8_t bytes[PART_BYTES];
	struct err *err;
};

static int damaged(struct reader *r, const char *what)
{
	return err_set(r->err, "the crash state is damaged: %s", what);
}

/* The body */

static int part_next(struct reader *r)
{
	ZSTD_outBuffer out = {r->part, sizeof(r->part), 0};
	size_t status;

	while (!out.pos) {
		size_t before = r->in.pos;

		status = ZSTD_decompressStream(r->zstd, &out, &r->in);
		if (ZSTD_isError(status))
			return damaged(r, ZSTD_getErrorName(status));
		if (!out.pos && r->in.pos == before)
			return damaged(r, "it ends too early");
	}
	XXH3_64bits_update(r->sum, r->part, out.pos);
	r->used = 0;
	r->size = out.pos;
	return 0;
}

static int take(struct reader *r, void *to, size_t size)
{
	uint8_t *at = to;

	if (size > r->body_left)
		return damaged(r, "it is longer than its header says");
	r->body_left -= size;
	while (size) {
		size_t n;

		if (r->used == r->size && part_next(r) < 0)
			return -1;
		n = r->size - r->used < size ? r->size - r->used : size;
		memcpy(at, r->part + r->used, n);
		r->used += n;
		at += n;
		size -= n;
	}
	return 0;
}

/* Read a path into r->bytes and terminate it. */
static int take_path(struct reader *r)
{
	uint32_t length = 0;

	if (take(r, &length, sizeof(length)) < 0)
		return -1;
	if (!length || length >= PATH_MAX)
		return damaged(r, "a path of an impossible length");
	if (take(r, r->bytes, length) < 0)
		return -1;
	r->bytes[length] = 0;
	if (r->bytes[0] != '/' || memchr(r->bytes, 0, length))
		return damaged(r, "an invalid path");
	return 0;
}

/* Files */

static int read_extent(struct reader *r, const struct event *file, uint64_t *end)
{
	uint64_t extent[2] = {0, 0}; /* offset, bytes */

	if (take(r, extent, sizeof(extent)) < 0)
		return -1;
	if (extent[0] < *end || extent[0] > file->size || extent[1] > file->size - extent[0] || !extent[1])
		return damaged(r, "bytes outside of the file");
	*end = extent[0] + extent[1];
	while (extent[1]) {
		struct event part = {.type = EVENT_CONTENT, .file = file->file, .offset = extent[0], .data = r->bytes};

		part.size = extent[1] < PART_BYTES ? extent[1] : PART_BYTES;
		if (take(r, r->bytes, part.size) < 0)
			return -1;
		origin_apply(r->s->origin, &part);
		extent[0] += part.size;
		extent[1] -= part.size;
	}
	return 0;
}

static int read_file(struct reader *r)
{
	struct event file = {.type = EVENT_FILE, .file = r->files + 1};
	uint64_t numbers[2] = {0, 0}, end = 0; /* size, extents */
	const char *name;

	if (take_path(r) < 0 || take(r, numbers, sizeof(numbers)) < 0)
		return -1;
	if (origin_place(r->s->origin, (const char *)r->bytes, &name) >= 0)
		return damaged(r, "the same file twice");
	if (!origin_add_path(r->s->origin, (const char *)r->bytes))
		return damaged(r, "an invalid path");
	if (numbers[1] == SNAPSHOT_ABSENT)
		return 0;
	if (numbers[0] > INT64_MAX)
		return damaged(r, "a file of an impossible size");
	file.size = numbers[0];
	file.path = (const char *)r->bytes;
	origin_apply(r->s->origin, &file);
	r->files++;
	for (uint64_t i = 0; i < numbers[1]; i++) {
		if (read_extent(r, &file, &end) < 0)
			return -1;
	}
	return 0;
}

static int read_dirs(struct reader *r)
{
	uint64_t count = 0;

	if (take(r, &count, sizeof(count)) < 0)
		return -1;
	if (count > DIRS_MOST)
		return damaged(r, "an impossible number of directories");
	for (uint64_t i = 0; i < count; i++) {
		if (take_path(r) < 0)
			return -1;
		origin_add_dir(r->s->origin, (const char *)r->bytes);
	}
	return 0;
}

static int read_body(struct reader *r, uint64_t checksum)
{
	if (read_dirs(r) < 0)
		return -1;
	while (r->body_left) {
		if (read_file(r) < 0)
			return -1;
	}
	return XXH3_64bits_digest(r->sum) == checksum ? 0 : damaged(r, "its checksum is wrong");
}

static int read_all(struct reader *r, const uint8_t *bytes, size_t size)
{
	struct snapshot_header header;

	if (size < sizeof(header) || memcmp(bytes, SNAPSHOT_MAGIC, sizeof(header.magic)) != 0)
		return err_set(r->err, "this is not a crash state");
	memcpy(&header, bytes, sizeof(header));
	r->in = (ZSTD_inBuffer){bytes + sizeof(header), size - sizeof(header), 0};
	r->body_left = header.body_bytes;
	return read_body(r, header.checksum);
}

int snapshot_parse(struct snapshot **snapshot, const uint8_t *bytes, size_t size, struct err *err)
{
	struct reader *r = mem_alloc(sizeof(*r));
	int status;

	r->s = mem_alloc(sizeof(*r->s));
	r->s->origin = origin_new();
	r->zstd = ZSTD_createDCtx();
	r->sum = XXH3_createState();
	r->err = err;
	BUG_ON(!r->zstd || !r->sum);
	XXH3_64bits_reset(r->sum);
	status = read_all(r, bytes, size);
	if (status == 0) {
		r->s->image = image_new(platform_find("adr"), r->s->origin);
		*snapshot = r->s;
	} else {
		snapshot_free(r->s);
	}
	ZSTD_freeDCtx(r->zstd);
	XXH3_freeState(r->sum);
	free(r);
	return status;
}

int snapshot_read(struct snapshot **snapshot, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	struct err cause;
	struct stat st;
	void *bytes;

	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(err, "cannot read %s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	bytes = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	if (bytes == MAP_FAILED) {
		close(fd);
		return err_sys(err, "cannot read %s", path);
	}
	r = snapshot_parse(snapshot, bytes, (size_t)st.st_size, &cause);
	if (bytes)
		munmap(bytes, (size_t)st.st_size);
	close(fd);
	return r < 0 ? err_set(err, "%s: %s", path, cause.sentence) : 0;
}

void snapshot_free(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	image_free(snapshot->image);
	origin_free(snapshot->origin);
	free(snapshot);
}

struct image *snapshot_image(const struct snapshot *snapshot)
{
	return snapshot->image;
}

const struct origin *snapshot_origin(const struct snapshot *snapshot)
{
	return snapshot->origin;
}
