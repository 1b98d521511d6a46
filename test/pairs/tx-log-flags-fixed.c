/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-flags-fixed.c - a range that is added without a flush is added again, so that it is flushed. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_xadd_range_direct(&root->a, 8, POBJ_XADD_NO_FLUSH);
		pmemobj_tx_xadd_range_direct(&root->a, 8, 0);
		ST8(&root->a, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
