/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx.h - what the pairs about transactions of libpmemobj have in common: a pool with a root object. */
#ifndef TX_H
#define TX_H

#include "pair.h"

#include <libpmemobj.h>
#include <pthread.h>
#include <unistd.h>

struct node {
	uint64_t value, weight;
	PMEMoid next;
};

struct root {
	uint64_t a, b, c, spin;
	char text[64];
	PMEMoid node;
	PMEMmutex lock, other;
	pthread_mutex_t mutex;
};

static PMEMobjpool *pop;
static PMEMoid oid;
static struct root *root;

static inline void tx_create(const char *path)
{
	pop = pmemobj_create(path, "pair", PMEMOBJ_MIN_POOL, 0644);
	CHECK(pop);
	oid = pmemobj_root(pop, sizeof(struct root));
	root = (struct root *)pmemobj_direct(oid);
}

/* Add what a pointer points to. */
#define TX_COVER(p) pmemobj_tx_add_range_direct((p), sizeof(*(p)))

#endif
