/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-lifted-buggy.c - the last slot, which nobody reads in this run, gets its token too early. */
// recover: check
// run: --detect invariants
#include "crash.h"

struct slot {
	_Alignas(LINE) uint64_t key;
	_Alignas(LINE) uint64_t token;
};

struct pool {
	struct slot slots[4];
};

/* Reads the key only if the token says that there is one. */
static uint64_t key_of(const struct slot *slot)
{
	return load8(&slot->token) ? load8(&slot->key) : 0;
}

static void insert(struct slot *slot, uint64_t key, int last)
{
	ST8(&slot->key, key); //! ordering-violation error
	CLWB(&slot->key);
	if (!last)
		SFENCE();
	ST8(&slot->token, 1); //+ RO3
	CLWB(&slot->token);
	SFENCE();
}

/* The last slot is never looked up. */
static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	uint64_t sum = 0;

	for (unsigned i = 0; i < 4; i++)
		insert(&pool->slots[i], i + 1, i == 3);
	for (unsigned i = 0; i < 3; i++)
		sum += key_of(&pool->slots[i]);
	return sum != 6;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t keys[4], tokens[4];

	if (!pool)
		return 0;
	for (unsigned i = 0; i < 4; i++) {
		keys[i] = load8(&pool->slots[i].key);
		tokens[i] = load8(&pool->slots[i].token);
	}
	for (unsigned i = 0; i < 4; i++)
		if (tokens[i] > keys[i])
			REFUSE("a token without its key");
	return 0;
}
