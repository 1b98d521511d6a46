/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-aborted-buggy.c - an abort does not roll back what was not added. */
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
		pmemobj_tx_abort(ECANCELED);
	}
	TX_END
	CHECK(root->a == 0);
	pmemobj_close(pop);
	return 0;
}
