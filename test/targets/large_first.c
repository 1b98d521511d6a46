/* SPDX-License-Identifier: GPL-2.0-or-later */
/* large_first.c - large_first FILE; large_first FILE check: thirty lines, and one fence for all of them; then four, and
 * another fence.  Recovery looks at each, and refuses the first two of the four without the others. */
// needs: clwb
#include "target.h"

#define LARGE 30
#define SMALL 4

static int check(const char *path)
{
	int fd = open(path, O_RDWR);
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint64_t there = 0;

	if (pool == MAP_FAILED)
		return 0;
	for (unsigned i = 0; i < LARGE + SMALL; i++)
		there |= (uint64_t)(load8(pool + i * 64) != 0) << i;
	return there >> LARGE == 3 ? 3 : 0;
}

int main(int argc, char **argv)
{
	char *pool;

	CHECK(argc == 2 || argc == 3);
	if (argc == 3)
		return check(argv[1]);
	pool = pool_create(argv[1]);
	for (unsigned i = 0; i < LARGE; i++) {
		ST8(pool + i * 64, 1);
		CLWB(pool + i * 64);
	}
	SFENCE();
	for (unsigned i = LARGE; i < LARGE + SMALL; i++) {
		ST8(pool + i * 64, 1);
		CLWB(pool + i * 64);
	}
	SFENCE();
	return 0;
}
