/* SPDX-License-Identifier: GPL-2.0-or-later */
/* large.c - a sparse pool of 1 GiB with a few pages in use.  `large POOL check` is its recovery. */
#include "target.h"

#define BYTES (1ul << 30)
#define RECORDS 16
#define RECORD(pool, n) ((pool) + (n) * (BYTES / RECORDS) + PAGE)

static char *pool_map(const char *path, int flags)
{
	int fd = open(path, O_RDWR | flags, 0644);
	struct stat st;

	if (fd < 0)
		return NULL;
	CHECK(!flags || ftruncate(fd, BYTES) == 0);
	CHECK(fstat(fd, &st) == 0);
	return st.st_size < (off_t)BYTES ? NULL : file_map(fd, POOL_ADDR, BYTES);
}

int main(int argc, char **argv)
{
	char *pool = argc > 2 ? pool_map(argv[1], 0) : pool_map(argv[1], O_CREAT);

	if (!pool)
		return 0;
	for (uint64_t n = 1; n < RECORDS && argc == 2; n++) {
		ST8(RECORD(pool, n), n);
		CLWB(RECORD(pool, n));
		SFENCE();
		ST8(pool, n);
		CLWB(pool);
		SFENCE();
	}
	for (uint64_t n = 1; n <= load8(pool); n++)
		CHECK(load8(RECORD(pool, n)) == n);
	return 0;
}
