/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-oncommit-fixed.c - a store in a later stage is persisted, as any other. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		TX_COVER(&root->a);
		ST8(&root->a, 1);
	}
	TX_ONCOMMIT
	{
		ST8(&root->a, 2);
		pmemobj_persist(pop, &root->a, 8);
	}
	TX_FINALLY
	{
		ST8(&root->b, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
