// SPDX-License-Identifier: GPL-2.0-or-later
// shards_tree FILE        stores to LINES lines, several times to some of them, and completes all with one fence
// shards_tree FILE N [US] reads them in a sequence that depends on what it reads, and fails in several ways
//
// The crash states are a large and irregular tree, another one for each N.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

enum { LINES = 11, WORDS = 8 };

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x7fb5d329728ea185);
	return x ^ x >> 27;
}

static int check(volatile uint64_t *p, uint64_t seen)
{

	for (unsigned i = 0; i < LINES; i++) {
		unsigned line = (unsigned)((i + (seen & 1)) % LINES);

		seen = mix(seen * 31 + p[line * WORDS]);
		if (seen % 5 == 0)
			seen = mix(seen + p[line * WORDS + 1]);
		if (seen % 97 == 0)
			return 0;
	}
	return seen % 17 == 0 ? 3 : seen % 23 == 0 ? 4 : 0;
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0666);

	CHECK(argc >= 2 && fd >= 0 && ftruncate(fd, 4096) == 0);
	uint64_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	if (argc > 2)
		return usleep(argc > 3 ? (unsigned)atoi(argv[3]) : 0), check(p, strtoul(argv[2], NULL, 10));
	for (unsigned i = 0; i < LINES; i++) {
		ST8((char *)(p + i * WORDS), 100 + i);
		if (i % 3 == 0)
			ST8((char *)(p + i * WORDS + 1), 200 + i);
	}
	for (unsigned i = 0; i < LINES; i++)
		CLWB((char *)(p + i * WORDS));
	SFENCE();
	return 0;
}
