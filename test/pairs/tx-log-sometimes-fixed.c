/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-sometimes-fixed.c - no caller adds what the function adds. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

static void change(uint64_t *number)
{
	TX_COVER(number);
	ST8(number, 1);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		change(&root->a);
	}
	TX_END
	TX_BEGIN(pop)
	{
		change(&root->b);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
