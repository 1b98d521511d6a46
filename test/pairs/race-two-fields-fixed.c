/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-two-fields-fixed.c - both fields are stored before the flag. */
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
	pool->second = 2;
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
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
	if (pool->second > 2)
		REFUSE("half a field");
	return 0;
}
