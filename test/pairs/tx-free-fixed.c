/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-free-fixed.c - an object is changed and then freed. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	PMEMoid other = OID_NULL;
	struct node *node = NULL;

	TX_BEGIN(pop)
	{
		TX_COVER(&root->node);
		root->node = pmemobj_tx_zalloc(sizeof(struct node), 1);
		other = pmemobj_tx_zalloc(sizeof(struct node), 1);
	}
	TX_END
	TX_BEGIN(pop)
	{
		node = pmemobj_direct(root->node);
		ST8(&node->value, 1);
		pmemobj_tx_free(root->node);
		TX_COVER(&root->node);
		root->node = other;
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
