/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-data-buggy.c - a sum is computed from a balance that is not on media yet. */
// recover: check
// run: --detect invariants
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t balance;
	_Alignas(LINE) uint64_t doubled;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->balance, 21);                        //! ordering-violation error
	ST8(&pool->doubled, 2 * load8(&pool->balance)); //+ RO1
	CLWB(&pool->balance);
	CLWB(&pool->doubled);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t balance, doubled;

	if (!pool)
		return 0;
	balance = load8(&pool->balance);
	doubled = load8(&pool->doubled);
	if (doubled > 2 * balance)
		REFUSE("twice as much as there never was");
	return 0;
}
