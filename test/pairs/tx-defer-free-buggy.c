/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-defer-free-buggy.c - an object is changed that is to be freed, but not by this transaction. */
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
		ST8(&node->value, 1); //! unlogged-store error
	}
	TX_END
	CHECK(pmemobj_publish(pop, &action, 1) == 0);
	pmemobj_close(pop);
	return 0;
}
