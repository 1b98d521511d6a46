/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-outside-buggy.c - what a transaction changes is changed before the next one, and not persisted. */
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
			ST8(&root->a, 2 * i);
		}
		TX_END
		ST8(&root->a, 2 * i + 1); //! store-outside-transaction warning
	}
	pmemobj_close(pop);
	return 0;
}
