/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-transaction-fixed.c - a transaction of libpmemobj that was told of both words which it changes. */
// link: -lpmemobj
// recover: check
#include "crash.h"

#include <libpmemobj.h>

struct root {
	_Alignas(LINE) uint64_t a;
	_Alignas(LINE) uint64_t b;
};

static void change(PMEMobjpool *pop, PMEMoid oid, uint64_t value)
{
	struct root *root = pmemobj_direct(oid);

	TX_BEGIN(pop)
	{
		pmemobj_tx_add_range(oid, offsetof(struct root, a), sizeof(root->a));
		pmemobj_tx_add_range(oid, offsetof(struct root, b), sizeof(root->b));
		ST8(&root->a, value);
		ST8(&root->b, value);
	}
	TX_END
}

static int work(const char *path)
{
	PMEMobjpool *pop = pmemobj_create(path, "pair", PMEMOBJ_MIN_POOL, 0644);
	PMEMoid oid;

	CHECK(pop);
	oid = pmemobj_root(pop, sizeof(struct root));
	change(pop, oid, 1);
	change(pop, oid, 2);
	pmemobj_close(pop);
	return 0;
}

static int check(const char *path)
{
	PMEMobjpool *pop = pmemobj_open(path, "pair");
	struct root *root;

	if (!pop)
		REFUSE(pmemobj_errormsg());
	root = pmemobj_direct(pmemobj_root(pop, sizeof(struct root)));
	if (load8(&root->a) != load8(&root->b))
		REFUSE("half a transaction");
	pmemobj_close(pop);
	return 0;
}
