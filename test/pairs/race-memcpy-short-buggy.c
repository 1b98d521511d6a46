/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-memcpy-short-buggy.c - a memcpy of so few bytes that a compiler would replace it by two stores of a word each. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct entry {
	uint64_t key;
	uint32_t tag;
};

struct pool {
	_Alignas(LINE) struct entry entry;
	_Alignas(LINE) uint64_t ready;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	struct entry entry = {.key = strlen(path), .tag = 7};

	memcpy(&pool->entry, &entry, 12); //! persistency-race error
	__atomic_store_n(&pool->ready, 1, __ATOMIC_RELEASE);
	PERSIST(&pool->entry);
	PERSIST(&pool->ready);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (!__atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE))
		return 0;
	if (!pool->entry.key) //+ load
		REFUSE("half an entry");
	return 0;
}
