/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-no-flush-fixed.c - a range that was added without a flush is added; the program flushes it itself. */
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
		ST8(&root->a, 1);
		pmemobj_flush(pop, &root->a, 8);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
