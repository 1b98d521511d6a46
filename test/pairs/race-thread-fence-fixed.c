/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-fence-fixed.c - a release fence, and the acquire fence of the thread that flushes. */
// wrapped: gcc
// link: -pthread
// recover: check
// run: --detect races
#include <pthread.h>
#include <stdatomic.h>

#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) atomic_uint_fast64_t ready;
};

static int turn;

static void *store(void *arg)
{
	struct pool *pool = arg;

	pool->value = 7;
	atomic_thread_fence(memory_order_release);
	SAY(&turn, 1);
	return NULL;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, store, pool));
	AWAIT(&turn, 1);
	atomic_thread_fence(memory_order_acquire);
	PERSIST(&pool->value);
	atomic_store_explicit(&pool->ready, 1, memory_order_release);
	PERSIST(&pool->ready);
	CHECK(!pthread_join(thread, NULL));
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && atomic_load_explicit(&pool->ready, memory_order_acquire) && pool->value != 7)
		REFUSE("ready without a value");
	return 0;
}
