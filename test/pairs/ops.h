/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops.h - what the pairs that are judged by their outputs have in common.
 *
 * `PROGRAM POOL ARGUMENTS...` opens or makes the pool, recovers it, performs operations and prints their results.  It has
 * no check of its own.  Recovery is the same command.  The comment
 *
 *     ST8(&slot->key, key); //! output-mismatch error
 *
 * stands beside the store whose loss or early arrival changes what is printed.  Comments near the top that the tests
 * read, besides those of pair.h:
 *
 *     // arguments: {ops}                   arguments after POOL; without {ops}, operations come on standard input
 *     // recover: {ops} alone               those of recovery, if they differ
 *     // client: ask {ops}                  the program is a server with the socket POOL.socket, and `PROGRAM POOL ask
 *                                           {ops}` is its client
 *     // op: put 1 10; get 1                operations; there may be several such lines
 *     // ops: --count 20 --keys 5           or options of `blackout ops`, and then its grammar:
 *     // kind: 4 put {key} {value}
 *     // probe: get 1; get 2                what recovery performs in place of the operations that are left */
#ifndef OPS_H
#define OPS_H

#include "pair.h"

/* Map the file, and make it if there is none.  A file of zeros is an empty pool, so a crash here does no harm. */
static inline void *pool_attach(const char *path, unsigned long addr, size_t bytes)
{
	int fd = open(path, O_CREAT | O_RDWR, 0644);
	void *p;

	CHECK(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
	p = file_map(fd, addr, bytes);
	close(fd);
	return p;
}

struct operation {
	char name[16];
	uint64_t a, b;
};

/* Is it the operation `name`? */
static inline int is(const struct operation *op, const char *name)
{
	return !strcmp(op->name, name);
}

/* Read an operation such as "put 1 10" from a line. */
static inline struct operation operation_of(const char *line)
{
	struct operation op = {"", 0, 0};

	CHECK(sscanf(line, "%15s %lu %lu", op.name, &op.a, &op.b) >= 1);
	return op;
}

/* Read the next operation; returns 0 at the end of the list. */
static inline int operation_next(FILE *list, struct operation *op)
{
	char line[256];

	if (!fgets(line, sizeof(line), list))
		return 0;
	*op = operation_of(line);
	return 1;
}

static inline FILE *list_open(const char *path)
{
	FILE *list = fopen(path, "r");

	CHECK(list);
	return list;
}

/* A line with all numbers of an array. */
static inline void numbers_print(const uint64_t *numbers, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		printf("%lu ", numbers[i]);
	printf("%lu in all\n", count);
}

#endif
