/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-either-order-buggy.c - the reader believes in one order of two stores that have none. */
// recover: check
// run: --detect invariants
#include "crash.h"

/* A counter and its copy; each is written from the other. */
struct pool {
	_Alignas(LINE) uint64_t counter;
	_Alignas(LINE) uint64_t copy;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (int i = 0; i < 3; i++) {
		ST8(&pool->counter, load8(&pool->copy) + 1); //! ordering-violation error
		ST8(&pool->copy, load8(&pool->counter));     //+ RO1
		CLWB(&pool->counter);
		CLWB(&pool->copy);
		SFENCE();
	}
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t counter, copy;

	if (!pool)
		return 0;
	counter = load8(&pool->counter);
	copy = load8(&pool->copy);
	if (copy > counter)
		REFUSE("the counter went back");
	return 0;
}
