/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builder.h - write traces for tests: valid ones and, by changing `bytes` before they are written, damaged ones.
 *
 *     struct builder b;
 *     builder_start(&b, 0, 0);                                           // process, layers
 *     builder_put(&b, BO_OP_DEF_FILE, 1, 2, 4096, 0, BUILDER_P("/pm/a")); // fields of BO_OPCODES; b, *: pointer, size
 *     builder_store(&b, &(struct event){.addr = 0x1000, .size = 8, .data = bytes});
 *     builder_end(&b, BO_CHUNK_RAW);                                     // the next event starts another chunk
 *     builder_write(&b, dir);                                            // dir/trace/0000.bo; frees */
#ifndef BLACKOUT_TEST_BUILDER_H
#define BLACKOUT_TEST_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blackout/trace_format.h"
#include "trace/trace.h"

struct builder {
	uint8_t *bytes; /* the whole file */
	size_t size, room;
	uint32_t process;
	bool open;    /* a chunk is being written */
	size_t chunk; /* offset of the last chunk's header */
	uint32_t events, thread;
	uint64_t clock;
	uint64_t last_addr;
	struct bo_recent recent;
};

#define BUILDER_P(pointer) ((uint64_t)(uintptr_t)(pointer))

void builder_start(struct builder *b, uint32_t process, uint32_t layers);

/* Any event of BO_OPCODES or BO_LAYER_OPCODES. */
#define builder_put(b, op, ...) builder_put_fields(b, op, (const uint64_t[]){__VA_ARGS__})
void builder_put_fields(struct builder *b, enum bo_opcode op, const uint64_t *fields);

/* Add a store (kind, context, addr, size, data, unit) or load (context, addr, size), encoded as the recorder does. */
void builder_store(struct builder *b, const struct event *ev);
void builder_load(struct builder *b, const struct event *ev);

/* Add raw bytes, counted as one event. */
void builder_raw(struct builder *b, const void *bytes, size_t size);

/* End the chunk; BO_CHUNK_OPEN leaves it open. */
void builder_end(struct builder *b, enum bo_codec codec);

/* Extend the chunk that was closed last to this span.  The recorder does this too: all its chunks have one size. */
void builder_pad(struct builder *b, uint32_t span);

/* Append zeros after the last chunk. */
void builder_zeros(struct builder *b, size_t size);

/* Correct the checksum of the file header, or of the chunk at `offset`, after a change. */
void builder_sum_file(struct builder *b);
void builder_sum_chunk(struct builder *b, size_t offset);

/* Write dir/trace/NNNN.bo.  builder_write also frees. */
void builder_save(const struct builder *b, const char *dir);
void builder_write(struct builder *b, const char *dir);
void builder_free(struct builder *b);

#endif
