/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-two-fields-buggy.c - the flag protects the field that was stored before it, but not the one after it. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t first;
	uint64_t second, ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->first = 1;
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	pool->second = 2; //! persistency-race warning
	PERSIST(pool);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool || !__atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE))
		return 0;
	if (pool->first != 1)
		REFUSE("the first field is missing");
	if (pool->second > 2) //+ load
		REFUSE("half a field");
	return 0;
}
