/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-reserve-fixed.c - an object is reserved, filled, and published by the transaction. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	struct pobj_action action;
	PMEMoid object = pmemobj_reserve(pop, &action, sizeof(struct node), 1);
	struct node *node = pmemobj_direct(object);

	ST8(&node->value, 1);
	pmemobj_persist(pop, node, sizeof(*node));
	TX_BEGIN(pop)
	{
		ST8(&node->value, 2);
		pmemobj_persist(pop, node, sizeof(*node));
		TX_COVER(&root->node);
		pmemobj_tx_publish(&action, 1);
		root->node = object;
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
