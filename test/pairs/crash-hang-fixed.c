/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-hang-fixed.c - a lock lives in the pool, and recovery, which is alone, frees it first. */
// recover: check
// run: --timeout 0.5
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t locked;
	uint64_t value; /* on the same line: whoever persists it persists the lock */
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->locked, 1);
	ST8(&pool->value, 42);
	PERSIST(&pool->value);
	ST8(&pool->locked, 0);
	PERSIST(&pool->locked);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool) {
		ST8(&pool->locked, 0);
		PERSIST(&pool->locked);
	}
	while (pool && load8(&pool->locked))
		;
	return 0;
}
