/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-reserve-buggy.c - an object is changed that was published before the transaction. */
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
	pmemobj_publish(pop, &action, 1);
	TX_BEGIN(pop)
	{
		ST8(&node->value, 2); //! unlogged-store error
		TX_COVER(&root->node);
		root->node = object;
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
