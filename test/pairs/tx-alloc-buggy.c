/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-alloc-buggy.c - an object is changed in another transaction than the one that allocated it. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	struct node *node = NULL;

	TX_BEGIN(pop)
	{
		TX_COVER(&root->node);
		root->node = pmemobj_tx_zalloc(sizeof(struct node), 1);
		node = pmemobj_direct(root->node);
		ST8(&node->value, 1);
		node->next = pmemobj_tx_xalloc(64, 2, POBJ_XALLOC_ZERO);
		ST8((uint64_t *)pmemobj_direct(node->next) + 7, 1);
	}
	TX_END
	TX_BEGIN(pop)
	{
		ST8(&node->value, 2); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
