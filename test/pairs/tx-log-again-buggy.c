/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-again-buggy.c - a range is added twice. */
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
		TX_COVER(&root->a); //! redundant-log performance
		ST8(&root->a, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
