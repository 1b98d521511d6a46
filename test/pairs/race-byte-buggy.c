/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-byte-buggy.c - one byte cannot be torn, but a compiler may store something else there first. */
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

	pool->state = 3; //! persistency-race warning
	PERSIST(&pool->state);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint8_t state;

	if (!pool)
		return 0;
	state = pool->state; //+ load
	if (state && state != 3)
		REFUSE("an unknown state");
	return 0;
}
