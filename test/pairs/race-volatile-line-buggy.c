/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-volatile-line-buggy.c - a volatile store does not keep the compiler from moving the plain one before it. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t value;
	volatile uint64_t ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->value = 7; //! persistency-race warning
	pool->ready = 1;
	PERSIST((void *)&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (pool->ready && pool->value != 7) //+ load
		REFUSE("the value is missing");
	return 0;
}
