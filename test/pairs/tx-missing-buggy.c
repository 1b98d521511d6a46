/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-missing-buggy.c - a store that the transaction was not told of. */
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
		ST8(&root->b, 1); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
