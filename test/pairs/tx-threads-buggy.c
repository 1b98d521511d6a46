/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-threads-buggy.c - a transaction changes what only the one of another thread has added, before. */
// link: -lpmemobj -lpthread
// run: --detect transactions
#include "tx.h"

#include <pthread.h>

static void *work(void *number)
{
	TX_BEGIN(pop)
	{
		TX_COVER(&root->a);
		ST8((uint64_t *)number, 1); //! unlogged-store error
	}
	TX_END
	return NULL;
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	pthread_t thread;

	work(&root->a);
	CHECK(!pthread_create(&thread, NULL, work, &root->b));
	CHECK(!pthread_join(thread, NULL));
	pmemobj_close(pop);
	return 0;
}
