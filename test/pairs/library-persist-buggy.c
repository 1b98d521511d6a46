/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library-persist-buggy.c - what libpmemobj flushes to create, commit and close is its own affair; what the program
 * asks it to persist is the program's. */
// link: -lpmemobj
#include "pair.h"

#include <libpmemobj.h>

struct root {
	uint64_t a[8], b[8];
};

int main(int argc, char **argv)
{
	PMEMobjpool *pop = pmemobj_create(argc > 1 ? argv[1] : "pool", "pair", PMEMOBJ_MIN_POOL, 0644);

	CHECK(pop);
	PMEMoid oid = pmemobj_root(pop, sizeof(struct root));
	struct root *root = pmemobj_direct(oid);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(oid, 0, sizeof(root->a));
		ST8(&root->a[0], 1);
	}
	TX_END
	ST8(&root->b[0], 1);
	pmemobj_persist(pop, &root->b[0], 8);
	pmemobj_persist(pop, &root->b[0], 8); //! redundant-flush performance
	pmemobj_close(pop);
	return 0;
}
