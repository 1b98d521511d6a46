/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reads_some.c - reads_some FILE SALT: a recovery for words.c.  What it has read tells what it reads next; its exit
 * status is one of five, by all that it has read. */
#include "target.h"

#define LINES 8
#define STEPS 6

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;
	uint64_t state = argc == 3 ? mix(strtoull(argv[2], NULL, 10) + 1) : 0;
	struct stat st;
	char *p;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)POOL_BYTES)
		return 0;
	p = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 99;
	for (int step = 0; step < STEPS && state % 7; step++)
		state = mix(state ^ load8(p + state % LINES * 64 + state / LINES % 4 * 8));
	return (int)(state % 5);
}
