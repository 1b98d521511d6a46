/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-alloc-buggy.c - an object is added that the transaction has allocated. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		TX_COVER(&root->node);
		root->node = pmemobj_tx_zalloc(sizeof(struct node), 1);
		pmemobj_tx_add_range(root->node, 0, sizeof(struct node)); //! redundant-log performance
		struct node *node = pmemobj_direct(root->node);
		ST8(&node->value, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
