/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines_fence FILE LINES FLUSH - stores to LINES lines and completes all of them with one fence.
 *
 * lines_fence FILE LINES check - reads each line, so it can tell all 2^LINES crash states apart. */
#include "persist.h"

#define POOL_BYTES ((size_t)1 << 16)

static int check(const char *path, size_t lines)
{
	int fd = open(path, O_RDWR);
	uint64_t sum = 0;
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (pool == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < lines; i++)
		sum += *(volatile uint64_t *)(pool + i * 64);
	return sum > lines;
}

int main(int argc, char **argv)
{
	size_t lines = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	char *pool;

	if (!lines || lines * 64 > POOL_BYTES) {
		fprintf(stderr, "usage: lines_fence FILE LINES FLUSH|check\n");
		return 2;
	}
	if (!strcmp(argv[3], "check"))
		return check(argv[1], lines);
	persist_choose(argv[3]);
	pool = pool_map(argv[1], POOL_BYTES);
	for (size_t i = 0; i < lines; i++) {
		*(volatile uint64_t *)(pool + i * 64) = 1;
		line_flush(pool + i * 64);
	}
	__asm__ volatile("sfence" : : : "memory");
	return 0;
}
