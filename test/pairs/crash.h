/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash.h - what the pairs with a recovery have in common.
 *
 * `PROGRAM FILE` works on a new pool, `PROGRAM FILE check` is its recovery: `// recover: check` near the top tells the
 * test so.  The comment
 *
 *     ST8(&pool->valid, 1); //! recovery-error error
 *
 * stands beside the store whose loss or early arrival makes recovery fail.  Where recovery finds no pool, or one that
 * was never finished, all is well: nothing was promised yet. */
#ifndef CRASH_H
#define CRASH_H

#include "pair.h"

/* What recovery says where it refuses a pool. */
#define REFUSE(why)                           \
	do {                                  \
		fprintf(stderr, "%s\n", why); \
		exit(3);                      \
	} while (0)

/* Map the first `bytes` of a file as the working program did; NULL if the file is absent or shorter. */
static inline void *pool_open(const char *path, unsigned long addr, size_t bytes)
{
	int fd = open(path, O_RDWR);
	struct stat st;
	void *p = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && (size_t)st.st_size >= bytes)
		p = file_map(fd, addr, bytes);
	close(fd);
	return p;
}

static int work(const char *path);
static int check(const char *path);

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "pool";

	return argc > 2 ? check(path) : work(path);
}

#endif
