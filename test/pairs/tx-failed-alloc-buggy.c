/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-failed-alloc-buggy.c - an allocation fails, and the transaction goes on, because it was told to. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	TX_BEGIN(pop)
	{
		pmemobj_tx_set_failure_behavior(POBJ_TX_FAILURE_RETURN);
		CHECK(OID_IS_NULL(pmemobj_tx_alloc((size_t)1 << 30, 1)));
		CHECK(pmemobj_tx_stage() == TX_STAGE_WORK);
		ST8(&root->a, 1); //! unlogged-store error
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
