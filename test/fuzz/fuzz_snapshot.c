/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots of any content: read, or refused with a sentence.  The first byte of the input chooses how the rest is
 * used:
 *
 *   even  the rest is the file as it is
 *   odd   the rest is the body: it gets a sound header, because no fuzzer guesses a checksum, and is compressed
 *
 * What is read can be put on a stage, and written and read again: it comes out the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "image/snapshot.h"
#include "image/snapshot_in.h"
#include "image/stage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MOST (64u * 1024)
#define BODY_MOST (4u << 20) /* a few bytes can stand for gigabytes: that takes time and is no mistake */

static uint8_t file[sizeof(struct snapshot_header) + 2 * INPUT_MOST];

static size_t wrap(const uint8_t *body, size_t size)
{
	struct snapshot_header header = {.body_bytes = size, .checksum = XXH3_64bits(body, size)};
	size_t n = ZSTD_compress(file + sizeof(header), sizeof(file) - sizeof(header), body, size, 1);

	if (ZSTD_isError(n))
		abort();
	memcpy(header.magic, SNAPSHOT_MAGIC, sizeof(header.magic));
	memcpy(file, &header, sizeof(header));
	return sizeof(header) + n;
}

static bool is_large(const uint8_t *bytes, size_t size)
{
	struct snapshot_header header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	return header.body_bytes > BODY_MOST;
}

static void write_again(struct snapshot *s, struct state *state)
{
	struct snapshot *again;
	char path[64];
	struct err err;

	snprintf(path, sizeof(path), "/tmp/blackout-fuzz-%d", getpid());
	if (snapshot_write(path, snapshot_image(s), state, &err) < 0 || snapshot_read(&again, path, &err) < 0)
		abort();
	if (!digest_equal(state->digest, state_digest_none(snapshot_image(again))))
		abort();
	if (origin_path_count(snapshot_origin(s)) != origin_path_count(snapshot_origin(again)))
		abort();
	snapshot_free(again);
	unlink(path);
}

/* Names may be too long for the file system, and sizes too large: then there is a sentence. */
static void put_on_stage(struct snapshot *s, struct state *state)
{
	struct err err = {.sentence = ""};
	struct staging *staging;
	struct stage *stage;

	if (staging_open(&staging, snapshot_origin(s), NULL, 1, &err) < 0)
		abort();
	stage = stage_new(staging, snapshot_image(s), &err);
	if ((!stage || stage_load(stage, state, &err) < 0) && !*err.sentence)
		abort();
	staging_close(staging);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {.sentence = ""};
	struct snapshot *s;
	struct state *state;
	size_t n;
	int r;

	if (!size || size > INPUT_MOST || (*data % 2 == 0 && is_large(data + 1, size - 1)))
		return 0;
	n = *data % 2 ? wrap(data + 1, size - 1) : 0;
	r = n ? snapshot_parse(&s, file, n, &err) : snapshot_parse(&s, data + 1, size - 1, &err);
	if (r < 0) {
		if (!*err.sentence)
			abort();
		return 0;
	}
	state = state_none(snapshot_image(s));
	write_again(s, state);
	put_on_stage(s, state);
	state_free(state);
	snapshot_free(s);
	return 0;
}
