/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-relaxed-fixed.c - a release store to the line says that all stores before it are there. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t value;
	uint64_t ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->value = 7;
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	PERSIST(&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (__atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE) && pool->value != 7)
		REFUSE("the value is missing");
	return 0;
}
