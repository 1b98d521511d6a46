/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-string-fixed.c - a string is changed in the transaction that copied it. */
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
		ST1(string + 29, '!');
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
