/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chunk.h - one trace file as a sequence of chunks: checked file and chunk headers, and unpacked payloads.
 *
 *     struct chunk_file f;
 *     if (chunk_file_open(&f, dir, "0000.bo", &err) < 0) ...
 *     struct chunk chunk = {0};
 *     while ((r = chunk_next(&f, &chunk, &err)) > 0) {
 *             chunk_load(&f, &chunk, &err);           // payload, payload_bytes
 *     }
 *     chunk_drop(&chunk);
 *     chunk_file_close(&f);
 *
 * This module does not interpret events. */
#ifndef BLACKOUT_TRACE_CHUNK_H
#define BLACKOUT_TRACE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "blackout/trace_format.h"

/* A trace file, mapped.  `size` is its size when it was opened. */
struct chunk_file {
	char name[32];       /* "trace/0000.bo", for messages */
	const uint8_t *base; /* NULL for an empty file */
	uint64_t size;
	bool blank; /* only zeros: its writer ended before it wrote the header */
	bool live;  /* still being written: the file is not mapped, chunks are read through `fd` */
	int fd;     /* only while it is live */
	struct bo_file_header header;
};

struct chunk {
	struct bo_chunk_header header;
	uint64_t offset; /* file offset of the header; 0: chunk_next will return the first chunk */
	uint64_t end;    /* file offset of the next chunk */
	const uint8_t *payload;
	uint32_t payload_bytes;
	uint8_t *unpacked; /* owned; room for one chunk, allocated when the first compressed chunk is met */
};

/* Map the file `name` of the recording's trace/ directory, and check its header. */
int chunk_file_open(struct chunk_file *file, const char *dir, const char *name, struct err *err);
void chunk_file_close(struct chunk_file *file);

/* The same for a file that is still being written.  Return 1, or 0 if the header is not written yet. */
int chunk_file_open_live(struct chunk_file *file, const char *dir, const char *name, struct err *err);

/* Go to the next chunk that the writer has closed, and load it.  Return false if there is none yet.  Anything that does
 * not look like a closed chunk is taken for one that is still being written. */
bool chunk_next_live(const struct chunk_file *file, struct chunk *chunk);

/* The writer is done: treat the file like any other from now on.  `chunk` keeps its position. */
int chunk_file_end_live(struct chunk_file *file, struct err *err);

/* Go to the next chunk.  Return 1; 0 at the end; -1 if the header is invalid.  Zeros up to the end of the file count as
 * its end. */
int chunk_next(const struct chunk_file *file, struct chunk *chunk, struct err *err);

/* Verify the chunk's checksum and make `payload` valid until the next load or drop. */
int chunk_load(const struct chunk_file *file, struct chunk *chunk, struct err *err);
void chunk_drop(struct chunk *chunk);

/* Compute the checksum for a chunk's header. */
uint64_t chunk_checksum(const struct bo_chunk_header *header, const void *stored);

/* Set *err: the file is damaged at this offset.  Return -1. */
int chunk_damage(const struct chunk_file *file, uint64_t offset, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
