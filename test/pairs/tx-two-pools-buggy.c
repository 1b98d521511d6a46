/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-two-pools-buggy.c - a transaction of one pool does not cover another. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

static char path[4096];

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	PMEMobjpool *second = pmemobj_create(strcat(strcpy(path, argv[1]), ".second"), "pair", PMEMOBJ_MIN_POOL, 0644);
	CHECK(second);
	uint64_t *number = pmemobj_direct(pmemobj_root(second, 64));

	TX_BEGIN(second)
	{
		TX_COVER(number);
		ST8(number, 1);
	}
	TX_END
	TX_BEGIN(pop)
	{
		TX_COVER(&root->a);
		ST8(&root->a, 1);
		ST8(number, 2); //! store-outside-transaction warning
	}
	TX_END
	pmemobj_close(second);
	unlink(path);
	pmemobj_close(pop);
	return 0;
}
