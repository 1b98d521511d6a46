/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libc_copy.c - the C library's own ways to write memory, in all sizes and alignments, into PM. */
#include <wchar.h>

#include "target.h"

#define BYTES (2ul << 20)

static int descending(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}

int main(int argc, char **argv)
{
	static char text[200000];
	char *p;
	int fd;

	CHECK(argc == 2);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(1 + i % 251);
	fd = file_create(argv[1], BYTES);
	p = file_map(fd, POOL_ADDR, BYTES);
	for (size_t size = 1, at = 0; size < 100000; size += 1 + size / 4, at = (at + 977) % (BYTES / 2)) {
		memcpy(p + at, text + size % 64, size);
		CHECK(memcmp(p + at, text + size % 64, size) == 0);
		memset(p + at + size, (int)size, size / 2);
		memmove(p + at + 3, p + at, size);
	}
	mark(argv[1], p + BYTES - 8, 1);
	snprintf(p + 100, 1000, "%s %d %f", "formatted", 42, 1.5);
	strcpy(p + 2000, "copied");
	strcat(p + 2000, " and more");
	strncpy(p + 3001, "padded with zeroes", 100);
	wmemset((wchar_t *)(p + 4000), L'w', 100);
	for (int i = 0; i < 1000; i++)
		((int *)(p + 8192))[i] = i * 7919 % 1000;
	qsort(p + 8192, 1000, sizeof(int), descending);
	mark(argv[1], p + BYTES - 8, 2);
	CHECK(munmap(p, BYTES) == 0);
	return 0;
}
