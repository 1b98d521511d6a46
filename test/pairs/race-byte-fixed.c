/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-byte-fixed.c - an atomic byte. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint8_t state;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	__atomic_store_n(&pool->state, 3, __ATOMIC_RELAXED);
	PERSIST(&pool->state);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint8_t state;

	if (!pool)
		return 0;
	state = pool->state;
	if (state && state != 3)
		REFUSE("an unknown state");
	return 0;
}
