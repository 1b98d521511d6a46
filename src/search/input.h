/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.h - one input: the bytes that each source gives to the program.
 *
 *     struct input input = {0};
 *     input_set(&input, 0, bytes, size);
 *     input_write(&input, &sources, "blackout.out/inputs/3", &err);     // a file for each source
 *     input_free(&input); */
#ifndef BLACKOUT_SEARCH_INPUT_H
#define BLACKOUT_SEARCH_INPUT_H

#include <stdint.h>

#include "search/input_source.h"

#define INPUT_BYTES_MAX ((size_t)1 << 20) /* of one source; a longer seed is cut */

struct input_bytes {
	uint8_t *at;
	size_t size;
};

/* Zeroed: all sources are empty. */
struct input {
	struct input_bytes of[SOURCES_MAX];
};

struct input_digest {
	uint64_t at[2];
};

void input_set(struct input *input, size_t source, const void *bytes, size_t size);
struct input input_copy(const struct input *input);
void input_free(struct input *input);

/* Equal inputs have equal digests; others differ, except with a probability of about 2^-128. */
struct input_digest input_digest(const struct input *input, const struct input_sources *sources);

/* All bytes of all sources. */
size_t input_size(const struct input *input, const struct input_sources *sources);

/* An argument ends at a zero byte, and a source has at most `most` bytes: change the input to what the program will
 * see. */
void input_clean(struct input *input, const struct input_sources *sources, size_t most);

/* Write a file for each source into `dir`, which exists; but none for a message without bytes. */
int input_write(const struct input *input, const struct input_sources *sources, const char *dir, struct err *err);

/* Read it back.  A source whose file is missing gets the bytes of `otherwise`; a message only if all are missing. */
int input_read(struct input *input, const struct input_sources *sources, const char *dir, const struct input *otherwise,
	       struct err *err);

/* Read a whole file, or as much of it as `most` allows. */
int input_read_file(struct input *input, size_t source, const char *path, size_t most, struct err *err);

#endif
