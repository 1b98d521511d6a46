/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-nested-buggy.c - an inner transaction adds what the outer one has added. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(oid, 0, sizeof(struct root));
		ST8(&root->a, 1);
		TX_BEGIN(pop)
		{
			TX_COVER(&root->a); //! redundant-log performance
			ST8(&root->a, 2);
		}
		TX_END
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
