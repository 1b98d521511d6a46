/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-pool-set-buggy.c - a store to the second file of a pool set, which the transaction was not told of. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

enum { PART = 8 << 20, OBJECT = 10 << 20 };

/* A pool of two files. */
static void set_create(const char *path)
{
	char directory[2048];
	FILE *set = fopen(path, "w");

	CHECK(set && getcwd(directory, sizeof(directory)));
	fprintf(set, "PMEMPOOLSET\n%d %s/%s.first\n%d %s/%s.second\n", PART, directory, path, PART, directory, path);
	CHECK(fclose(set) == 0);
	pop = pmemobj_create(path, "pair", 0, 0644);
	CHECK(pop);
}

int main(int argc, char **argv)
{
	uint64_t *words, last = OBJECT / 8 - 1;

	CHECK(argc == 2);
	set_create(argv[1]);
	oid = pmemobj_root(pop, OBJECT);
	words = pmemobj_direct(oid);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(oid, 0, 8);
		ST8(&words[0], 1);
		ST8(&words[last], 1); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
