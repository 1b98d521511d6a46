/* SPDX-License-Identifier: GPL-2.0-or-later */
/* obj_stores.c - a store that is never flushed, inside a transaction of libpmemobj or not:  obj_stores HOW POOL
 *
 *  bare       in a transaction that adds nothing
 *  inner      in the outer of two transactions, after the inner has committed
 *  before     before the first transaction
 *  between    between two
 *  committed  in the block that is executed on commit
 *  aborted    after a transaction was aborted
 *  thread     in another thread, while this one is in a transaction */
// link: -lpmemobj -lpthread
#include <libpmemobj.h>
#include <pthread.h>

#include "target.h"

struct root {
	uint64_t value;
	uint8_t pad[56];
	uint64_t added;
};

static struct root *root;

static void store(void)
{
	ST8(&root->value, 2); //! the store
}

static void *store_elsewhere(void *arg)
{
	store();
	return arg;
}

static void transaction(PMEMobjpool *pop, const char *how)
{
	pthread_t thread;

	TX_BEGIN(pop)
	{
		if (!strcmp(how, "bare"))
			store();
		if (!strcmp(how, "inner")) {
			TX_BEGIN(pop)
			{
				pmemobj_tx_add_range_direct(&root->added, 8);
				ST8(&root->added, 1);
			}
			TX_END
			store();
		}
		if (!strcmp(how, "thread")) {
			CHECK(pthread_create(&thread, NULL, store_elsewhere, NULL) == 0);
			pthread_join(thread, NULL);
		}
		if (!strcmp(how, "aborted"))
			pmemobj_tx_abort(0);
	}
	TX_ONCOMMIT
	{
		if (!strcmp(how, "committed"))
			store();
	}
	TX_END
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	const char *how = argv[1];
	PMEMobjpool *pop = pmemobj_create(argv[2], "stores", PMEMOBJ_MIN_POOL, 0644);

	CHECK(pop);
	root = pmemobj_direct(pmemobj_root(pop, sizeof(*root)));
	ST8(&root->value, 1);
	pmemobj_persist(pop, root, sizeof(*root));
	if (!strcmp(how, "before"))
		store();
	transaction(pop, how);
	if (!strcmp(how, "between") || !strcmp(how, "aborted"))
		store();
	if (!strcmp(how, "between"))
		transaction(pop, how);
	pmemobj_close(pop);
	return 0;
}
