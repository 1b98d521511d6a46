/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-atomic-fixed.c - an object is allocated, filled and persisted while a transaction is open, but not by it. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

static int fill(PMEMobjpool *in, void *object, void *unused)
{
	struct node *node = object;

	(void)unused;
	ST8(&node->value, 1);
	pmemobj_persist(in, node, sizeof(*node));
	return 0;
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_alloc(pop, &root->node, sizeof(struct node), 1, fill, NULL);
		struct node *node = pmemobj_direct(root->node);
		ST8(&node->value, 2);
		pmemobj_persist(pop, node, sizeof(*node));
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
