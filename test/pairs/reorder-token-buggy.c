/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-token-buggy.c - a token makes a key and its value valid, and one fence is for all three. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t key;
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) uint64_t token;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->key, 7);    //! recovery-error error
	ST8(&pool->value, 49); //! recovery-error error
	ST8(&pool->token, 1);
	CLWB(&pool->key);
	CLWB(&pool->value);
	CLWB(&pool->token);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->token && (pool->key != 7 || pool->value != 49))
		REFUSE("a valid entry without its key or value");
	return 0;
}
