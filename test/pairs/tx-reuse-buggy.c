/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-reuse-buggy.c - a part of an object is changed and not persisted. */
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
	ST8(&node->value, 1); //! store-outside-transaction warning
	TX_BEGIN(pop)
	{
		TX_COVER(&root->node);
		TX_COVER(&root->a);
		ST8(&root->a, 1);
		TX_COVER(&node->value);
		ST8(&node->value, 2);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
