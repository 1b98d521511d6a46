/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-packed-fixed.c - the member lies in one word, and is stored atomically. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) struct {
		uint32_t kind;
		uint64_t value;
	} entry;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	__atomic_store_n(&pool->entry.value, 0x1122334455667788, __ATOMIC_RELEASE);
	PERSIST(&pool->entry);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t value;

	if (!pool)
		return 0;
	value = pool->entry.value;
	if (value && value != 0x1122334455667788)
		REFUSE("half a value");
	return 0;
}
