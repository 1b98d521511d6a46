/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-copy-fixed.c - a copy by the library to a range that was added. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range_direct(root->text, 48);
		pmemobj_memcpy_persist(pop, root->text, "persistent", 11);
		pmemobj_memset(pop, root->text + 16, 7, 32, PMEMOBJ_F_MEM_NOFLUSH);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
