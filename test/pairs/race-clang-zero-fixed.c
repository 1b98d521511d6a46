/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-clang-zero-fixed.c - a loop that the compiler turns into a call of memset; recovery reads it only if it was persisted. */
// wrapped: clang
// cflags: -O2
// recover: check
// run: --detect races
#include <stdatomic.h>

#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t slots[8];
	_Alignas(LINE) atomic_uint_fast64_t cleared;
};

static void clear(uint64_t *slots)
{
	for (int i = 0; i < 8; i++)
		slots[i] = 0xffffffffffffffff;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	clear(pool->slots);
	PERSIST(pool->slots);
	atomic_store_explicit(&pool->cleared, 1, memory_order_release);
	PERSIST(&pool->cleared);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && atomic_load_explicit(&pool->cleared, memory_order_acquire) && pool->slots[7] == 1)
		REFUSE("a slot with something else");
	return 0;
}
