/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-persisted-fixed.c - a store that is persisted before the transaction begins. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	ST8(&root->a, 1);
	pmemobj_persist(pop, &root->a, 8);
	TX_BEGIN(pop)
	{
		TX_COVER(&root->b);
		ST8(&root->b, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
