/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-string-buggy.c - a string is changed in another transaction than the one that copied it. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	char *string = NULL;

	TX_BEGIN(pop)
	{
		TX_COVER(&root->node);
		root->node = pmemobj_tx_strdup("a string of thirty characters.", 1);
		string = pmemobj_direct(root->node);
	}
	TX_END
	TX_BEGIN(pop)
	{
		ST1(string + 29, '!'); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
