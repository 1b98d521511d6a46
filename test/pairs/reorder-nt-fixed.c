/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-nt-fixed.c - a payload is streamed past the cache, and fenced before it is announced. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t payload[8];
	_Alignas(LINE) uint64_t valid;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t i = 0; i < 8; i++)
		NT8(&pool->payload[i], i + 1);
	SFENCE();
	ST8(&pool->valid, 1);
	CLWB(&pool->valid);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	for (uint64_t i = 0; pool && pool->valid && i < 8; i++)
		if (pool->payload[i] != i + 1)
			REFUSE("the payload has a hole");
	return 0;
}
