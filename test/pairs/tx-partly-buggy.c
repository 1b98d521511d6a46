/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-partly-buggy.c - a copy that is longer than the range that was added. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range_direct(root->text, 8);
		memcpy(root->text, "a longer text than that", 24); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
