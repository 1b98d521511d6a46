/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-rwlock-fixed.c - the thread that stores holds the lock for writers. */
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

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int turn;

static void *store(void *arg)
{
	struct pool *pool = arg;

	pthread_rwlock_wrlock(&lock);
	pool->value = 7;
	pthread_rwlock_unlock(&lock);
	SAY(&turn, 1);
	return NULL;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, store, pool));
	AWAIT(&turn, 1);
	pthread_rwlock_rdlock(&lock);
	PERSIST(&pool->value);
	atomic_store_explicit(&pool->ready, 1, memory_order_release);
	PERSIST(&pool->ready);
	pthread_rwlock_unlock(&lock);
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
