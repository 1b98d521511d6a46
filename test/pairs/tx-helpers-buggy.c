/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-helpers-buggy.c - threads fill an object, but its transaction has ended. */
// link: -lpmemobj -lpthread
// run: --detect transactions
#include "tx.h"

#include <pthread.h>

static void *fill(void *object)
{
	struct node *node = object;

	ST8(&node->value, 7); //! store-outside-transaction warning
	return NULL;
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	pthread_t thread;

	TX_BEGIN(pop)
	{
		TX_COVER(&root->node);
		root->node = pmemobj_tx_alloc(sizeof(struct node), 1);
		struct node *node = pmemobj_direct(root->node);
		ST8(&node->value, 1);
	}
	TX_END
	TX_BEGIN(pop)
	{
		CHECK(!pthread_create(&thread, NULL, fill, pmemobj_direct(root->node)));
		CHECK(!pthread_join(thread, NULL));
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
