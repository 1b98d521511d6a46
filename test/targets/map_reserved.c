/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool whose space is reserved, but not written: the kernel has nothing of it in memory, and neither recording it nor
 * mapping it changes that.  Exits with 77 where the file system has it all in memory anyway. */
#include "target.h"

#define RESERVED (64ul << 20)

/* Pages of the mapping that the kernel has in memory. */
static size_t pages_in_memory(void *pool)
{
	unsigned char *pages = malloc(RESERVED / PAGE);
	size_t count = 0;

	CHECK(pages && mincore(pool, RESERVED, pages) == 0);
	for (size_t i = 0; i < RESERVED / PAGE; i++)
		count += pages[i] & 1;
	free(pages);
	return count;
}

static void *map(int fd, int protection)
{
	void *p = mmap(NULL, RESERVED, protection, MAP_SHARED, fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

int main(int argc, char **argv)
{
	size_t before, after;
	char byte;
	int fd;

	CHECK(argc == 2);
	fd = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0644);
	CHECK(fd >= 0);
	if (fallocate(fd, 0, 0, RESERVED) != 0)
		return 77;
	CHECK(pread(fd, &byte, 1, 0) == 1); /* the kernel reads ahead a little */
	before = pages_in_memory(map(fd, PROT_NONE));
	if (before > RESERVED / PAGE / 4)
		return 77;
	ST8(map(fd, PROT_READ | PROT_WRITE), 1);
	after = pages_in_memory(map(fd, PROT_NONE));
	if (after > before + 1024) {
		fprintf(stderr, "%zu pages are in memory now, and %zu were before\n", after, before);
		return 1;
	}
	return 0;
}
