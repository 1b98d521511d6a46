/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-cond-buggy.c - the thread that flushes asks for the news without the mutex that protects them. */
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

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int stored;

static void *store(void *arg)
{
	struct pool *pool = arg;

	pthread_mutex_lock(&mutex);
	pool->value = 7; //! persistency-race warning
	SAY(&stored, 1);
	pthread_cond_signal(&news);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, store, pool));
	AWAIT(&stored, 1);
	PERSIST(&pool->value);
	atomic_store_explicit(&pool->ready, 1, memory_order_release);
	PERSIST(&pool->ready);
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
