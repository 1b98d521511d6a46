/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chunk.h - one trace file as a row of chunks: what the file and chunk headers say, checked, and the payloads,
 * unpacked.
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
 * Nothing here knows what an event is. */
#ifndef BLACKOUT_TRACE_CHUNK_H
#define BLACKOUT_TRACE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "blackout/trace_format.h"

/* A trace file, mapped.  Its size is what it was when it was opened. */
struct chunk_file {
	char name[32];       /* "trace/0000.bo", for sentences */
	const uint8_t *base; /* NULL for an empty file */
	uint64_t size;
	bool blank; /* nothing but zeros: its writer ended before it wrote the header */
	bool live;  /* still being written: nothing is mapped, chunks are read through `fd` */
	int fd;     /* while it is live */
	struct bo_file_header header;
};

struct chunk {
	struct bo_chunk_header header;
	uint64_t offset; /* of the header in the file; 0: chunk_next will give the first */
	uint64_t end;    /* where the next chunk starts */
	const uint8_t *payload;
	uint32_t payload_bytes;
	uint8_t *unpacked; /* owned; room for one chunk, if one was ever compressed */
};

/* Map the file `name` of the recording's folder trace/, and check its header. */
int chunk_file_open(struct chunk_file *file, const char *dir, const char *name, struct err *err);
void chunk_file_close(struct chunk_file *file);

/* The same while a writer is at work: 1; 0 if it has not got as far as the header. */
int chunk_file_open_live(struct chunk_file *file, const char *dir, const char *name, struct err *err);

/* The next chunk that the writer has closed, loaded; false if there is none yet.  What cannot be a closed chunk is
 * taken for one that is being written. */
bool chunk_next_live(const struct chunk_file *file, struct chunk *chunk);

/* The writer is done: from here on the file is like any other, and `chunk` stays where it is in it. */
int chunk_file_end_live(struct chunk_file *file, struct err *err);

/* Go on to the next chunk: 1; 0 at the end; -1 on a header that cannot be.  Space of zeros at the end of the file is
 * its end. */
int chunk_next(const struct chunk_file *file, struct chunk *chunk, struct err *err);

/* Check the chunk's sum and make `payload` valid until the next load or drop. */
int chunk_load(const struct chunk_file *file, struct chunk *chunk, struct err *err);
void chunk_drop(struct chunk *chunk);

/* The sum that belongs into a chunk's header. */
uint64_t chunk_checksum(const struct bo_chunk_header *header, const void *stored);

/* Say that the file is damaged at this offset; -1. */
int chunk_damage(const struct chunk_file *file, uint64_t offset, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
