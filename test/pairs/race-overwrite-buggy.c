/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-overwrite-buggy.c - the plain store is overwritten by an atomic one, but a crash may lose that one alone. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t value;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->value = 1; //! persistency-race warning
	__atomic_store_n(&pool->value, 2, __ATOMIC_RELEASE);
	PERSIST(&pool->value);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t value;

	if (!pool)
		return 0;
	value = __atomic_load_n(&pool->value, __ATOMIC_ACQUIRE); //+ load
	if (value > 2)
		REFUSE("half a value");
	return 0;
}
