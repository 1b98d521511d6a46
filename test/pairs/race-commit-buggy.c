/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-commit-buggy.c - the store that commits an insertion is plain, so a compiler may make two of it. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t value;
	uint64_t key;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->value = 7;
	PERSIST(&pool->value);
	pool->key = 0x1122334455667788; //! persistency-race warning
	PERSIST(&pool->key);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t key;

	if (!pool)
		return 0;
	key = __atomic_load_n(&pool->key, __ATOMIC_ACQUIRE); //+ load
	if (key && (key != 0x1122334455667788 || pool->value != 7))
		REFUSE("a key that was never inserted");
	return 0;
}
