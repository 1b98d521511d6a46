/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-silent-buggy.c - a store of another value. */
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
		ST8(&root->a, 2); //! unlogged-store error
		ST8(&root->b, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
