/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-straddle-buggy.c - code that was not compiled with blackout-cc stores eight bytes into two lines. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) char bytes[2 * LINE];
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->bytes[LINE - 4], 0x1122334455667788); //! persistency-race error
	CLWB(&pool->bytes[0]);
	PERSIST(&pool->bytes[LINE]);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t value;

	if (!pool)
		return 0;
	memcpy(&value, &pool->bytes[LINE - 4], sizeof(value)); //+ load
	if (value && value != 0x1122334455667788)
		REFUSE("half a value");
	return 0;
}
