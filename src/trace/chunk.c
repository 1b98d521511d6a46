/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers are copied out of the mapping before they are checked: chunks need not be aligned, and a field must not
 * change after it was checked. */
#include "trace/chunk.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/path.h"

_Static_assert(sizeof(struct bo_file_header) == 64, "the file header has no padding");
_Static_assert(sizeof(struct bo_chunk_header) == 48, "the chunk header has no padding");

int chunk_damage(const struct chunk_file *file, uint64_t offset, struct err *err, const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(err, "%s is damaged at offset %llu: %s", file->name, (unsigned long long)offset, what);
}

static bool bytes_are_zero(const uint8_t *bytes, uint64_t size)
{
	/* The first byte is zero and each byte equals the previous one. */
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static int header_check(struct chunk_file *file, const void *header, struct err *err)
{
	const struct bo_file_header *h = &file->header;

	if (file->size < sizeof(*h))
		return chunk_damage(file, file->size, err, "the file header is incomplete");
	memcpy(&file->header, header, sizeof(*h));
	if (memcmp(h->magic, BO_TRACE_MAGIC, sizeof(h->magic)))
		return chunk_damage(file, 0, err, "it does not start like a trace of Blackout");
	if (h->version > BO_TRACE_VERSION) {
		err_set(err,
			"%s says at offset %zu that its format is version %u, which is newer than the %u that this program reads",
			file->name, offsetof(struct bo_file_header, version), h->version, BO_TRACE_VERSION);
		return err_hint(err, "read it with the version of blackout that recorded it, or record again");
	}
	if (h->checksum != XXH3_64bits(h, offsetof(struct bo_file_header, checksum)))
		return chunk_damage(file, 0, err, "file header checksum does not match");
	if (!h->version)
		return chunk_damage(file, offsetof(struct bo_file_header, version), err,
				    "format version 0 does not exist");
	if (h->header_bytes < sizeof(*h) || h->header_bytes > file->size)
		return chunk_damage(file, offsetof(struct bo_file_header, header_bytes), err,
				    "a file header of %u bytes is not possible", h->header_bytes);
	return 0;
}

static int file_map(struct chunk_file *file, int fd, struct err *err)
{
	struct stat st;
	void *base;

	if (fstat(fd, &st) < 0)
		return err_sys(err, "cannot read %s", file->name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, "%s is not a regular file", file->name);
	file->size = (uint64_t)st.st_size;
	if (!file->size)
		return 0;
	base = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (base == MAP_FAILED)
		return err_sys(err, "cannot map %s", file->name);
	madvise(base, file->size, MADV_SEQUENTIAL);
	file->base = base;
	return 0;
}

static int file_open(struct chunk_file *file, const char *dir, const char *name, struct err *err)
{
	char path[4096];
	int fd;

	*file = (struct chunk_file){0};
	snprintf(file->name, sizeof(file->name), "trace/%s", name);
	if (path_make(path, sizeof(path), err, "%s/trace/%s", dir, name) < 0)
		return -1;
	/* Non-blocking, in case a pipe has this name. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? err_sys(err, "cannot open %s", path) : fd;
}

/* Map the file behind `fd`, close `fd`, and check the header. */
static int file_enter(struct chunk_file *file, int fd, struct err *err)
{
	int r = file_map(file, fd, err);

	close(fd);
	if (r < 0)
		return -1;
	file->blank =
		bytes_are_zero(file->base, file->size < sizeof(file->header) ? file->size : sizeof(file->header)) &&
		bytes_are_zero(file->base, file->size);
	if (!file->blank && header_check(file, file->base, err) < 0) {
		chunk_file_close(file);
		return -1;
	}
	return 0;
}

int chunk_file_open(struct chunk_file *file, const char *dir, const char *name, struct err *err)
{
	int fd = file_open(file, dir, name, err);

	return fd < 0 ? -1 : file_enter(file, fd, err);
}

void chunk_file_close(struct chunk_file *file)
{
	if (file->live)
		close(file->fd);
	file->live = false;
	if (file->base)
		munmap((void *)file->base, file->size);
	file->base = NULL;
	file->size = 0;
}

/* The writer was interrupted here.  The bytes that raw_bytes covers are complete; the rest of the chunk may hold the
 * start of an event. */
static int open_chunk_check(const struct chunk_file *file, struct chunk *chunk, struct err *err)
{
	const struct bo_chunk_header *h = &chunk->header;
	uint64_t left = file->size - chunk->offset;

	if (h->raw_bytes > BO_CHUNK_BYTES || sizeof(*h) + h->raw_bytes > left)
		return chunk_damage(file, chunk->offset, err, "an open chunk of %u bytes does not fit into the file",
				    h->raw_bytes);
	if (h->span < sizeof(*h) + h->raw_bytes)
		return chunk_damage(file, chunk->offset, err,
				    "an open chunk of %u bytes does not fit into its span of %u", h->raw_bytes,
				    h->span);
	if (h->span < left && !bytes_are_zero(file->base + chunk->offset + h->span, left - h->span))
		return chunk_damage(file, chunk->offset, err, "a chunk that was left open is followed by others");
	chunk->end = file->size;
	return 1;
}

static int closed_chunk_check(const struct chunk_file *file, struct chunk *chunk, struct err *err)
{
	const struct bo_chunk_header *h = &chunk->header;

	if (h->codec != BO_CHUNK_RAW && h->codec != BO_CHUNK_ZSTD)
		return chunk_damage(file, chunk->offset, err, "unknown chunk codec %u", h->codec);
	if (h->span > file->size - chunk->offset)
		return chunk_damage(file, chunk->offset, err, "a chunk of %u bytes runs past the end of the file",
				    h->span);
	if (h->span < sizeof(*h) || h->stored_bytes > h->span - sizeof(*h))
		return chunk_damage(file, chunk->offset, err, "a payload of %u bytes does not fit into its chunk of %u",
				    h->stored_bytes, h->span);
	if (h->raw_bytes > BO_CHUNK_BYTES || (h->codec == BO_CHUNK_RAW && h->raw_bytes != h->stored_bytes))
		return chunk_damage(file, chunk->offset, err, "a payload of %u bytes, unpacked %u, is not possible",
				    h->stored_bytes, h->raw_bytes);
	chunk->end = chunk->offset + h->span;
	return 1;
}

int chunk_next(const struct chunk_file *file, struct chunk *chunk, struct err *err)
{
	uint64_t at = chunk->offset ? chunk->end : file->header.header_bytes;
	struct bo_chunk_header *h = &chunk->header;

	if (file->blank || at == file->size)
		return 0;
	if (file->size - at < sizeof(*h)) {
		if (bytes_are_zero(file->base + at, file->size - at))
			return 0;
		return chunk_damage(file, at, err, "the chunk header is incomplete");
	}
	memcpy(h, file->base + at, sizeof(*h));
	/* The writer sets the magic last.  Without it no chunk has begun here, even if the rest of the header is not
	 * zero. */
	if (!h->magic && bytes_are_zero(file->base + at + sizeof(*h), file->size - at - sizeof(*h)))
		return 0;
	if (h->magic != BO_CHUNK_MAGIC)
		return chunk_damage(file, at, err, "no chunk starts here");
	chunk->offset = at;
	return h->codec == BO_CHUNK_OPEN ? open_chunk_check(file, chunk, err) : closed_chunk_check(file, chunk, err);
}

uint64_t chunk_checksum(const struct bo_chunk_header *header, const void *stored)
{
	return XXH3_64bits_withSeed(header, offsetof(struct bo_chunk_header, checksum),
				    XXH3_64bits(stored, header->stored_bytes));
}

static int chunk_unpack(const struct chunk_file *file, struct chunk *chunk, const uint8_t *stored, struct err *err)
{
	size_t got;

	if (!chunk->unpacked)
		chunk->unpacked = mem_resize(NULL, BO_CHUNK_BYTES, 1);
	got = ZSTD_decompress(chunk->unpacked, BO_CHUNK_BYTES, stored, chunk->header.stored_bytes);
	if (ZSTD_isError(got) || got != chunk->header.raw_bytes)
		return chunk_damage(file, chunk->offset, err, "the chunk cannot be decompressed");
	chunk->payload = chunk->unpacked;
	return 0;
}

/* A chunk is closed by writing its checksum and then the codec.  If the writer was killed between the two, the checksum
 * must already match.  Any other open chunk has no checksum. */
static bool open_chunk_sound(const struct chunk *chunk)
{
	struct bo_chunk_header closed = chunk->header;

	closed.codec = BO_CHUNK_RAW;
	closed.stored_bytes = closed.raw_bytes;
	return !closed.checksum || chunk_checksum(&closed, chunk->payload) == closed.checksum;
}

int chunk_load(const struct chunk_file *file, struct chunk *chunk, struct err *err)
{
	const struct bo_chunk_header *h = &chunk->header;
	const uint8_t *stored = file->base + chunk->offset + sizeof(*h);

	chunk->payload = stored;
	chunk->payload_bytes = h->raw_bytes;
	if (h->codec == BO_CHUNK_OPEN && open_chunk_sound(chunk))
		return 0;
	if (h->codec == BO_CHUNK_OPEN || chunk_checksum(h, stored) != h->checksum)
		return chunk_damage(file, chunk->offset, err, "chunk checksum does not match");
	return h->codec == BO_CHUNK_ZSTD ? chunk_unpack(file, chunk, stored, err) : 0;
}

void chunk_drop(struct chunk *chunk)
{
	free(chunk->unpacked);
	*chunk = (struct chunk){0};
}

/* Live files
 *
 * The writer closes a chunk in several steps, and we may read between two of them or while sealing truncates the file.
 * So nothing is mapped, and a chunk counts as closed only when its checksum is right. */

int chunk_file_open_live(struct chunk_file *file, const char *dir, const char *name, struct err *err)
{
	struct bo_file_header header;
	struct stat st;
	int fd = file_open(file, dir, name, err);

	if (fd < 0) /* the reason does not matter: opening the complete file will report it */
		return 0;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) || !header.checksum || fstat(fd, &st) < 0 ||
	    st.st_size < header.header_bytes) {
		close(fd);
		return 0;
	}
	file->size = (uint64_t)st.st_size;
	if (header_check(file, &header, err) < 0) {
		close(fd);
		return -1;
	}
	file->live = true;
	file->fd = fd;
	return 1;
}

bool chunk_next_live(const struct chunk_file *file, struct chunk *chunk)
{
	uint64_t at = chunk->offset ? chunk->end : file->header.header_bytes;
	struct bo_chunk_header h;

	if (pread(file->fd, &h, sizeof(h), (off_t)at) != sizeof(h) || h.magic != BO_CHUNK_MAGIC ||
	    h.codec != BO_CHUNK_RAW || h.raw_bytes != h.stored_bytes || h.stored_bytes > BO_CHUNK_BYTES ||
	    h.span < sizeof(h) + h.stored_bytes)
		return false;
	if (!chunk->unpacked)
		chunk->unpacked = mem_alloc(BO_CHUNK_BYTES);
	if (pread(file->fd, chunk->unpacked, h.stored_bytes, (off_t)(at + sizeof(h))) != (ssize_t)h.stored_bytes ||
	    chunk_checksum(&h, chunk->unpacked) != h.checksum)
		return false;
	chunk->header = h;
	chunk->offset = at;
	chunk->end = at + h.span;
	chunk->payload = chunk->unpacked;
	chunk->payload_bytes = h.raw_bytes;
	return true;
}

int chunk_file_end_live(struct chunk_file *file, struct err *err)
{
	file->live = false;
	return file_enter(file, file->fd, err);
}
