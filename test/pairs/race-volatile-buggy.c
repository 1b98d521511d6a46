/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-volatile-buggy.c - a plain flag that recovery reads. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t flag;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->flag = 0x1122334455667788; //! persistency-race warning
	PERSIST((void *)&pool->flag);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t flag;

	if (!pool)
		return 0;
	flag = pool->flag; //+ load
	if (flag && flag != 0x1122334455667788)
		REFUSE("half a flag");
	return 0;
}
