/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-outside-before-buggy.c - what is stored before the first transaction, which changes it, is not persisted. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	ST8(&root->a, 1); //! store-outside-transaction warning
	TX_BEGIN(pop)
	{
		TX_COVER(&root->b);
		ST8(&root->b, 1);
		TX_COVER(&root->a);
		ST8(&root->a, 2);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
