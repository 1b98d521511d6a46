/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovers_obj.c - a recovery of a libpmemobj pool.
 *
 *     recovers_obj create POOL
 *     recovers_obj check POOL      open, change in a transaction, close, open again, look, check; every state must be the first to be changed
 *     recovers_obj arenas POOL [LAYOUT N]  open, and print how many arenas libpmemobj has, whether it has filled the heap, and how
 *                                          many processors there are; fail if there are not N arenas
 *     recovers_obj work POOL               four threads allocate, change and free in transactions with large logs, and fail to
 *                                          allocate too much; open again, check */
// link: -lpmemobj -lpthread
// cflags: -Wno-clobbered
#include <libpmemobj.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAP_FILLED = 4 << 20, THREADS = 4, ROUNDS = 20, OBJECTS = 20, OBJECT_BYTES = 3000 };

struct root {
	uint64_t made, changed;
};

static struct root *root_of(PMEMobjpool *pool)
{
	return pmemobj_direct(pmemobj_root(pool, sizeof(struct root)));
}

static int create(const char *path)
{
	PMEMobjpool *pool = pmemobj_create(path, "recovers", PMEMOBJ_MIN_POOL, 0644);

	if (!pool)
		return 9;
	root_of(pool)->made = 5;
	pmemobj_persist(pool, root_of(pool), sizeof(struct root));
	pmemobj_close(pool);
	return 0;
}

static int change(const char *path)
{
	PMEMobjpool *pool = pmemobj_open(path, "recovers");

	if (!pool || root_of(pool)->made != 5 || root_of(pool)->changed != 0)
		return 7;
	TX_BEGIN(pool)
	{
		pmemobj_tx_add_range_direct(root_of(pool), sizeof(struct root));
		root_of(pool)->changed = 1;
	}
	TX_END
	pmemobj_close(pool);
	return 0;
}

static int look(const char *path)
{
	PMEMobjpool *pool = pmemobj_open(path, "recovers");

	if (!pool || root_of(pool)->changed != 1)
		return 6;
	pmemobj_close(pool);
	return pmemobj_check(path, "recovers") == 1 ? 0 : 5;
}

static int arenas(const char *path, const char *layout, unsigned expected)
{
	PMEMobjpool *pool = pmemobj_open(path, layout);
	unsigned total;

	if (!pool || pmemobj_ctl_get(pool, "heap.narenas.total", &total) != 0)
		return 4;
	const char *heap = mallinfo2().uordblks < HEAP_FILLED ? "empty" : "filled";
	printf("%u arenas, %s heap, %ld processors\n", total, heap, sysconf(_SC_NPROCESSORS_ONLN));
	pmemobj_close(pool);
	return expected && total != expected ? 3 : 0;
}

/* Logs that do not fit into a lane are extended, and grow in memory, too. */
static void *transactions(void *arg)
{
	PMEMobjpool *pool = arg;

	for (int round = 0; round < ROUNDS; round++) {
		PMEMoid objects[OBJECTS];

		TX_BEGIN(pool)
		{
			for (int i = 0; i < OBJECTS; i++)
				objects[i] = pmemobj_tx_zalloc(OBJECT_BYTES, 1);
		}
		TX_ONABORT
		{
			exit(8);
		}
		TX_END
		TX_BEGIN(pool)
		{
			for (int i = 0; i < OBJECTS; i++) {
				pmemobj_tx_add_range(objects[i], 0, OBJECT_BYTES);
				memset(pmemobj_direct(objects[i]), i, OBJECT_BYTES);
			}
			for (int i = 0; i < OBJECTS; i++)
				pmemobj_tx_free(objects[i]);
		}
		TX_ONABORT
		{
			exit(8);
		}
		TX_END
	}
	/* The message is memory of this thread. */
	if (pmemobj_alloc(pool, NULL, SIZE_MAX, 1, NULL, NULL) == 0 || !*pmemobj_errormsg())
		exit(8);
	return NULL;
}

static int work(const char *path)
{
	PMEMobjpool *pool = pmemobj_open(path, "recovers");
	pthread_t threads[THREADS];

	if (!pool)
		return 7;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, transactions, pool) != 0)
			return 4;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	int result = POBJ_FIRST_TYPE_NUM(pool, 1).off ? 3 : 0;
	pmemobj_close(pool);
	pool = pmemobj_open(path, "recovers");
	if (!pool || root_of(pool)->made != 5)
		return 6;
	pmemobj_close(pool);
	return result;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "arenas"))
		return arenas(argv[2], argv[3], (unsigned)atoi(argv[4]));
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "create"))
		return create(argv[2]);
	if (!strcmp(argv[1], "arenas"))
		return arenas(argv[2], "recovers", 0);
	if (!strcmp(argv[1], "work"))
		return work(argv[2]);
	int result = change(argv[2]);
	if (result == 0)
		result = look(argv[2]);
	if (result)
		fprintf(stderr, "%s\n", pmemobj_errormsg());
	return result;
}
