/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-count-fixed.c - a count that is increased by an atomic update. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t count;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (int i = 0; i < 3; i++) {
		__atomic_fetch_add(&pool->count, 1, __ATOMIC_RELAXED);
		PERSIST(&pool->count);
	}
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (pool->count > 3)
		REFUSE("too many");
	return 0;
}
