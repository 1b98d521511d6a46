/* SPDX-License-Identifier: GPL-2.0-or-later */
/* corpus.c - write the corpus of fuzz_trace: a few sound inputs that together use every event, and some that are not
 * sound.
 *
 * Run by hand when the format changes, from the repository root:
 *
 *     make build/asan/libblackout.a
 *     gcc -std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -Itest/unit -fsanitize=address,undefined test/fuzz/corpus.c test/unit/builder.c \
 *             build/asan/libblackout.a -lxxhash -lzstd -o build/corpus && build/corpus test/fuzz/corpus/trace
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "blackout/expression.h"
#include "builder.h"

#define A ((uint64_t)0x7f0000000000)
#define HEADERS (sizeof(struct bo_file_header) + sizeof(struct bo_chunk_header))

static const uint8_t bytes[256] = {1, 2, 3, [7] = 8, [9] = 7, [30] = 1, [100] = 5};

static void save(const char *folder, const char *name, uint8_t mode, const uint8_t *at, size_t size)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	BUG_ON(fd < 0 || write(fd, &mode, 1) != 1 || write(fd, at, size) != (ssize_t)size);
	close(fd);
}

/* The payload of the only chunk, in the modes that wrap it. */
static void save_payload(struct builder *b, const char *folder, const char *name)
{
	char full[64];

	builder_end(b, BO_CHUNK_RAW);
	for (uint8_t mode = 1; mode <= 3; mode++) {
		snprintf(full, sizeof(full), "%s-%u", name, mode);
		save(folder, full, mode, b->bytes + HEADERS, b->size - HEADERS);
	}
	builder_free(b);
}

static void start(struct builder *b)
{
	builder_start(b, 0, 0);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0x1000, 99, 17, BUILDER_P("/bin/p"));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x1234);
	builder_put(b, BO_OP_DEF_CONTEXT, 1, 1, 0x1300);
	builder_put(b, BO_OP_DEF_FILE, 8, 77, 0x4000, BO_FILE_CREATED, BUILDER_P("/pm/a"));
	builder_put(b, BO_OP_MAP, 2, 1, A, 0x4000, 0, 3, MAP_SHARED);
}

static void stores(struct builder *b)
{
	static const uint64_t sizes[] = {1, 2, 4, 8, 16, 32, 8, 16, 50};

	for (unsigned kind = 0; kind < BO_STORE_KIND_COUNT; kind++)
		for (unsigned i = 0; i < 9; i++)
			builder_store(b, &(struct event){.kind = kind,
							 .context = i % 3,
							 .addr = A + i * 64,
							 .size = sizes[i],
							 .data = bytes,
							 .unit = kind == BO_STORE_STRING ? 4 : 0});
	for (unsigned i = 0; i < 9; i++)
		builder_load(b, &(struct event){.context = 1, .addr = A + i, .size = sizes[i]});
	builder_put(b, BO_OP_CLFLUSH, 1, A + 1);
	builder_put(b, BO_OP_CLFLUSHOPT, 1, A + 65);
	builder_put(b, BO_OP_CLWB, 2, 0x1000);
	builder_put(b, BO_OP_CODE_HASH, 0x123456789abcdef0);
	builder_put(b, BO_OP_SFENCE, 1);
	builder_put(b, BO_OP_MFENCE, 0);
	builder_put(b, BO_OP_LOCKED, 1);
}

static void mappings(struct builder *b)
{
	builder_put(b, BO_OP_DEF_FILE, 8, 78, 0x1000, 0, BUILDER_P("/pm/b"));
	builder_put(b, BO_OP_MAP, 0, 2, A + 0x4000, 0x1000, 0, 3, MAP_SHARED);
	builder_store(b, &(struct event){.addr = A + 0x3ff0, .size = 50, .data = bytes});
	builder_put(b, BO_OP_MSYNC, 1, A, 0x8000, MS_SYNC);
	builder_put(b, BO_OP_PROTECT, 1, A + 0x1000, 0x1000, 1);
	builder_put(b, BO_OP_REMAP, 1, A, 0x2000, A + 0x10000, 0x3000);
	builder_put(b, BO_OP_REMAP, 1, A + 0x10000, 0, A + 0x20000, 0x1000);
	builder_put(b, BO_OP_UNMAP, 1, A + 0x11000, 0x1000);
	builder_put(b, BO_OP_MAP, 0, 1, A + 0x10000, 0x1000, 0x1000, 3, MAP_PRIVATE);
	builder_store(b, &(struct event){.addr = A + 0x12000, .size = 8, .data = bytes});
}

static void files(struct builder *b)
{
	builder_put(b, BO_OP_CONTENT, 1, 0x1000, BUILDER_P(bytes), 100);
	builder_put(b, BO_OP_FILE_WRITE, 1, 1, 0x3ff0, BUILDER_P(bytes), 33);
	builder_put(b, BO_OP_FILE_TRUNCATE, 2, 1, 0x9999);
	for (uint64_t mode = 0; mode <= 0x20; mode = mode ? mode * 2 : 1)
		builder_put(b, BO_OP_FILE_ALLOCATE, 1, 1, mode, 0x1000, 0x1000);
	builder_put(b, BO_OP_FILE_RENAME, 1, 1, BUILDER_P("/pm/c"));
	builder_put(b, BO_OP_FILE_UNLINK, 1, 1, 0);
	builder_put(b, BO_OP_FILE_SYNC, 1, 1, BO_SYNC_FSYNC, 0, 0);
	builder_put(b, BO_OP_FILE_SYNC, 1, 0, BO_SYNC_SYNC, 0, 0);
}

static void processes(struct builder *b)
{
	builder_put(b, BO_OP_META, BUILDER_P("cwd"), BUILDER_P("/"));
	builder_put(b, BO_OP_THREAD_START, 2, 1);
	builder_put(b, BO_OP_THREAD_SWITCH, 2);
	builder_put(b, BO_OP_SIGNAL, 11);
	builder_put(b, BO_OP_FORK, 1, 4321, 1);
	builder_put(b, BO_OP_EXEC, 1, 1, BUILDER_P("/bin/sh"));
	builder_put(b, BO_OP_THREAD_EXIT, 2);
	builder_put(b, BO_OP_EXIT, 0);
}

static void calls(struct builder *b)
{
	builder_put(b, BO_OP_DEF_FUNCTION, 1, 0x1234, BUILDER_P("_Z3putl"), BUILDER_P("put(long)"));
	builder_put(b, BO_OP_DEF_FUNCTION, 0, 0x5000, BUILDER_P("get"), BUILDER_P("get"));
	builder_put(b, BO_OP_CALL, 1, 1, A, 2, ~0ull, 4, 5, 6);
	builder_put(b, BO_OP_CALL_LIKE, 2, 2, 1, 2, 3, ~0ull, 5, 6);
	builder_put(b, BO_OP_LEFT, 2, 2);
	builder_put(b, BO_OP_RETURN, 1, 1, 7);
	builder_put(b, BO_OP_DEF_WATCHED, 1, 0x1500, BUILDER_P("pmemobj_tx_alloc"), BUILDER_P("pmemobj_tx_alloc"));
	builder_put(b, BO_OP_CALL_LIKE, 1, 3, 1, 0, 0, 0, 0, 0);
	builder_put(b, BO_OP_RETURN_PAIR, 1, 3, 7, 8);
	builder_put(b, BO_OP_OPERATION_BEGIN, 1, 3, BUILDER_P("put k"));
	builder_put(b, BO_OP_OPERATION_NOTE, 1, BO_NOTE_AGAIN, 2);
	builder_put(b, BO_OP_OPERATION_END, 1, 3);
}

static void inputs(struct builder *b)
{
	builder_put(b, BO_OP_DEF_SOURCE, BO_SOURCE_STDIN, BUILDER_P(""));
	builder_put(b, BO_OP_DEF_TABLE, A, BUILDER_P(bytes), 64);
	builder_put(b, BO_OP_DEF_BLOCK, 1, 0x1200, 16);
	builder_put(b, BO_OP_CONVERSATION, 1, BO_CONVERSATION_RECEIVED, BUILDER_P(bytes), 9);
	builder_put(b, BO_OP_INPUT, 1, 1, 0, 64, 9);
	builder_put(b, BO_OP_DEF_EXPRESSION, BO_EXPR_INPUT, 8, 1ull << BO_EXPR_SOURCE_SHIFT, BUILDER_P(""), 0);
	builder_put(b, BO_OP_DEF_EXPRESSION, BO_EXPR_ZEXT, 64, 0, BUILDER_P("\1"), 1);
	builder_put(b, BO_OP_DEF_EXPRESSION, BO_EXPR_TABLE, 64, 1, BUILDER_P("\1"), 1);
	builder_put(b, BO_OP_DEF_EXPRESSION, BO_EXPR_LENGTH, 64, 1, BUILDER_P(""), 0);
	builder_put(b, BO_OP_DEF_EXPRESSION, BO_EXPR_ULT, 1, 0, BUILDER_P("\1\2"), 2);
	builder_put(b, BO_OP_DEF_EXPRESSION, BO_EXPR_ITE, 64, 0, BUILDER_P("\1\2\3"), 3);
	builder_put(b, BO_OP_BRANCH, 2, BO_BRANCH_CONDITION, 5, 1, 1, 0x1300);
	builder_put(b, BO_OP_VALUE, 6, 3);
}

/* Three payloads of one length, so that the harness divides them where they end: filled up with a long fact. */
static void save_three(const char *folder)
{
	enum { SHARE = 300 };
	uint8_t all[3 * SHARE];
	struct builder b;

	for (unsigned p = 0; p < 3; p++) {
		char pad[128];

		start(&b);
		builder_put(&b, BO_OP_CLOCK, 10 + p * 3);
		processes(&b);
		for (uint64_t clock = 20; b.size < HEADERS + SHARE - 100; clock += 1 + p)
			builder_put(&b, BO_OP_CLOCK, clock);
		snprintf(pad, sizeof(pad), "%*s", (int)(HEADERS + SHARE - b.size - 4), "");
		builder_put(&b, BO_OP_META, BUILDER_P("p"), BUILDER_P(pad));
		BUG_ON(b.size != HEADERS + SHARE);
		memcpy(all + SHARE * p, b.bytes + HEADERS, SHARE);
		builder_free(&b);
	}
	save(folder, "three", 4, all, sizeof(all));
}

static void save_files(const char *folder)
{
	struct builder b;

	start(&b);
	stores(&b);
	builder_end(&b, BO_CHUNK_RAW);
	processes(&b);
	builder_end(&b, BO_CHUNK_ZSTD);
	builder_put(&b, BO_OP_SFENCE, 1);
	builder_end(&b, BO_CHUNK_OPEN);
	builder_zeros(&b, 50);
	save(folder, "file", 0, b.bytes, b.size);
	save(folder, "file-cut", 0, b.bytes, b.size / 2);
	b.bytes[b.size / 2] ^= 4;
	save(folder, "file-flipped", 0, b.bytes, b.size);
	builder_free(&b);
}

int main(int argc, char **argv)
{
	static void (*const parts[])(struct builder *) = {stores, mappings, files, processes, calls, inputs};
	static const char *const names[] = {"stores", "mappings", "files", "processes", "calls", "inputs"};
	struct builder b;

	if (argc != 2) {
		fprintf(stderr, "usage: corpus FOLDER\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		start(&b);
		parts[i](&b);
		save_payload(&b, argv[1], names[i]);
	}
	save_three(argv[1]);
	save_files(argv[1]);
	return 0;
}
