/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-clwb-buggy.c - a thread writes its store back, and another thread fences: that waits for nothing. */
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

	pool->value = 7; //! persistency-race warning
	CLWB(&pool->value);
	__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
	AWAIT(&turn, 2); /* the end of a thread would fence */
	return NULL;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, store, pool));
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 1)
		sched_yield();
	SFENCE();
	atomic_store_explicit(&pool->ready, 1, memory_order_release);
	PERSIST(&pool->ready);
	SAY(&turn, 2);
	CHECK(!pthread_join(thread, NULL));
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && atomic_load_explicit(&pool->ready, memory_order_acquire) && pool->value != 7) //+ load
		REFUSE("ready without a value");
	return 0;
}
