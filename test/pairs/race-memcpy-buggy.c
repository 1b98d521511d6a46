/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-memcpy-buggy.c - memcpy stores in several units, and recovery reads the text before anything proves that it is whole. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) char text[LINE];
	_Alignas(LINE) uint64_t length;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	size_t length = strlen(path);

	memcpy(pool->text, path, length); //! persistency-race error
	__atomic_store_n(&pool->length, length, __ATOMIC_RELEASE);
	PERSIST(pool->text);
	PERSIST(&pool->length);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t length;

	if (!pool)
		return 0;
	length = __atomic_load_n(&pool->length, __ATOMIC_ACQUIRE);
	if (length && pool->text[0] != 'p') //+ load
		REFUSE("half a text");
	return 0;
}
