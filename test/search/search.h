/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search.h - what the programs for the input search have in common.
 *
 * Each program has a mistake that its seed does not reach; it stands behind conditions on the input of one kind.
 *
 *     ST8(pool, 2); //! missing-flush error
 *
 * must be found by `blackout search`, and nothing else may be.  Comments near the top that the tests read:
 *
 *     // symbolic: stdin              what may be changed; there may be several such lines
 *     // arguments: pool input        of the program; by default: pool
 *     // stdin: hello\n               the seed, as printf %b prints it
 *     // file: input hello\n          a file that is there at the start, and its content
 *     // trigger stdin: ...           an input that shows the mistake, for tests of the programs themselves;
 *     // trigger file: input ...      also `trigger arguments: ...` and `trigger operations: ...`
 *     // run: --recover ...           options of `blackout search`; @ stands for the program
 *     // client: get 1               the program is a server; arguments after the pool that make it its own client
 *     // ready: 7777                  the port of that server; by default, its socket is pool.socket
 *     // expect: incomplete           the mistake need not be found, but it must be said what was not reached
 *     // link: -lpmem                 libraries
 *
 * A program without //! comments has no mistake.  Lines are LINE bytes apart; the pool is zeroed. */
#ifndef SEARCH_H
#define SEARCH_H

#include "pair.h"

#include <ctype.h>
#include <stdbool.h>

/* Store so that it lasts. */
#define SAVE(p, v)          \
	do {                \
		ST8(p, v);  \
		PERSIST(p); \
	} while (0)

/* Read until the end, or until the buffer is full; return how many bytes there are. */
static inline size_t input_read(int fd, void *to, size_t size)
{
	size_t count = 0;
	ssize_t got;

	while (count < size && (got = read(fd, (char *)to + count, size - count)) > 0)
		count += (size_t)got;
	return count;
}

/* The bytes of a file, in memory that is as large as they are. */
static inline const uint8_t *file_view(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *p;

	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	if (!*size)
		return NULL;
	p = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(p != MAP_FAILED);
	close(fd);
	return p;
}

#endif
