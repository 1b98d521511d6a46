/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-atomic-buggy.c - an object is changed that was allocated before the transaction. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	pmemobj_zalloc(pop, &root->node, sizeof(struct node), 1);
	TX_BEGIN(pop)
	{
		struct node *node = pmemobj_direct(root->node);
		ST8(&node->value, 2); //! unlogged-store warning
		pmemobj_persist(pop, node, sizeof(*node));
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
