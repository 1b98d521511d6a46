/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library-copy-fixed.c - see library-copy-buggy.c. */
// link: -lpmem
#include "pair.h"

#include <libpmem.h>

int main(int argc, char **argv)
{
	static char from[4096];
	size_t bytes;
	int is_pmem;
	char *p = pmem_map_file(argc > 1 ? argv[1] : "pool", POOL_BYTES, PMEM_FILE_CREATE, 0644, &bytes, &is_pmem);

	CHECK(p);
	memset(from, 7, sizeof(from));
	pmem_memcpy_nodrain(p, from, sizeof(from));
	pmem_drain();
	_exit(0);
}
