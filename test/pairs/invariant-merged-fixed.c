/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-merged-fixed.c - the token comes after the fence that its key has, and no detector complains. */
// recover: check
// run: --detect inject,explore,invariants
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t key;
	_Alignas(LINE) uint64_t token;
};

/* Reads the key only if the token says that there is one. */
static uint64_t lookup(const struct pool *pool)
{
	if (!load8(&pool->token))
		return 0;
	return load8(&pool->key);
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->key, 7);
	PERSIST(&pool->key);
	ST8(&pool->token, 1);
	PERSIST(&pool->token);
	return lookup(pool) != 7;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && load8(&pool->token) > load8(&pool->key))
		REFUSE("a token without its key");
	return 0;
}
