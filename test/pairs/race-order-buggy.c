/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-order-buggy.c - recovery reads the value before it knows that the value is complete. */
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

	pool->value = 7; //! persistency-race warning
	PERSIST(&pool->value);
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	PERSIST(&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t value, ready;

	if (!pool)
		return 0;
	value = pool->value; //+ load
	ready = __atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE);
	if (ready && value != 7)
		REFUSE("the value is missing");
	return 0;
}
