/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-copy-buggy.c - a copy by the library to a range that was not added. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_memcpy_persist(pop, root->text, "persistent", 11);          //! unlogged-store warning
		pmemobj_memset(pop, root->text + 16, 7, 32, PMEMOBJ_F_MEM_NOFLUSH); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
