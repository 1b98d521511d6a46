/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-clang-wide-buggy.c - a plain store of 16 bytes, which x86 makes in two: recovery loads it without asking first. */
// wrapped: clang
// recover: check
// run: --detect races
#include <stdatomic.h>

#include "race.h"

struct pool {
	_Alignas(LINE) unsigned __int128 value;
	_Alignas(LINE) atomic_uint_fast64_t ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->value = (unsigned __int128)7 << 64 | 7; //! persistency-race error
	PERSIST(&pool->value);
	atomic_store_explicit(&pool->ready, 1, memory_order_release);
	PERSIST(&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	unsigned __int128 value;

	if (!pool)
		return 0;
	value = pool->value; //+ load
	if (atomic_load_explicit(&pool->ready, memory_order_acquire) && value >> 64 != (uint64_t)value)
		REFUSE("one half of a value");
	return 0;
}
