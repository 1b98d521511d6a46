/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-no-snapshot-fixed.c - a range that was added without a snapshot is added. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_xadd_range_direct(&root->b, 8, POBJ_XADD_NO_SNAPSHOT);
		pmemobj_tx_xadd_range(oid, offsetof(struct root, a), 8, POBJ_XADD_ASSUME_INITIALIZED);
		ST8(&root->a, 1);
		ST8(&root->b, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
