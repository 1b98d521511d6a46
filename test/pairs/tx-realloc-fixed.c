/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-realloc-fixed.c - what an object gets when it becomes larger needs no add, and neither does its old place. */
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
		ST8(&node->value, 7); /* it is free */
		node = pmemobj_direct(root->node);
		ST8((char *)node + 4088, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
