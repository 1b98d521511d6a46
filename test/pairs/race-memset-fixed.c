/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-memset-fixed.c - the table is persisted before the flag that recovery reads first. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) unsigned char table[LINE];
	_Alignas(LINE) uint64_t ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	memset(pool->table, 0xff, sizeof(pool->table));
	PERSIST(pool->table);
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	PERSIST(&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (__atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE) && pool->table[63] != 0xff)
		REFUSE("the table is not filled");
	return 0;
}
