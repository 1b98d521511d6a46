/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-derived-buggy.c - a number is derived from one that is not persisted yet. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t allocated;
	_Alignas(LINE) uint64_t last;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (int i = 0; i < 3; i++) {
		ST8(&pool->allocated, load8(&pool->allocated) + 1); //! recovery-error error
		ST8(&pool->last, load8(&pool->allocated));
		CLWB(&pool->last);
		CLWB(&pool->allocated);
		SFENCE();
	}
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->last > pool->allocated)
		REFUSE("something is in use that was never allocated");
	return 0;
}
