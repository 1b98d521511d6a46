/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-failed-add-fixed.c - the add succeeds. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		size_t size = sizeof(root->a);
		(void)pmemobj_tx_xadd_range_direct(&root->a, size, POBJ_XADD_NO_ABORT);
		ST8(&root->a, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
