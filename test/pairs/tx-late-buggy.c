/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-late-buggy.c - the range is added after the store, so that a rollback restores the new value. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		ST8(&root->a, 1); //! unlogged-store error
		TX_COVER(&root->a);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
