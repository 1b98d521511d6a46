/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lure.h - what the programs with distractors have in common.
 *
 * Each of them has many branches that lead to no PM, and one way to a mistake.  The distractors are the same for all
 * (`lures`); besides, each has what a program of its kind would have.  They read standard input and have the pool
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

#define LURE(byte, value)                      \
	do {                                   \
		if ((byte) == (value))         \
			lure_count += (value); \
	} while (0)

/* As a tokenizer does: each byte is compared with each character that means something. */
static inline void lures_scan(const uint8_t *in, size_t size)
{
	static const char meanings[] = "()[]{}<>,;:.!?@#$%&*+-/\\|~^\"'`";

	for (size_t i = 0; i < size; i++)
		for (const char *c = meanings; *c; c++)
			LURE(in[i], *c);
}

/* As settings at fixed places are read: each of the first 16 bytes has two branches of its own. */
#define LURES_4(in, value)        \
	LURE((in)[0], value);     \
	LURE((in)[1], value + 1); \
	LURE((in)[2], value + 2); \
	LURE((in)[3], value + 3)
#define LURES_16(in, value)           \
	LURES_4(in, value);           \
	LURES_4((in) + 4, value + 4); \
	LURES_4((in) + 8, value + 8); \
	LURES_4((in) + 12, value + 12)

static inline void lures_settings(const uint8_t *in)
{
	LURES_16(in, 'A');
	LURES_16(in, 'a');
}

/* All distractors.  The rule: each program calls this for all that it has read, before it looks at it.  There is room for
 * 16 bytes. */
static inline void lures(const void *in, size_t size)
{
	lures_scan(in, size);
	lures_settings(in);
}

#endif
