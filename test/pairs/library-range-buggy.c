/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library-range-buggy.c - a range that a library flushes is one finding, at the line that called it, however many lines
 * it has. */
// link: -lpmem
#include "pair.h"

#include <libpmem.h>

int main(int argc, char **argv)
{
	size_t bytes;
	int is_pmem;
	char *p = pmem_map_file(argc > 1 ? argv[1] : "pool", POOL_BYTES, PMEM_FILE_CREATE, 0644, &bytes, &is_pmem);

	CHECK(p);
	for (int i = 0; i < 8; i++)
		ST8(p + i * LINE, i + 1);
	pmem_persist(p, 8 * LINE);
	pmem_persist(p, 8 * LINE); //! redundant-flush performance
	pmem_unmap(p, bytes);
	return 0;
}
