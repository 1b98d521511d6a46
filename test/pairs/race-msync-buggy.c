/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-msync-buggy.c - msync(MS_ASYNC) does not wait until the value is on media. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(PAGE) uint64_t value;
	_Alignas(PAGE) uint64_t ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->value = 7; //! persistency-race warning
	CHECK(msync(&pool->value, PAGE, MS_ASYNC) == 0);
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	CHECK(msync(&pool->ready, PAGE, MS_SYNC) == 0);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (__atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE) && pool->value != 7) //+ load
		REFUSE("the value is missing");
	return 0;
}
