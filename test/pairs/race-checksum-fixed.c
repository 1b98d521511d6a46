/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-checksum-fixed.c - recovery reads the record only in the function that checks its sum. */
// wrapped: gcc
// recover: check
// run: --detect races --checksum sum_matches
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t data[3];
	uint64_t sum;
};

static __attribute__((noinline)) int sum_matches(const struct pool *pool)
{
	return pool->data[0] + pool->data[1] + pool->data[2] == pool->sum;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t i = 0; i < 3; i++)
		pool->data[i] = i + 1;
	__atomic_store_n(&pool->sum, 6, __ATOMIC_RELAXED);
	PERSIST(pool);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;

	if (pool->sum && !sum_matches(pool))
		pool->sum = 0;
	return 0;
}
