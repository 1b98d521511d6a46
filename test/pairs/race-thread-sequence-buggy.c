/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-sequence-buggy.c - a relaxed store between a release store and the load that should have acquired it. */
// wrapped: clang
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

static int state;

static void *store(void *arg)
{
	struct pool *pool = arg;

	pool->value = 7; //! persistency-race warning
	__atomic_store_n(&state, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *go_on(void *arg)
{
	AWAIT(&state, 1);
	__atomic_store_n(&state, 2, __ATOMIC_RELAXED);
	return arg;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	pthread_t first, second;

	CHECK(!pthread_create(&first, NULL, store, pool));
	CHECK(!pthread_create(&second, NULL, go_on, NULL));
	AWAIT(&state, 2);
	CHECK(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2);
	PERSIST(&pool->value);
	atomic_store_explicit(&pool->ready, 1, memory_order_release);
	PERSIST(&pool->ready);
	CHECK(!pthread_join(first, NULL));
	CHECK(!pthread_join(second, NULL));
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && atomic_load_explicit(&pool->ready, memory_order_acquire) && pool->value != 7) //+ load
		REFUSE("ready without a value");
	return 0;
}
