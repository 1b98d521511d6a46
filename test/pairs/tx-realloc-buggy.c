/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-realloc-buggy.c - an object that became larger in an earlier transaction is changed. */
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
		root->node = pmemobj_tx_alloc(sizeof(struct node), 1);
	}
	TX_END
	TX_BEGIN(pop)
	{
		node = pmemobj_direct(root->node);
		TX_COVER(&root->node);
		root->node = pmemobj_tx_zrealloc(root->node, 4096, 1);
		node = pmemobj_direct(root->node);
	}
	TX_END
	TX_BEGIN(pop)
	{
		ST8((char *)node + 4088, 1); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
