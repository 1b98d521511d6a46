/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-failed-add-buggy.c - an add fails, which the program does not notice. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		size_t size = (size_t)1 << 40;
		(void)pmemobj_tx_xadd_range_direct(&root->a, size, POBJ_XADD_NO_ABORT);
		ST8(&root->a, 1); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
