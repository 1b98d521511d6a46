/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-alloc-fixed.c - an object is added that an earlier transaction has allocated. */
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
	}
	TX_END
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(root->node, 0, sizeof(struct node));
		struct node *node = pmemobj_direct(root->node);
		ST8(&node->value, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
