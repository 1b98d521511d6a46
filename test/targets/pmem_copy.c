/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmem_copy.c - libpmem's copies of all sizes and alignments: short ones flushed, long ones non-temporal. */
// link: -lpmem
#include <libpmem.h>

#include "target.h"

#define BYTES (4ul << 20)

int main(int argc, char **argv)
{
	static char text[70000];
	size_t mapped, at = 0;
	int is_pmem;
	char *p;

	CHECK(argc == 2);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 + i / 251);
	p = pmem_map_file(argv[1], BYTES, PMEM_FILE_CREATE, 0644, &mapped, &is_pmem);
	CHECK(p && mapped == BYTES);
	printf("pmem %d\n", is_pmem);
	for (size_t size = 1; size < sizeof(text); size += 1 + size / 3) {
		at += 13;
		pmem_memcpy_persist(p + at, text, size);
		CHECK(memcmp(p + at, text, size) == 0);
		at += size;
		pmem_memset_persist(p + at, (int)size, size);
		at += size;
		CHECK(at < BYTES);
	}
	mark(argv[1], p + BYTES - 8, 1);
	pmem_memmove_persist(p + 100, p + 7, 50000);
	pmem_memmove_persist(p + 7, p + 100, 50000);
	pmem_memmove_nodrain(p + BYTES / 2, p, 100000);
	pmem_drain();
	strcpy(p, "done");
	pmem_persist(p, 5);
	CHECK(pmem_unmap(p, mapped) == 0);
	return 0;
}
