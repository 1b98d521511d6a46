/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-token-fixed.c - the token comes after the fence that key and value have. */
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

	ST8(&pool->key, 7);
	ST8(&pool->value, 49);
	CLWB(&pool->key);
	CLWB(&pool->value);
	SFENCE();
	ST8(&pool->token, 1);
	PERSIST(&pool->token);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->token && (pool->key != 7 || pool->value != 49))
		REFUSE("a valid entry without its key or value");
	return 0;
}
