/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-commit-fixed.c - the log says that it is committed once both of its entries are on media. */
// recover: check
#include "crash.h"

/* Two accounts; what they hold together never changes.  The new balances are logged, then applied. */
struct pool {
	_Alignas(LINE) uint64_t committed;
	_Alignas(LINE) uint64_t log_a;
	_Alignas(LINE) uint64_t log_b;
	_Alignas(LINE) uint64_t a;
	_Alignas(LINE) uint64_t b;
};

static void apply(struct pool *pool)
{
	ST8(&pool->a, load8(&pool->log_a));
	PERSIST(&pool->a);
	ST8(&pool->b, load8(&pool->log_b));
	PERSIST(&pool->b);
	ST8(&pool->committed, 0);
	PERSIST(&pool->committed);
}

static void transfer(struct pool *pool, uint64_t amount)
{
	ST8(&pool->log_a, load8(&pool->a) - amount);
	PERSIST(&pool->log_a);
	ST8(&pool->log_b, load8(&pool->b) + amount);
	PERSIST(&pool->log_b);
	ST8(&pool->committed, 1);
	PERSIST(&pool->committed);
	apply(pool);
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t amount = 1; amount <= 3; amount++)
		transfer(pool, amount);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (pool->committed)
		apply(pool);
	if (pool->a + pool->b != 0)
		REFUSE("money was made or lost");
	return 0;
}
