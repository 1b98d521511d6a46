/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sync_pages.c - sync_pages FILE N BAD; sync_pages FILE N BAD check: N pages are changed and then synchronized by one
 * call.  Recovery refuses a state that has page BAD, counted from 0, without the last page. */
#include "target.h"

static uint64_t page_value(int fd, unsigned page)
{
	uint64_t value = 0;

	return pread(fd, &value, sizeof(value), (off_t)(page * PAGE)) == sizeof(value) ? value : 0;
}

int main(int argc, char **argv)
{
	unsigned pages, bad;
	char *pool;
	int fd;

	CHECK(argc == 4 || argc == 5);
	pages = (unsigned)atoi(argv[2]);
	bad = (unsigned)atoi(argv[3]);
	fd = open(argv[1], argc == 5 ? O_RDONLY : O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (argc == 5)
		return fd >= 0 && page_value(fd, bad) && !page_value(fd, pages - 1) ? 3 : 0;
	CHECK(fd >= 0 && ftruncate(fd, (off_t)(pages * PAGE)) == 0);
	pool = mmap((void *)POOL_ADDR, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pool != MAP_FAILED);
	for (unsigned i = pages; i-- > 0;)
		ST8(pool + i * PAGE, i + 1);
	CHECK(fsync(fd) == 0);
	return 0;
}
