/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-lock-buggy.c - a field that is no lock. */
// link: -lpmemobj -lpthread
// run: --detect transactions
#include "tx.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	pthread_mutex_init(&root->mutex, NULL);
	TX_BEGIN_PARAM(pop, TX_PARAM_MUTEX, &root->lock, TX_PARAM_NONE)
	{
		pmemobj_mutex_lock(pop, &root->other);
		pthread_mutex_lock(&root->mutex);
		TX_COVER(&root->b);
		ST8(&root->b, 1);
		ST8(&root->spin, 1); //! unlogged-store error
		pthread_mutex_unlock(&root->mutex);
		pmemobj_mutex_unlock(pop, &root->other);
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
