/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-nested-fixed.c - the next transaction adds the range, too. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(oid, 0, sizeof(struct root));
		ST8(&root->a, 1);
	}
	TX_END{TX_BEGIN(pop){TX_COVER(&root->a);
	ST8(&root->a, 2);
}
TX_END
}
pmemobj_close(pop);
return 0;
}
