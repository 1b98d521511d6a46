/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-guardians-buggy.c - a value moves from one slot to another, and the two tokens change one by one. */
// recover: check
// run: --detect invariants
#include "crash.h"

struct slot {
	_Alignas(LINE) uint64_t token;
	_Alignas(LINE) uint64_t value;
};

struct pool {
	struct slot left, right;
};

/* Reads the value only if the token says that there is one. */
static uint64_t value_of(const struct slot *slot)
{
	return load8(&slot->token) ? load8(&slot->value) : 0;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->left.value, 7);
	PERSIST(&pool->left.value);
	ST8(&pool->left.token, 1);
	PERSIST(&pool->left.token);
	ST8(&pool->right.value, value_of(&pool->left));
	PERSIST(&pool->right.value);
	ST8(&pool->left.token, 0);  //+ RA1
	ST8(&pool->right.token, 1); //! atomicity-violation error
	CLWB(&pool->left.token);
	CLWB(&pool->right.token);
	SFENCE();
	return value_of(&pool->right) != 7;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t left, right, value;

	if (!pool)
		return 0;
	left = load8(&pool->left.token);
	right = load8(&pool->right.token);
	value = load8(&pool->right.value);
	if (left + right != 1 && value)
		REFUSE("the value is there twice, or not at all");
	return 0;
}
