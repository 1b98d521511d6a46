/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unread.c - unread FILE; unread FILE check: two hundred lines that recovery never reads, and two that it does: the
 * second must not be on media without the first, and one fence is for all of them. */
// needs: clwb
#include "target.h"

#define LINES 200

static int check(const char *path)
{
	int fd = open(path, O_RDWR);
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return pool != MAP_FAILED && load8(pool + (LINES - 1) * 64) && !load8(pool + (LINES / 2) * 64) ? 3 : 0;
}

int main(int argc, char **argv)
{
	char *pool;

	if (argc == 3)
		return check(argv[1]);
	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	for (unsigned i = 0; i < LINES; i++) {
		ST8(pool + i * 64, 1);
		CLWB(pool + i * 64);
	}
	SFENCE();
	return 0;
}
