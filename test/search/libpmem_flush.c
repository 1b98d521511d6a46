/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpmem_flush.c - a store by libpmem that is not flushed, behind a word. */
// symbolic: stdin
// arguments: pool
// stdin: get\n
// trigger stdin: bulk\n
// link: -lpmem
#include "search.h"

#include <libpmem.h>

int main(int argc, char **argv)
{
	size_t size;
	int is_pmem;
	char *pool = pmem_map_file(argv[argc - 1], POOL_BYTES, PMEM_FILE_CREATE, 0644, &size, &is_pmem), word[16] = "";

	CHECK(pool);
	SAVE(pool, 1);
	if (scanf("%15s", word) != 1)
		return 0;
	if (!strcmp(word, "put"))
		pmem_memcpy_persist(pool, word, sizeof(word));
	else if (!strcmp(word, "bulk"))
		ST8(pool, 2); //! missing-flush error
	return 0;
}
