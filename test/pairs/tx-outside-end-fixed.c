/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-outside-end-fixed.c - it is persisted in the end. */
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
		ST8(&root->a, 1);
	}
	TX_END
	ST8(&root->b, 1); /* no transaction changes it */
	ST8(&root->a, 2);
	pmemobj_persist(pop, &root->a, 8);
	pmemobj_close(pop);
	return 0;
}
