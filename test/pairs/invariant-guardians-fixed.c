/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-guardians-fixed.c - both tokens are bits of one word, which changes by one store. */
// recover: check
// run: --detect invariants
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t tokens; /* bit i: slot i has a value */
	_Alignas(LINE) uint64_t left;
	_Alignas(LINE) uint64_t right;
};

/* Reads the value only if the token says that there is one. */
static uint64_t value_of(const struct pool *pool, unsigned i)
{
	return load8(&pool->tokens) & (1u << i) ? load8(i ? &pool->right : &pool->left) : 0;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->left, 7);
	PERSIST(&pool->left);
	ST8(&pool->tokens, 1);
	PERSIST(&pool->tokens);
	ST8(&pool->right, value_of(pool, 0));
	PERSIST(&pool->right);
	ST8(&pool->tokens, 2);
	PERSIST(&pool->tokens);
	return value_of(pool, 1) != 7;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t tokens, value;

	if (!pool)
		return 0;
	tokens = load8(&pool->tokens);
	value = load8(&pool->right);
	if (tokens != 1 && tokens != 2 && value)
		REFUSE("the value is there twice, or not at all");
	return 0;
}
