/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every step leaves a file that reads as before, so being killed between two steps loses nothing:
 *
 *  1. A chunk that was left open: the file is truncated right after its last event, then the header is overwritten
 *     by a closed one.  If the chunk holds no event, it is cut off altogether.
 *  2. Compression writes a new file beside the old one and renames it.
 *  3. The chunk of facts is first appended as an open chunk without events, then filled, then closed.
 *
 * The first process is sealed last: its mark says that everything is done. */
#include "trace/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/path.h"
#include "trace/chunk.h"
#include "trace/decode.h"
#include "trace/files.h"

#define ZSTD_LEVEL 3

struct sealing {
	struct chunk_file file; /* as it was when it was opened */
	char path[4096], temporary[4096];
	int fd;
	uint64_t end; /* end of the last chunk */
	bool marked;  /* the last chunk is the seal */
};

static int write_all(int fd, const void *bytes, size_t size, uint64_t offset, const char *name, struct err *err)
{
	const uint8_t *at = bytes;

	while (size) {
		ssize_t n = pwrite(fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "cannot write %s", name);
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static int cut(struct sealing *s, uint64_t size, struct err *err)
{
	if (size < s->file.size && ftruncate(s->fd, (off_t)size) < 0)
		return err_sys(err, "cannot truncate %s", s->file.name);
	s->end = size;
	return 0;
}

/* The writer's own count may be out of date, so count again. */
static int chunk_count(const struct chunk_file *file, const struct chunk *chunk, uint32_t *events, struct err *err)
{
	struct decoder decoder = decoder_at(chunk->payload, chunk->payload_bytes);
	struct record record;
	int r;

	for (*events = 0; (r = decode_next(&decoder, &record)) > 0; ++*events)
		;
	if (r < 0)
		return chunk_damage(file,
				    chunk->offset + sizeof(chunk->header) + (uint64_t)(decoder.record - chunk->payload),
				    err, "%s", decoder.problem);
	return 0;
}

static int close_chunk(struct sealing *s, struct chunk *chunk, struct err *err)
{
	struct bo_chunk_header h = chunk->header;

	if (!h.raw_bytes)
		return cut(s, chunk->offset, err);
	if (chunk_load(&s->file, chunk, err) < 0 || chunk_count(&s->file, chunk, &h.events, err) < 0)
		return -1;
	h.codec = BO_CHUNK_RAW;
	h.stored_bytes = h.raw_bytes;
	h.span = (uint32_t)sizeof(h) + h.raw_bytes;
	h.checksum = chunk_checksum(&h, chunk->payload);
	if (cut(s, chunk->offset + h.span, err) < 0)
		return -1;
	return write_all(s->fd, &h, sizeof(h), chunk->offset, s->file.name, err);
}

bool seal_is_mark(const struct chunk_file *file, const struct chunk *chunk)
{
	return chunk->header.codec == BO_CHUNK_RAW && chunk->header.stored_bytes >= SEAL_MARK_BYTES &&
	       !memcmp(file->base + chunk->offset + sizeof(chunk->header), SEAL_MARK, SEAL_MARK_BYTES);
}

static int finish_chunks(struct sealing *s, struct err *err)
{
	struct chunk chunk = {0};
	int r;

	s->end = s->file.header.header_bytes;
	while ((r = chunk_next(&s->file, &chunk, err)) > 0) {
		s->marked = seal_is_mark(&s->file, &chunk);
		if (chunk.header.codec == BO_CHUNK_OPEN)
			return close_chunk(s, &chunk, err);
		s->end = chunk.end;
	}
	return r < 0 ? -1 : cut(s, s->end, err);
}

/* Compression */

struct packing {
	int fd;
	const char *name;
	uint64_t end;
	bool smaller; /* than the old file */
	uint8_t *packed;
};

static int pack_chunk(struct packing *out, const struct chunk_file *file, struct chunk *chunk, struct err *err)
{
	struct bo_chunk_header h = chunk->header;
	const uint8_t *stored = file->base + chunk->offset + sizeof(h);
	size_t size;

	if (chunk_load(file, chunk, err) < 0)
		return -1;
	if (h.codec == BO_CHUNK_RAW && !seal_is_mark(file, chunk)) {
		size = ZSTD_compress(out->packed, ZSTD_compressBound(BO_CHUNK_BYTES), stored, h.stored_bytes,
				     ZSTD_LEVEL);
		if (!ZSTD_isError(size) && size < h.stored_bytes) {
			h.codec = BO_CHUNK_ZSTD;
			h.stored_bytes = (uint32_t)size;
			stored = out->packed;
			out->smaller = true;
		}
	}
	h.span = (uint32_t)sizeof(h) + h.stored_bytes;
	h.checksum = chunk_checksum(&h, stored);
	if (write_all(out->fd, &h, sizeof(h), out->end, out->name, err) < 0 ||
	    write_all(out->fd, stored, h.stored_bytes, out->end + sizeof(h), out->name, err) < 0)
		return -1;
	out->end += h.span;
	return 0;
}

static int pack_chunks(struct packing *out, const struct chunk_file *file, struct err *err)
{
	struct chunk chunk = {0};
	int r;

	out->end = file->header.header_bytes;
	if (write_all(out->fd, file->base, out->end, 0, out->name, err) < 0)
		return -1;
	while ((r = chunk_next(file, &chunk, err)) > 0) {
		if (pack_chunk(out, file, &chunk, err) < 0) {
			r = -1;
			break;
		}
	}
	chunk_drop(&chunk);
	return r;
}

static int replace(struct sealing *s, struct packing *out, struct err *err)
{
	if (!out->smaller)
		return unlink(s->temporary) < 0 ? err_sys(err, "cannot remove %s", s->temporary) : 0;
	if (fdatasync(out->fd) < 0)
		return err_sys(err, "cannot write %s", s->temporary);
	if (rename(s->temporary, s->path) < 0)
		return err_sys(err, "cannot rename %s", s->temporary);
	return 0;
}

static int compress(struct sealing *s, struct err *err)
{
	struct packing out = {
		.fd = open(s->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666),
		.name = s->temporary,
	};
	int r;

	if (out.fd < 0)
		return err_sys(err, "cannot create %s", s->temporary);
	out.packed = mem_alloc(ZSTD_compressBound(BO_CHUNK_BYTES));
	r = pack_chunks(&out, &s->file, err);
	if (r == 0)
		r = replace(s, &out, err);
	if (r < 0)
		unlink(s->temporary);
	free(out.packed);
	close(out.fd);
	return r;
}

/* Facts */

static uint8_t *put_string(uint8_t *p, const char *string, size_t length)
{
	p = bo_put_v(p, length);
	memcpy(p, string, length);
	return p + length;
}

/* Encode the mark and the facts.  Facts that do not fit into a chunk are cut. */
static uint32_t metas_encode(uint8_t *payload, const struct seal_options *options, uint32_t *events)
{
	uint8_t *p = payload;
	size_t room;

	memcpy(p, SEAL_MARK, SEAL_MARK_BYTES);
	p += SEAL_MARK_BYTES;
	*events = 1;
	for (size_t i = 0; i < options->meta_count; i++) {
		size_t key = strlen(options->metas[i].key), value = strlen(options->metas[i].value);

		room = BO_CHUNK_BYTES - sizeof(struct bo_chunk_header) - (size_t)(p - payload);
		if (key + 32 > room)
			break;
		if (value > room - key - 32)
			value = room - key - 32;
		*p++ = BO_OP_META;
		p = put_string(p, options->metas[i].key, key);
		p = put_string(p, options->metas[i].value, value);
		++*events;
	}
	return (uint32_t)(p - payload);
}

/* The facts belong to no thread, but a chunk needs one: take that of the last chunk, which is known. */
static void last_place(const struct chunk_file *file, uint32_t *thread, uint64_t *clock)
{
	struct chunk chunk = {0};
	struct err ignored;

	while (chunk_next(file, &chunk, &ignored) > 0) {
		*thread = chunk.header.thread;
		*clock = chunk.header.clock;
	}
}

static int append_metas(struct sealing *s, const struct seal_options *options, struct err *err)
{
	struct bo_chunk_header h = {.magic = BO_CHUNK_MAGIC, .codec = BO_CHUNK_OPEN, .span = BO_CHUNK_BYTES};
	uint8_t *payload = mem_alloc(BO_CHUNK_BYTES);
	uint32_t events, bytes = metas_encode(payload, options, &events);
	int r;

	last_place(&s->file, &h.thread, &h.clock);
	r = write_all(s->fd, &h, sizeof(h), s->end, s->file.name, err);
	if (r == 0)
		r = write_all(s->fd, payload, bytes, s->end + sizeof(h), s->file.name, err);
	h.codec = BO_CHUNK_RAW;
	h.stored_bytes = h.raw_bytes = bytes;
	h.span = (uint32_t)sizeof(h) + bytes;
	h.events = events;
	h.checksum = chunk_checksum(&h, payload);
	if (r == 0)
		r = write_all(s->fd, &h, sizeof(h), s->end, s->file.name, err);
	if (r < 0 && ftruncate(s->fd, (off_t)s->end) < 0) /* no space left, but the recording itself is intact */
		err_sys(err, "cannot truncate %s", s->file.name);
	free(payload);
	return r;
}

/* One file */

static int sealing_open(struct sealing *s, const char *dir, uint32_t number, struct err *err)
{
	char name[FILES_NAME_BYTES];

	*s = (struct sealing){.fd = -1};
	files_name(name, number);
	if (path_make(s->path, sizeof(s->path), err, "%s/trace/%s", dir, name) < 0 ||
	    path_make(s->temporary, sizeof(s->temporary), err, "%s/trace/.%s.tmp", dir, name) < 0 ||
	    chunk_file_open(&s->file, dir, name, err) < 0)
		return -1;
	s->fd = open(s->path, O_RDWR | O_CLOEXEC);
	if (s->fd < 0) {
		chunk_file_close(&s->file);
		return err_sys(err, "cannot open %s", s->path);
	}
	return 0;
}

static void sealing_close(struct sealing *s)
{
	chunk_file_close(&s->file);
	close(s->fd);
}

typedef int (*seal_step)(struct sealing *s, const struct seal_options *options, struct err *err);

static int step_finish(struct sealing *s, const struct seal_options *options, struct err *err)
{
	(void)options;
	return finish_chunks(s, err);
}

static int step_compress(struct sealing *s, const struct seal_options *options, struct err *err)
{
	(void)options;
	return compress(s, err);
}

static int step_append(struct sealing *s, const struct seal_options *options, struct err *err)
{
	if (finish_chunks(s, err) < 0)
		return -1;
	return s->marked ? 0 : append_metas(s, options, err);
}

/* Each step opens the file again, because the previous step changed it. */
static int seal_do(const char *dir, uint32_t number, seal_step step, const struct seal_options *options,
		   struct err *err)
{
	struct sealing s;
	int r = 0;

	if (sealing_open(&s, dir, number, err) < 0)
		return -1;
	if (!s.file.blank)
		r = step(&s, options, err);
	else if (!number)
		r = chunk_damage(&s.file, 0, err, "the file is empty");
	sealing_close(&s);
	return r;
}

static int seal_file(const char *dir, uint32_t number, const struct seal_options *options, struct err *err)
{
	if (seal_do(dir, number, step_finish, options, err) < 0)
		return -1;
	if (options->compress && seal_do(dir, number, step_compress, options, err) < 0)
		return -1;
	return number ? 0 : seal_do(dir, number, step_append, options, err);
}

int trace_seal(const char *dir, const struct seal_options *options, struct err *err)
{
	uint32_t *numbers;
	size_t count;
	int r = 0;

	if (files_list(dir, &numbers, &count, err) < 0)
		return -1;
	for (size_t i = count; i-- > 0 && r == 0;)
		r = seal_file(dir, numbers[i], options, err);
	free(numbers);
	return r;
}
