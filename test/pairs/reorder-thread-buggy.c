/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-thread-buggy.c - the fence is in another thread than the flush.
 * (Bound at once: the lock that lazy binding takes would complete it.) */
// recover: check
// run: --detect inject,explore
// link: -lpthread -Wl,-z,now
#include <pthread.h>

#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t data;
	_Alignas(LINE) uint64_t valid;
};

static volatile int step;

static void *fencer(void *unused)
{
	(void)unused;
	while (step != 1)
		;
	SFENCE();
	step = 2;
	return NULL;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, fencer, NULL) == 0);
	ST8(&pool->data, 42); //! recovery-error error
	CLWB(&pool->data);
	step = 1;
	while (step != 2)
		;
	ST8(&pool->valid, 1);
	CLWB(&pool->valid);
	SFENCE();
	pthread_join(thread, NULL);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->valid && pool->data != 42)
		REFUSE("valid without data");
	return 0;
}
