/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-checked-fixed.c - who relies on a state persists it first. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t ready;
	_Alignas(LINE) uint64_t used;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->ready, 1);
	CLWB(&pool->ready);
	if (load8(&pool->ready)) {
		SFENCE();
		ST8(&pool->used, 1);
		CLWB(&pool->used);
	}
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->used && !pool->ready)
		REFUSE("used before it was ready");
	return 0;
}
