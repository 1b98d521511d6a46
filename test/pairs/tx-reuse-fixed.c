/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-reuse-fixed.c - an object that is not persisted is freed; another one, which a transaction changes, takes its place. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	struct node *node;

	CHECK(!pmemobj_zalloc(pop, &root->node, sizeof(struct node), 1));
	node = pmemobj_direct(root->node);
	ST8(&node->value, 1);
	pmemobj_free(&root->node);
	TX_BEGIN(pop)
	{
		TX_COVER(&root->node);
		do
			root->node = pmemobj_tx_alloc(sizeof(struct node), 1);
		while (pmemobj_direct(root->node) != node);
		TX_COVER(&root->a);
		ST8(&root->a, 1);
		ST8(&node->value, 2);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
