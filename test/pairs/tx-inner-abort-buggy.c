/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-inner-abort-buggy.c - an inner transaction is aborted, and the outer one with it; a later one knows nothing of their ranges. */
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
		TX_BEGIN(pop)
		{
			TX_COVER(&root->b);
			ST8(&root->b, 1);
			pmemobj_tx_abort(ECANCELED);
		}
		TX_END
		ST8(&root->a, 1); /* not reached */
	}
	TX_END
	CHECK(root->a == 0 && root->b == 0);
	TX_BEGIN(pop)
	{
		ST8(&root->b, 2); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
