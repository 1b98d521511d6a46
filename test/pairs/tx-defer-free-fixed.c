/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-defer-free-fixed.c - the transaction frees the object that it changes: it publishes the action. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	struct pobj_action action;
	PMEMoid object = OID_NULL;
	struct node *node;

	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		object = pmemobj_tx_zalloc(sizeof(struct node), 1);
	}
	TX_END
	node = pmemobj_direct(object);
	pmemobj_defer_free(pop, object, &action);
	TX_BEGIN(pop)
	{
		TX_COVER(&root->a);
		ST8(&root->a, 1);
		ST8(&node->value, 1);
		pmemobj_tx_publish(&action, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
