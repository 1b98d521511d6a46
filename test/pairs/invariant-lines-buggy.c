/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-lines-buggy.c - one pair of 60 unordered lines has an order, and one state of 2^60 shows that it is violated. */
// recover: check
// run: --detect invariants
#include "crash.h"

#define RECORDS 58

struct line {
	_Alignas(LINE) uint64_t word;
};

struct pool {
	struct line records[RECORDS], key, token;
};

/* Reads the key only if the token says that there is one. */
static uint64_t lookup(const struct pool *pool)
{
	return load8(&pool->token.word) ? load8(&pool->key.word) : 7;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (unsigned i = 0; i < RECORDS; i++) {
		ST8(&pool->records[i].word, 1);
		CLWB(&pool->records[i].word);
	}
	ST8(&pool->key.word, 7); //! ordering-violation error
	CLWB(&pool->key.word);
	ST8(&pool->token.word, 2); //+ RO3
	CLWB(&pool->token.word);
	SFENCE();
	return lookup(pool) != 7;
}

/* Drops a batch with a missing record, and believes the token of one that is complete. */
static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t sum = 0;

	if (!pool)
		return 0;
	for (unsigned i = 0; i < RECORDS; i++)
		sum += load8(&pool->records[i].word);
	if (sum == RECORDS && lookup(pool) != 7)
		REFUSE("a token without its key");
	return 0;
}
