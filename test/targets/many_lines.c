/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many_lines.c - many_lines FILE; many_lines FILE check N: thirty lines are stored to, and one fence is for all of
 * them.  Recovery looks at each, and refuses one state: line N alone is lost; or -N: it alone is there.  0: it refuses
 * nothing. */
// needs: clwb
#include "target.h"

#define LINES 30

static int check(const char *path, long bad)
{
	int fd = open(path, O_RDWR);
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	unsigned there = 0, all = (1u << LINES) - 1;

	if (pool == MAP_FAILED)
		return 0;
	for (unsigned i = 0; i < LINES; i++)
		there |= (load8(pool + i * 64) != 0) << i;
	if (bad > 0)
		return there == (all & ~(1u << bad)) ? 3 : 0;
	return bad < 0 && there == 1u << -bad ? 3 : 0;
}

int main(int argc, char **argv)
{
	char *pool;

	CHECK(argc == 2 || argc == 4);
	if (argc == 4)
		return check(argv[1], strtol(argv[3], NULL, 10));
	pool = pool_create(argv[1]);
	for (unsigned i = 0; i < LINES; i++) {
		ST8(pool + i * 64, 1);
		CLWB(pool + i * 64);
	}
	SFENCE();
	return 0;
}
