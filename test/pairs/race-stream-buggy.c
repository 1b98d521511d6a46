/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-stream-buggy.c - a non-temporal store of two words is not fenced before the flag that recovery reads first. */
// wrapped: gcc
// recover: check
// run: --detect races
#include <emmintrin.h>

#include "race.h"

struct pool {
	_Alignas(LINE) uint64_t value[2];
	_Alignas(LINE) uint64_t ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	_mm_stream_si128((__m128i *)pool->value, _mm_set_epi64x(8, 7)); //! persistency-race error
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	SFENCE();
	PERSIST(&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (__atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE) && pool->value[1] != 8) //+ load
		REFUSE("half a value");
	return 0;
}
