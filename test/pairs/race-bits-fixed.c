/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-bits-fixed.c - the word with the bits is stored atomically. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint32_t bits;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	__atomic_store_n(&pool->bits, 77u << 4, __ATOMIC_RELEASE);
	PERSIST(&pool->bits);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint32_t high;

	if (!pool)
		return 0;
	high = pool->bits >> 4;
	if (high && high != 77)
		REFUSE("wrong bits");
	return 0;
}
