/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-no-flush-buggy.c - the range that was added is another one. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_xadd_range_direct(&root->b, 8, POBJ_XADD_NO_FLUSH);
		ST8(&root->a, 1); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
