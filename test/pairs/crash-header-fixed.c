/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-header-fixed.c - the header says that the pool is valid once its data is. */
// recover: check
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t valid;
	_Alignas(LINE) uint64_t data;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->data, 42);
	PERSIST(&pool->data);
	ST8(&pool->valid, 1);
	PERSIST(&pool->valid);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->valid && pool->data != 42)
		REFUSE("a valid pool without data");
	return 0;
}
