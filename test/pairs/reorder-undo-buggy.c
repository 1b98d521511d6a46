/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-undo-buggy.c - an undo log is flushed, and not fenced before what it is the log of. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t a;
	_Alignas(LINE) uint64_t b;
	_Alignas(LINE) uint64_t old_a; /* one line, in this order: the last word makes it count */
	uint64_t old_b;
	uint64_t logged;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t i = 1; i <= 3; i++) {
		ST8(&pool->old_a, load8(&pool->a));
		ST8(&pool->old_b, load8(&pool->b));
		ST8(&pool->logged, 1); //! recovery-error error
		CLWB(&pool->logged);
		ST8(&pool->a, load8(&pool->a) + i);
		ST8(&pool->b, load8(&pool->b) - i);
		CLWB(&pool->a);
		CLWB(&pool->b);
		SFENCE();
		ST8(&pool->logged, 0);
		PERSIST(&pool->logged);
	}
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (pool->logged) {
		ST8(&pool->a, pool->old_a);
		ST8(&pool->b, pool->old_b);
		CLWB(&pool->a);
		CLWB(&pool->b);
		SFENCE();
		ST8(&pool->logged, 0);
		PERSIST(&pool->logged);
	}
	if (pool->a + pool->b != 0)
		REFUSE("money was made or lost");
	return 0;
}
