/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-second-fixed.c - each transaction adds what it changes. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	for (uint64_t i = 1; i <= 3; i++) {
		TX_BEGIN(pop)
		{
			TX_COVER(&root->a);
			ST8(&root->a, i);
		}
		TX_END
	}
	pmemobj_close(pop);
	return 0;
}
