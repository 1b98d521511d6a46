/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-manual-buggy.c - a transaction without macros changes what it has not added. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	CHECK(!pmemobj_tx_begin(pop, NULL, TX_PARAM_NONE));
	CHECK(!pmemobj_tx_lock(TX_PARAM_MUTEX, &root->lock));
	pmemobj_tx_set_user_data(root);
	pmemobj_tx_log_auto_alloc(TX_LOG_TYPE_SNAPSHOT, 1);
	ST8(&root->a, 1); //! unlogged-store error
	pmemobj_tx_commit();
	ST8(&root->b, 1);
	pmemobj_persist(pop, &root->b, 8);
	CHECK(!pmemobj_tx_end());
	CHECK(!pmemobj_tx_begin(pop, NULL, TX_PARAM_NONE));
	CHECK(!pmemobj_tx_add_range_direct(&root->a, 8));
	ST8(&root->a, 2);
	pmemobj_tx_process();
	pmemobj_tx_process();
	CHECK(!pmemobj_tx_end());
	pmemobj_close(pop);
	return 0;
}
