/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovers_once.c - recovers_once POOL makes a pool; recovers_once POOL check leaves a mark in it, and refuses a pool
 * that has one. */
#include "target.h"

static void persist(char *at, uint64_t value)
{
	ST8(at, value);
	CLFLUSH(at);
	SFENCE();
}

static char *map(const char *path, int flags)
{
	int fd = open(path, flags, 0666);
	void *p;

	if (fd < 0)
		exit(0);
	CHECK(ftruncate(fd, (off_t)POOL_BYTES) == 0);
	p = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	close(fd);
	return p;
}

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc > 1);
	p = map(argv[1], argc > 2 ? O_RDWR : O_RDWR | O_CREAT);
	if (argc == 2) {
		persist(p, 1);
		persist(p, 2);
		return 0;
	}
	if (load8(p + 64))
		return 3;
	persist(p + 64, 1);
	return 0;
}
