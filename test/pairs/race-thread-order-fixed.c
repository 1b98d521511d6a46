/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-order-fixed.c - a thread flushes what another one stored, and learned from a release store that it happened before. */
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

static atomic_int stored;

static void *store(void *arg)
{
	struct pool *pool = arg;

	pool->value = 7;
	atomic_store_explicit(&stored, 1, memory_order_release);
	return NULL;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, store, pool));
	while (!atomic_load_explicit(&stored, memory_order_acquire))
		sched_yield();
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
