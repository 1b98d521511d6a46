/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lure.h - what the programs with distractors have in common.
 *
 * Each of them has many branches that lead to no PM, and one way to a mistake.  They read standard input and have the pool
 * as their argument.  The file that SEARCH_LOG names gets a dot when a program starts, and `!` when it reaches the
 * mistake, so that the executions until then can be counted without asking the search. */
#ifndef LURE_H
#define LURE_H

#include "pair.h"

#include <stdbool.h>

static inline void log_write(const char *text)
{
	const char *path = getenv("SEARCH_LOG");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;

	if (fd < 0)
		return;
	CHECK(write(fd, text, 1) == 1);
	close(fd);
}

static inline char *lure_begin(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);

	log_write(".");
	ST8(pool, 1);
	PERSIST(pool);
	return pool;
}

/* What should last is stored in two lines.  The mistake: only one of them is written back. */
static inline __attribute__((always_inline)) void lure_end(char *pool)
{
	log_write("!");
	ST8(pool, 2);
	ST8(pool + LINE, 2);
	PERSIST(pool + LINE);
}

/* All of the input; what is missing is zero. */
static inline size_t input_all(uint8_t *to, size_t size)
{
	size_t count = 0;
	ssize_t got;

	while (count < size && (got = read(0, to + count, size - count)) > 0)
		count += (size_t)got;
	return count;
}

static volatile unsigned lure_count; /* what distractors work on */

/* Distractors: branches of their own for 1, 8 and 32 bytes. */
#define LURE(byte, value)                      \
	do {                                   \
		if ((byte) == (value))         \
			lure_count += (value); \
	} while (0)

#define LURES_4(in, value)        \
	LURE((in)[0], value);     \
	LURE((in)[1], value + 1); \
	LURE((in)[2], value + 2); \
	LURE((in)[3], value + 3)

#define LURES_8(in, value)  \
	LURES_4(in, value); \
	LURES_4((in) + 4, value + 10)

#define LURES_32(in, value)            \
	LURES_8(in, value);            \
	LURES_8((in) + 8, value + 1);  \
	LURES_8((in) + 16, value + 2); \
	LURES_8((in) + 24, value + 3)

/* As a tokenizer does: each byte is compared with each character that means something. */
static inline void lures_scan(const void *in, size_t size)
{
	static const char meanings[] = "()[]{}<>,;:.!?@#$%&*+-/\\|~^\"'`";

	for (size_t i = 0; i < size; i++)
		for (const char *c = meanings; *c; c++)
			LURE(((const char *)in)[i], *c);
}

#endif
