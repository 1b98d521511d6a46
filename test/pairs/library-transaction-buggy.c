/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library-transaction-buggy.c - a store in a transaction that was not told of it is not flushed when it commits. */
// link: -lpmemobj
#include "pair.h"

#include <libpmemobj.h>

struct root {
	uint64_t a[64], b[64];
};

int main(int argc, char **argv)
{
	PMEMobjpool *pop = pmemobj_create(argc > 1 ? argv[1] : "pool", "pair", PMEMOBJ_MIN_POOL, 0644);

	CHECK(pop);
	PMEMoid oid = pmemobj_root(pop, sizeof(struct root));
	struct root *root = pmemobj_direct(oid);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(oid, 0, sizeof(struct root));
		ST8(&root->a[0], 1);
		ST8(&root->b[32], 1);
	}
	TX_END
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(oid, offsetof(struct root, a), sizeof(root->a));
		ST8(&root->a[0], 2);
		ST8(&root->b[32], 2); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
