/* SPDX-License-Identifier: GPL-2.0-or-later */
/* obj_atomic.c - libpmemobj without transactions: atomic allocation, lists, reallocation, large copies; several
 * threads. */
// link: -lpmemobj -lpthread
#include <libpmemobj.h>
#include <pthread.h>

#include "target.h"

POBJ_LAYOUT_BEGIN(atomic);
POBJ_LAYOUT_ROOT(atomic, struct root);
POBJ_LAYOUT_TOID(atomic, struct item);
POBJ_LAYOUT_END(atomic);

struct item {
	uint64_t value;
	POBJ_LIST_ENTRY(struct item) entry;
};

struct root {
	POBJ_LIST_HEAD(list, struct item) list;
	PMEMoid blocks[64];
	uint64_t marker;
};

#define THREADS 3

static PMEMobjpool *pop;
static TOID(struct root) root;

static int item_construct(PMEMobjpool *p, void *ptr, void *arg)
{
	struct item *item = ptr;

	item->value = *(uint64_t *)arg;
	pmemobj_persist(p, item, sizeof(*item));
	return 0;
}

static void lists(void)
{
	TOID(struct item) item;
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= 50; i++) {
		if (i & 1)
			POBJ_LIST_INSERT_NEW_HEAD(pop, &D_RW(root)->list, entry, sizeof(struct item), item_construct,
						  &i);
		else
			POBJ_LIST_INSERT_NEW_TAIL(pop, &D_RW(root)->list, entry, sizeof(struct item), item_construct,
						  &i);
	}
	POBJ_LIST_REMOVE_FREE(pop, &D_RW(root)->list, POBJ_LIST_FIRST(&D_RO(root)->list), entry);
	POBJ_LIST_FOREACH(item, &D_RO(root)->list, entry)
	sum += D_RO(item)->value;
	CHECK(sum == 50 * 51 / 2 - 49);
}

static void *blocks(void *arg)
{
	long first = (long)arg * 16;
	static char text[100000];

	for (long i = first; i < first + 16; i++) {
		size_t size = (size_t)(i % 4 + 1) * 1500;

		CHECK(pmemobj_zalloc(pop, &D_RW(root)->blocks[i], size, 7) == 0);
		pmemobj_memcpy_persist(pop, pmemobj_direct(D_RO(root)->blocks[i]), text, size);
		pmemobj_memset_persist(pop, pmemobj_direct(D_RO(root)->blocks[i]), (int)i, size / 2);
		if (i % 3 == 0)
			CHECK(pmemobj_realloc(pop, &D_RW(root)->blocks[i], 2 * size, 7) == 0);
		if (i % 5 == 0)
			pmemobj_free(&D_RW(root)->blocks[i]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	CHECK(argc == 2);
	pop = pmemobj_create(argv[1], POBJ_LAYOUT_NAME(atomic), 3 * PMEMOBJ_MIN_POOL, 0644);
	CHECK(pop);
	root = POBJ_ROOT(pop, struct root);
	lists();
	mark(argv[1], (char *)&D_RW(root)->marker, 1);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, blocks, (void *)i) == 0);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	mark(argv[1], (char *)&D_RW(root)->marker, 2);
	pmemobj_close(pop);
	return 0;
}
