/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-struct-buggy.c - a structure is copied in several stores, and recovery reads it without knowing that all are there. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) struct record {
		uint64_t key, value, sum;
	} record;
	_Alignas(LINE) uint64_t ready;
};

static __attribute__((noinline)) struct record record_make(uint64_t key, uint64_t value)
{
	return (struct record){key, value, key + value};
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	const struct record record = record_make(1, 2);

	pool->record = record; //! persistency-race error
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	PERSIST(&pool->record);
	PERSIST(&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (__atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE) && pool->record.sum != 3) //+ load
		REFUSE("half a record");
	return 0;
}
