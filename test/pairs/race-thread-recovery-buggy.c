/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-recovery-buggy.c - recovery loads in a second thread, and only then asks whether it may. */
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

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->value = 7; //! persistency-race warning
	PERSIST(&pool->value);
	atomic_store_explicit(&pool->ready, 1, memory_order_release);
	PERSIST(&pool->ready);
	return 0;
}

static void *load(void *arg)
{
	struct pool *pool = arg;

	return (void *)pool->value; //+ load
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	pthread_t thread;
	void *value;

	if (!pool)
		return 0;
	CHECK(!pthread_create(&thread, NULL, load, pool));
	CHECK(!pthread_join(thread, &value));
	if (atomic_load_explicit(&pool->ready, memory_order_acquire) && (uint64_t)value != 7)
		REFUSE("ready without a value");
	return 0;
}
