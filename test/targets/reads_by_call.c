/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reads_by_call.c - a value and its token, without a fence between them.  Recovery has a pipe, and looks at the value
 * by system calls alone.
 *
 *     reads_by_call POOL
 *     reads_by_call POOL check */
// needs: clwb
#include "target.h"

#define VALUE 64

static int check(const char *pool)
{
	uint64_t value = 0;
	int ends[2];

	CHECK(pipe(ends) == 0);
	if (!load8(pool))
		return 0;
	CHECK(write(ends[1], pool + VALUE, sizeof(value)) == sizeof(value));
	CHECK(read(ends[0], &value, sizeof(value)) == sizeof(value));
	return value != 7;
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	int fd = open(argv[1], O_RDWR | O_CREAT, 0666);
	CHECK(fd >= 0 && ftruncate(fd, POOL_BYTES) == 0);
	char *pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pool != MAP_FAILED);
	if (argc > 2)
		return check(pool);
	ST8(pool + VALUE, 7);
	CLWB(pool + VALUE);
	ST8(pool, 1);
	CLWB(pool);
	SFENCE();
	return 0;
}
