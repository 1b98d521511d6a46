/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-reset-fixed.c - recovery resets a counter of the last run, and reads what it stored itself. */
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

	pool->users = 5;
	PERSIST(&pool->users);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	__atomic_store_n(&pool->users, 0, __ATOMIC_RELEASE);
	if (__atomic_load_n(&pool->users, __ATOMIC_ACQUIRE) > 5)
		REFUSE("too many users");
	return 0;
}
