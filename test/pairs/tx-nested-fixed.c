/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-nested-fixed.c - the outer transaction adds for the inner one, and the other way round. */
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
		TX_COVER(&root->c);
		TX_BEGIN(pop)
		{
			ST8(&root->a, 1);
			TX_COVER(&root->b);
			ST8(&root->b, 1);
			ST8(&root->c, 1);
		}
		TX_END
		ST8(&root->b, 2);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
