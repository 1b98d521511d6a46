/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-reset-buggy.c - recovery reads a counter of the last run before it resets it. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t users;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->users = 5; //! persistency-race warning
	PERSIST(&pool->users);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (pool->users > 5) //+ load
		REFUSE("too many users");
	__atomic_store_n(&pool->users, 0, __ATOMIC_RELEASE);
	return 0;
}
