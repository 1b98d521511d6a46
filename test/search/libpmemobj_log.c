/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpmemobj_log.c - a store in a transaction of libpmemobj that is not logged, behind a number. */
// symbolic: stdin
// stdin: 10\n
// trigger stdin: 17\n
// link: -lpmemobj
#include "search.h"

#include <libpmemobj.h>

struct root {
	uint64_t count, sum;
};

int main(int argc, char **argv)
{
	PMEMobjpool *pool = pmemobj_create(argv[argc - 1], "search", PMEMOBJ_MIN_POOL, 0644);
	struct root *root;
	int number = 0;
	PMEMoid oid;

	CHECK(pool);
	oid = pmemobj_root(pool, sizeof(*root));
	root = pmemobj_direct(oid);
	if (scanf("%d", &number) != 1)
		return 0;
	TX_BEGIN(pool)
	{
		pmemobj_tx_add_range(oid, 0, sizeof(root->count));
		root->count++;
		if (number == 17)
			root->sum = 17; //! unlogged-store error
	}
	TX_END
	pmemobj_close(pool);
	return 0;
}
