/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-partly-fixed.c - the whole copy is in the range. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range_direct(root->text, 24);
		memcpy(root->text, "a longer text than that", 24);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
