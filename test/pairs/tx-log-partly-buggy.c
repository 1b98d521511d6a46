/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-partly-buggy.c - a part of a range was added already. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range_direct(&root->a, 8);
		pmemobj_tx_add_range_direct(&root->a, 16); //! redundant-log warning
		ST8(&root->a, 1);
		ST8(&root->b, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
