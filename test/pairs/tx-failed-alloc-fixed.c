/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-failed-alloc-fixed.c - an allocation fails, and the transaction goes on; what it changes was added. */
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
		TX_COVER(&root->a);
		ST8(&root->a, 1);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
